import type { FrameMetadata, FrameResult, Json, PipelineState, WorkflowSpec } from "@vision-agent/protocol";

/** What to run, on which camera. */
export interface PipelineOptions {
  /** Name of the camera, used as `source_id` and as the video identifier of stateful blocks. */
  readonly sourceId: string;
  /** Address of the source, credentials included. */
  readonly source: string;
  readonly workflow: WorkflowSpec;
  /** Values for the workflow's parameters. */
  readonly parameters?: { readonly [name: string]: Json };
  /** Raise for smoother counting, lower to save the machine. Default: the source's own rate, at most 30. */
  readonly maxFps?: number;
  /** Stop by itself after so many results; absent runs on. */
  readonly maxFrames?: number;
  /** Called for each result in order. Must not throw. */
  readonly onResult?: (result: FrameResult) => void;
  /** Called at each change of state, with the reason in a sentence. Must not throw. */
  readonly onState?: (state: PipelineState, reason?: string) => void;
}

/** An encoded picture of one frame. */
export interface Picture {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly frame: FrameMetadata;
}

/** Which picture, of which frame. */
export interface PictureRequest {
  /** Name of an image output, such as an annotated picture; absent gives the frame as the camera saw it. */
  readonly output?: string;
  /** Absent gives the latest. Undefined is answered when the frame is no longer kept (the last 32 are, fewer of large pictures). */
  readonly frameNumber?: number;
  /** Longest side in pixels; absent keeps the size. */
  readonly maxEdge?: number;
}

/** One frame for a viewer: the picture and what was found in that very picture. */
export interface LiveFrame {
  readonly picture: Picture;
  readonly result: FrameResult;
}

/** How a pipeline is doing. */
export interface PipelineFigures {
  readonly state: PipelineState;
  readonly reason?: string;
  /** Results per second over the last 3 seconds. */
  readonly fps: number;
  readonly framesProcessed: number;
  /** Frames that were there and were not run, because the machine was behind or `maxFps` left them out; pauses do not count. */
  readonly framesDropped: number;
}

/** A workflow running on one source, in a thread of its own. */
export interface Pipeline {
  figures(): PipelineFigures;
  /** The last results, oldest first; at most 256 are kept. */
  latest(count: number): readonly FrameResult[];
  picture(request?: PictureRequest): Promise<Picture | undefined>;
  /**
   * While at least one viewer is there frames are encoded, as fast as they are shown. `onFrame` must not throw.
   * Returns the way to leave, which may be called twice.
   */
  view(onFrame: (frame: LiveFrame) => void): () => void;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Resolves when the thread is gone. May be called twice. */
  stop(): Promise<void>;
  /** Resolves when the pipeline ended by itself, failed or was stopped; never rejects. */
  readonly ended: Promise<PipelineFigures>;
}
