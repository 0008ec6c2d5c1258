// one engine → all its pipelines, with one set of threads for their models
import { EngineError } from "../errors.ts";
import { createInferencePool } from "../models/inference-threads/inference-pool.ts";
import type { EngineSettings } from "./engine-settings.ts";
import type { Pipeline, PipelineFigures, PipelineOptions } from "./pipeline.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import { type RunOnceOptions, type RunOnceResult, runOnce } from "./run-once.ts";
import { STANDARD_THREAD, startPipeline, type ThreadOptions } from "./start-pipeline.ts";

/** How an engine is set up. */
export interface EngineOptions extends EngineSettings {
  /** Threads that run models, each on one core. Default: 2, on large machines half the cores and at most 4. */
  readonly inferenceThreads?: number;
}

/** Cameras in, results out. Models are loaded once and shared by everything that runs here. */
export interface Engine {
  /** See `startPipeline`. */
  startPipeline(options: PipelineOptions): Promise<Pipeline>;
  /** See `runOnce`. */
  runOnce(options: RunOnceOptions): Promise<RunOnceResult>;
  /** See `replay`. */
  replay(options: ReplayOptions): Promise<PipelineFigures>;
  /** Stops all that runs here and lets the models go; what is asked for later is refused. May be called twice. */
  close(): Promise<void>;
}

export function createEngine(options: EngineOptions = {}): Engine {
  const { inferenceThreads, ...settings } = options;
  const inference = createInferencePool(inferenceThreads === undefined ? {} : { threads: inferenceThreads });
  const thread: ThreadOptions = { ...STANDARD_THREAD, settings, inference };
  const running = new Set<Pipeline>();
  const closing = new AbortController();
  const untilClosed = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
  return {
    async startPipeline(wanted) {
      closing.signal.throwIfAborted();
      const pipeline = await startPipeline(wanted, thread);
      running.add(pipeline);
      void pipeline.ended.then(() => running.delete(pipeline));
      // It was starting when the engine was closed.
      if (closing.signal.aborted) await pipeline.stop();
      closing.signal.throwIfAborted();
      return pipeline;
    },
    runOnce: (wanted) => runOnce({ ...wanted, signal: untilClosed(wanted.signal) }, thread),
    replay: (wanted) => replay({ ...wanted, signal: untilClosed(wanted.signal) }, thread),
    async close() {
      closing.abort(new EngineError({ kind: "input", message: "The engine was closed. Create another one." }));
      await Promise.all([...running].map((pipeline) => pipeline.stop()));
      await inference.close();
    },
  };
}
