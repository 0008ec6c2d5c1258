// options → thread → running pipeline
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { EngineError } from "../errors.ts";
import type { Pipeline, PipelineOptions } from "./pipeline.ts";
import type { ThreadTask } from "./thread-messages.ts";
import { ThreadPipeline } from "./thread-pipeline.ts";

/** How threads are made; tests hand in their own. */
export interface ThreadOptions {
  /** Module that the thread runs. */
  readonly module: URL;
  /** Time in milliseconds that a stopped thread has to leave by itself. */
  readonly graceMs: number;
}

export const STANDARD_THREAD: ThreadOptions = {
  module: new URL(`./pipeline.worker${extname(import.meta.filename)}`, import.meta.url),
  graceMs: 2000,
};

const STANDARD_MAX_FPS = 30;

/**
 * Runs a workflow on a source in a thread of its own. Resolves when the source is open and the workflow compiled.
 * Throws `EngineError`: kind `workflow` with all problems, `source` with the reason, `model` or `input`.
 * A source that is lost later is tried again for as long as the pipeline runs.
 */
export async function startPipeline(options: PipelineOptions, thread = STANDARD_THREAD): Promise<Pipeline> {
  const worker = openThread(toTask("pipeline", options), thread);
  const pipeline = new ThreadPipeline({
    worker,
    graceMs: thread.graceMs,
    now: () => performance.now(),
    ...(options.onResult === undefined ? {} : { onResult: options.onResult }),
    ...(options.onState === undefined ? {} : { onState: options.onState }),
  });
  try {
    await pipeline.ready;
    return pipeline;
  } catch (error) {
    await pipeline.stop();
    throw error;
  }
}

export function openThread(task: ThreadTask, { module }: ThreadOptions): Worker {
  return new Worker(module, { workerData: task, name: task.sourceId });
}

export function toTask(
  kind: ThreadTask["kind"],
  options: Pick<PipelineOptions, "sourceId" | "source" | "workflow" | "parameters" | "maxFps" | "maxFrames">,
): ThreadTask {
  const { sourceId, source, workflow, parameters = {}, maxFps = STANDARD_MAX_FPS, maxFrames } = options;
  if (!(maxFps > 0)) {
    throw new EngineError({ kind: "input", message: `maxFps must be a number above 0, not ${maxFps}.` });
  }
  if (maxFrames !== undefined && !(Number.isInteger(maxFrames) && maxFrames > 0)) {
    throw new EngineError({ kind: "input", message: `maxFrames must be a whole number above 0, not ${maxFrames}.` });
  }
  const task = { kind, sourceId, source, workflow, parameters, maxFps };
  return maxFrames === undefined ? task : { ...task, maxFrames };
}
