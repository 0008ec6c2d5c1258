// one engine → all its pipelines, with one set of threads for their models

import type { FrameResult, Json, WorkflowSpec } from "@vision-agent/protocol";
import { EngineError, inputError } from "../errors.ts";
import type { Polygon } from "../geometry/polygons.ts";
import { createInferencePool } from "../models/inference-threads/inference-pool.ts";
import { CameraThreads } from "./camera-threads.ts";
import type { EngineSettings, Picture, Pipeline, PipelineFigures, PipelineOptions, SinkHooks } from "./pipeline.ts";
import { STANDARD_THREAD, startPipeline, toTask } from "./start-pipeline.ts";

/** How an engine is set up. */
export interface EngineOptions extends EngineSettings, SinkHooks {
  /** Threads that run models, each on one core. Default: 2, on large machines half the cores and at most 4. */
  readonly inferenceThreads?: number;
}

/** Cameras in, results out. Models are loaded once and shared by everything that runs here. */
export interface VisionEngine {
  /** See `startPipeline`. */
  startPipeline(options: PipelineOptions): Promise<Pipeline>;
  /** See `runOnce`. */
  runOnce(options: RunOnceOptions): Promise<RunOnceResult>;
  /** See `replay`. */
  replay(options: ReplayOptions): Promise<PipelineFigures>;
  /** Stops all that runs here and lets the models go; what is asked for later is refused. May be called twice. */
  close(): Promise<void>;
}

export function createEngine(options: EngineOptions = {}): VisionEngine {
  const { inferenceThreads, allowPicture, onSinkFailure, ...settings } = options;
  const inference = createInferencePool(inferenceThreads === undefined ? {} : { threads: inferenceThreads });
  const sinks: SinkHooks = { allowPicture, onSinkFailure };
  const threads = new CameraThreads({ ...STANDARD_THREAD, settings, inference, sinks });
  const running = new Set<Pipeline>();
  const closing = new AbortController();
  const untilClosed = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
  return {
    async startPipeline(wanted) {
      closing.signal.throwIfAborted();
      const pipeline = await startPipeline(wanted, threads);
      running.add(pipeline);
      void pipeline.ended.then(() => running.delete(pipeline));
      // It was starting when the engine was closed.
      if (closing.signal.aborted) await pipeline.stop();
      closing.signal.throwIfAborted();
      return pipeline;
    },
    runOnce: (wanted) => runOnce({ ...wanted, signal: untilClosed(wanted.signal) }, threads),
    replay: (wanted) => replay({ ...wanted, signal: untilClosed(wanted.signal) }, threads),
    async close() {
      closing.abort(inputError("The engine was closed. Create another one."));
      await Promise.all([...running].map((pipeline) => pipeline.stop()));
      await inference.close();
    },
  };
}

/** A recording and what to run on it. */
export interface ReplayOptions
  extends Pick<
    PipelineOptions,
    "sourceId" | "source" | "masks" | "pieces" | "workflow" | "parameters" | "maxFps" | "maxFrames"
  > {
  /** Called for each result in order. Must not throw. */
  readonly onResult: (result: FrameResult) => void;
  /** Ends the replay early. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a workflow over a file or a simulated scene: every frame, dated by the recording, on a clock that stands still
 * between frames. The same input gives the same output, byte for byte.
 * Throws `EngineError` as `startPipeline` does or when a frame fails, or the reason of the signal.
 */
export async function replay(options: ReplayOptions, threads?: CameraThreads): Promise<PipelineFigures> {
  const { signal, ...wanted } = options;
  signal?.throwIfAborted();
  const starting = startPipeline({ ...wanted, timing: "replay", motionGate: "off" }, threads);
  const pipeline = await starting.catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  const stop = (): void => void pipeline.stop();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const figures = await pipeline.ended;
    signal?.throwIfAborted();
    if (figures.state === "failed") {
      throw new EngineError({ kind: "internal", message: figures.reason ?? "The replay failed." });
    }
    return figures;
  } finally {
    signal?.removeEventListener("abort", stop);
    await pipeline.stop();
  }
}

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
  /** Parts of the camera's picture that nobody may see; points are fractions of width and height. */
  readonly masks?: readonly Polygon[];
  /** Where its stream is copied to, so that a camera which is read already is the same one. */
  readonly recordTo?: string;
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
 * Takes one frame of a source, or decodes a picture, and runs a workflow on it. A camera that is read already is not
 * opened again.
 * Throws `EngineError` as `startPipeline` does, or the reason of the signal.
 */
export async function runOnce(
  options: RunOnceOptions,
  threads = new CameraThreads(STANDARD_THREAD),
): Promise<RunOnceResult> {
  const { signal, picture, source = "" } = options;
  signal?.throwIfAborted();
  const task = toTask("once", { ...options, source });
  const { promise, resolve, reject } = Promise.withResolvers<RunOnceResult>();
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const line = threads.open(picture === undefined ? task : { ...task, picture }, {
    onReport(report) {
      if (report.type === "refused") reject(new EngineError(report.error));
      if (report.type === "once") {
        const { result, picture, annotated } = report;
        resolve({ result, picture, annotated });
      }
    },
    onBroken: (cause) => reject(new EngineError({ kind: "internal", message: String(cause), cause })),
  });
  void line.gone.then(() => reject(new EngineError({ kind: "internal", message: "The thread left without a word." })));
  try {
    return await promise;
  } finally {
    signal?.removeEventListener("abort", abort);
    await line.end();
  }
}
