// source or picture → frame → workflow → result and pictures
import type { Worker } from "node:worker_threads";
import type { FrameResult, Json, WorkflowSpec } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";
import type { Picture } from "./pipeline.ts";
import { openThread, STANDARD_THREAD, toTask } from "./start-pipeline.ts";
import type { ThreadReport, ThreadRequest } from "./thread-messages.ts";
import { toEngineError } from "./wire-error.ts";

/** One look through one camera, or at one picture. */
export type RunOnceOptions = OnceOptions & OnceImage;

/** What is looked at. */
export type OnceImage =
  /** Address of the source, credentials included. */
  | { readonly source: string; readonly picture?: undefined }
  /** An encoded picture: JPEG, PNG, WebP, GIF, TIFF or AVIF. */
  | { readonly picture: Uint8Array; readonly source?: undefined };

interface OnceOptions {
  /** Name of the camera or the picture, used as `source_id`. */
  readonly sourceId: string;
  readonly workflow: WorkflowSpec;
  /** Values for the workflow's parameters. */
  readonly parameters?: { readonly [name: string]: Json };
  /** Ends the wait for a frame. */
  readonly signal?: AbortSignal;
}

/** What was seen in one frame. */
export interface RunOnceResult {
  readonly result: FrameResult;
  /** The frame as the camera saw it. */
  readonly picture: Picture;
  /** The first picture among the workflow's outputs. */
  readonly annotated?: Picture;
}

/**
 * Takes one frame of a source, or decodes a picture, and runs a workflow on it, in a thread that ends with it.
 * Throws `EngineError` as `startPipeline` does, or the reason of the signal.
 */
export async function runOnce(options: RunOnceOptions, thread = STANDARD_THREAD): Promise<RunOnceResult> {
  const { signal, picture, source = "" } = options;
  signal?.throwIfAborted();
  const plan = toTask("once", { ...options, source });
  const worker = openThread(picture === undefined ? plan : { ...plan, picture }, thread);
  const { promise, resolve, reject } = Promise.withResolvers<RunOnceResult>();
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  worker.on("message", (report: ThreadReport) => {
    if (report.type === "refused") reject(toEngineError(report.error));
    if (report.type === "once") {
      const { result, picture, annotated } = report;
      resolve({ result, picture, annotated });
    }
  });
  worker.on("error", (cause) => reject(new EngineError({ kind: "internal", message: String(cause), cause })));
  const gone = Promise.withResolvers<void>();
  worker.on("exit", () => {
    gone.resolve();
    reject(new EngineError({ kind: "internal", message: "The thread left without a word." }));
  });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener("abort", abort);
    await leave(worker, gone.promise, thread.graceMs);
  }
}

/** Native code that is cut off in its work can end the whole process: the thread goes by itself if it can. */
async function leave(worker: Worker, gone: Promise<void>, graceMs: number): Promise<void> {
  worker.postMessage({ type: "stop" } satisfies ThreadRequest);
  const limit = setTimeout(() => void worker.terminate(), graceMs);
  await gone;
  clearTimeout(limit);
}
