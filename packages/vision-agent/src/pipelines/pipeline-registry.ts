import type { BackendName, FrameResult, PipelineStatus, SceneEventKind, WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest } from "@vision-agent/vision-engine";

export interface StartRequest {
  /** Camera name or source address. */
  readonly videoReference: string;
  readonly spec: WorkflowSpec;
  /** Absent: made from the camera's name. Made unique with a number when taken. */
  readonly name?: string;
  readonly maxFps?: number;
  /** Where it is to run; absent lets the app choose, and the status says why. */
  readonly backend?: BackendName;
  /** Scene events of this pipeline that a person is told of. */
  readonly alertOn?: readonly SceneEventKind[];
}

/** The part of a start request that decides what becomes of the results. */
export interface PipelineDefinition {
  readonly spec: WorkflowSpec;
  readonly alertOn: readonly SceneEventKind[];
}

/**
 * Every pipeline of the app, on whichever backend. What runs is in `active_state.json`
 * and runs again, under the same id, after a restart.
 * Methods that take `idOrName` throw `BackendError` kind `not_found`, with the names that exist.
 */
export interface PipelineRegistry {
  start(request: StartRequest): Promise<PipelineStatus>;
  stop(idOrName: string): Promise<PipelineStatus>;
  pause(idOrName: string): Promise<PipelineStatus>;
  resume(idOrName: string): Promise<PipelineStatus>;
  /** Everything that was started and not stopped. */
  list(): readonly PipelineStatus[];
  get(idOrName: string): PipelineStatus;
  /** What it was started with. */
  definition(idOrName: string): PipelineDefinition;
  results(idOrName: string, last: number): Promise<readonly FrameResult[]>;
  picture(idOrName: string, request?: PictureRequest): Promise<Picture | undefined>;
  /**
   * Live pictures of a camera (name or address): from the newest pipeline that runs on it, else from a viewer's own
   * that lives while somebody looks. Returns the way to leave, which may be called twice.
   */
  view(videoReference: string, onFrame: (frame: LiveFrame) => void): Promise<() => void>;
  /** A pipeline running on this camera, the newest when there are several. */
  onCamera(camera: string): PipelineStatus | undefined;
  /** Starts again what was running; a pipeline that cannot start is listed as failed with its reason. */
  restore(): Promise<void>;
  /** Called after each change and about once a second while something runs. Returns the way to stop. */
  onChange(listener: (pipelines: readonly PipelineStatus[]) => void): () => void;
  /** Called for each result of each pipeline. Must not throw. Returns the way to stop. */
  onResult(listener: (status: PipelineStatus, result: FrameResult) => void): () => void;
  /** Stops all without forgetting them. May be called twice. */
  close(): Promise<void>;
}
