// error in one thread → the same error in another
import type { MessagePort } from "node:worker_threads";
import type {
  FrameResult,
  Json,
  PipelineState,
  ProbeFailure,
  WorkflowProblem,
  WorkflowSpec,
} from "@vision-agent/protocol";
import type { OutgoingPicture } from "../blocks/effects.ts";
import { EngineError, type EngineErrorKind } from "../errors.ts";
import type { Frame, PixelPicture } from "../frames/frame.ts";
import type { PooledFrame } from "../frames/frame-pool.ts";
import type { JpegOptions, JpegPicture } from "../frames/jpeg.ts";
import type { InferenceLink } from "../models/inference-threads/inference-messages.ts";
import type { DropCounts } from "../sources/frame-source.ts";
import type { CameraHealthChange } from "../sources/health-monitor.ts";
import type { CompiledWorkflow } from "../workflow/workflow.ts";
import type { EngineSettings, Picture, PictureRequest, PipelineOptions, PipelineSource } from "./pipeline.ts";
import type { CameraGuest } from "./shared-camera.ts";
import type { SourceFeed } from "./source-set.ts";
import type { WeakLooks } from "./weak-looks.ts";

/** What a thread is told when it is made. */
export interface ThreadSetup {
  readonly settings: EngineSettings;
  /** The owner is asked before a picture leaves through a sink. */
  readonly asksForPictures: boolean;
  /** The way to the threads that run models; absent runs none. */
  readonly inference?: InferenceLink | undefined;
}

/** To the thread itself: one more task with a line of its own, whether it still answers, or the end. */
export type ThreadOrder =
  | { readonly type: "run"; readonly task: ThreadTask; readonly port: MessagePort }
  | { readonly type: "ping" }
  | { readonly type: "leave" };

/** What a thread does. */
export interface ThreadTask
  extends Required<Pick<PipelineOptions, "workflow" | "parameters" | "maxFps" | "buffer" | "timing" | "motionGate">>,
    Pick<PipelineOptions, "maxFrames"> {
  readonly kind: "pipeline" | "once";
  /** At least one; the first is the pipeline's own. */
  readonly sources: readonly PipelineSource[];
  /** Bytes of a picture to look at once, in place of a frame of the source. */
  readonly picture?: Uint8Array;
}

/** To a task. Requests with an id are answered with that id. */
export type ThreadRequest =
  | { readonly type: "picture"; readonly id: number; readonly request: PictureRequest }
  | { readonly type: "add_source"; readonly id: number; readonly source: PipelineSource }
  | { readonly type: "remove_source"; readonly id: number; readonly sourceId: string }
  | {
      readonly type: "push";
      readonly sourceId: string;
      readonly width: number;
      readonly height: number;
      /** In shared memory. */
      readonly rgba: Uint8ClampedArray;
      readonly takenAt: number;
    }
  | { readonly type: "pause"; readonly id: number }
  | { readonly type: "resume"; readonly id: number }
  | { readonly type: "view"; readonly on: boolean }
  /** A result has been taken; one more may come. */
  | { readonly type: "taken" }
  /** A live picture has been shown; the next may come. */
  | { readonly type: "shown" }
  /** May the picture of that question leave? */
  | { readonly type: "picture_allowed"; readonly id: number; readonly allowed: boolean }
  | { readonly type: "stop" };

/** From a task. */
export type ThreadReport =
  /** The source is open and the workflow compiled. */
  | { readonly type: "ready" }
  | { readonly type: "refused"; readonly error: ThreadError }
  | { readonly type: "state"; readonly state: PipelineState; readonly reason?: string }
  | { readonly type: "health"; readonly sourceId: string; readonly health: CameraHealthChange }
  | { readonly type: "result"; readonly result: FrameResult; readonly drops: DropCounts }
  | { readonly type: "live"; readonly result: FrameResult; readonly picture: Picture }
  /** What can still be asked for when the thread is gone. */
  | { readonly type: "last"; readonly pictures: readonly LastPicture[] }
  | { readonly type: "once"; readonly result: FrameResult; readonly picture: Picture; readonly annotated?: Picture }
  | { readonly type: "answer"; readonly id: number; readonly picture?: Picture }
  | { readonly type: "may_send"; readonly id: number; readonly picture: OutgoingPicture }
  | { readonly type: "sink_failed"; readonly message: string }
  /** The task has let go of everything; nothing comes after it. */
  | { readonly type: "over" }
  | { readonly type: "no_answer"; readonly id: number; readonly error: ThreadError };

/** A picture of the last frame of a source; `output` is absent for the frame as the camera saw it. */
export interface LastPicture {
  readonly output?: string;
  readonly picture: Picture;
}

/** The task's end of its line; a `MessagePort` fits. */
export interface ThreadPort {
  postMessage(report: ThreadReport, transfer?: readonly ArrayBuffer[]): void;
  on(event: "message", listener: (request: ThreadRequest) => void): unknown;
}

/** The memory that moves to the other side with its message. */
export function memoryOf(...pictures: readonly (Picture | undefined)[]): ArrayBuffer[] {
  return pictures.flatMap((picture) => (picture === undefined ? [] : [picture.jpeg.buffer as ArrayBuffer]));
}

export interface ThreadError {
  readonly kind: EngineErrorKind;
  readonly message: string;
  readonly reason?: ProbeFailure;
  readonly problems: readonly WorkflowProblem[];
}

export function toWireError(error: unknown): ThreadError {
  if (!(error instanceof EngineError)) {
    return { kind: "internal", message: error instanceof Error ? error.message : String(error), problems: [] };
  }
  const { kind, message, reason, problems } = error;
  return { kind, message, problems, reason };
}

/** What a task is made of; tests hand in their own. */
export interface ThreadParts {
  /** A way to the frames of a source, which others may look at, too. */
  readonly createFeed: (source: PipelineSource, guest: CameraGuest) => SourceFeed<PooledFrame>;
  /** Throws `EngineError` kind `source` when the bytes are no picture. */
  readonly decodePicture: (bytes: Uint8Array, sourceId: string) => Promise<Frame>;
  readonly compile: (spec: WorkflowSpec, parameters: { readonly [name: string]: Json }) => Promise<CompiledWorkflow>;
  readonly encodeJpeg: (source: PixelPicture, options: JpegOptions) => Promise<JpegPicture>;
  /** Gives a frame of the owner to the source that waits for it. */
  readonly push: (frame: Extract<ThreadRequest, { type: "push" }>) => void;
  /** What models found in a frame and left out. Absent: nobody knows. */
  readonly weakOf?: WeakLooks["of"];
  /** Most frames inside the workflow at a time. */
  readonly overlap: number;
  /** Whether enough waits for the models: a second frame of the same pipeline would only grow old. */
  readonly isLoaded?: () => boolean;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Lets go of what the task holds. */
  readonly close: () => Promise<void>;
}
