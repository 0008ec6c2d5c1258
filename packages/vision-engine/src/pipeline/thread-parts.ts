import type { Json, WorkflowSpec } from "@vision-agent/protocol";
import type { Frame, Motion } from "../frames/frame.ts";
import type { JpegOptions, JpegPicture, JpegSource } from "../frames/jpeg.ts";
import type { CompiledWorkflow } from "../workflow/workflow.ts";
import type { SourceFeed } from "./source-set.ts";
import type { ThreadRequest } from "./thread-messages.ts";

/** What a thread is made of; tests hand in their own. */
export interface ThreadParts {
  readonly createFeed: (sourceId: string, address: string, onLost: (reason: string) => void) => SourceFeed;
  /** Throws `EngineError` kind `source` when the bytes are no picture. */
  readonly decodePicture: (bytes: Uint8Array, sourceId: string) => Promise<Frame>;
  readonly compile: (spec: WorkflowSpec, parameters: { readonly [name: string]: Json }) => Promise<CompiledWorkflow>;
  readonly encodeJpeg: (source: JpegSource, options: JpegOptions) => Promise<JpegPicture>;
  /** Gives a frame of the owner to the source that waits for it. */
  readonly push: (frame: Extract<ThreadRequest, { type: "push" }>) => void;
  /** Says what moved from frame to frame of one source; absent when nobody wants to know. */
  readonly motion: (sourceId: string) => ((frame: Frame) => Motion) | undefined;
  /** Most frames inside the workflow at a time. */
  readonly overlap: number;
  /** The time of a source: milliseconds since 1970, in a replay those of the recording. */
  readonly wallClock: (sourceId: string) => number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Lets go of what the thread holds: lines to other threads. */
  readonly close: () => Promise<void>;
}
