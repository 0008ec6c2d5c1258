import type { FrameMetadata, FrameResult, Json, PipelineState, WorkflowSpec } from "@vision-agent/protocol";
import type { Picture, PictureRequest } from "./pipeline.ts";
import type { WireError } from "./wire-error.ts";

/** What a thread is started for. */
export interface ThreadTask {
  readonly kind: "pipeline" | "once";
  readonly sourceId: string;
  readonly source: string;
  readonly workflow: WorkflowSpec;
  readonly parameters: { readonly [name: string]: Json };
  readonly maxFps: number;
  /** Absent runs on. */
  readonly maxFrames?: number;
}

/** To the thread. Requests with an id are answered with that id. */
export type ThreadRequest =
  | { readonly type: "picture"; readonly id: number; readonly request: PictureRequest }
  | { readonly type: "pause"; readonly id: number }
  | { readonly type: "resume"; readonly id: number }
  | { readonly type: "view"; readonly on: boolean }
  /** A result has been taken; one more may come. */
  | { readonly type: "taken" }
  /** A live picture has been shown; the next may come. */
  | { readonly type: "shown" }
  | { readonly type: "stop" };

/** From the thread. */
export type ThreadReport =
  /** The source is open and the workflow compiled. */
  | { readonly type: "ready" }
  | { readonly type: "refused"; readonly error: WireError }
  | { readonly type: "state"; readonly state: PipelineState; readonly reason?: string }
  | { readonly type: "result"; readonly result: FrameResult; readonly framesDropped: number }
  | { readonly type: "live"; readonly result: FrameResult; readonly picture: Picture }
  | { readonly type: "once"; readonly result: FrameResult; readonly picture: Picture; readonly annotated?: Picture }
  | { readonly type: "answer"; readonly id: number; readonly picture?: Picture }
  | { readonly type: "no_answer"; readonly id: number; readonly error: WireError };

/** The thread's end of the line; a `MessagePort` fits. */
export interface ThreadPort {
  postMessage(report: ThreadReport, transfer?: readonly ArrayBuffer[]): void;
  on(event: "message", listener: (request: ThreadRequest) => void): unknown;
  close(): void;
}

/** The memory that moves to the other side with its message. */
export function memoryOf(...pictures: readonly (Picture | undefined)[]): ArrayBuffer[] {
  return pictures.flatMap((picture) => (picture === undefined ? [] : [picture.jpeg.buffer as ArrayBuffer]));
}

/** Joins an encoded picture with its frame, in memory of its own so that it can be moved. */
export function toPicture(encoded: { jpeg: Uint8Array; width: number; height: number }, frame: FrameMetadata): Picture {
  return { jpeg: new Uint8Array(encoded.jpeg), width: encoded.width, height: encoded.height, frame };
}
