// options → thread → running pipeline
import { extname } from "node:path";
import { inputError } from "../errors.ts";
import { CameraThreads, type TaskLine, type TaskListener, type ThreadOptions } from "./camera-threads.ts";
import type { Pipeline, PipelineOptions } from "./pipeline.ts";
import type { ThreadTask } from "./thread-messages.ts";
import { ThreadPipeline } from "./thread-pipeline.ts";

export const STANDARD_THREAD: ThreadOptions = {
  module: new URL(`./pipeline.worker${extname(import.meta.filename)}`, import.meta.url),
  graceMs: 2000,
  settings: {},
};

const STANDARD_MAX_FPS = 30;

/**
 * Runs a workflow on a source, in the thread that reads its camera. Resolves when the source is open and the workflow compiled.
 * Throws `EngineError`: kind `workflow` with all problems, `source` with the reason, `model` or `input`.
 * A source that is lost later is tried again for as long as the pipeline runs.
 */
export async function startPipeline(
  options: PipelineOptions,
  threads = new CameraThreads(STANDARD_THREAD),
): Promise<Pipeline> {
  const task = toTask("pipeline", options);
  const open = (listener: TaskListener): TaskLine => threads.open(task, listener);
  const pipeline = new ThreadPipeline({ ...options, open, now: () => performance.now() });
  try {
    await pipeline.ready;
    return pipeline;
  } catch (error) {
    await pipeline.stop();
    throw error;
  }
}

export function toTask(kind: ThreadTask["kind"], options: PipelineOptions): ThreadTask {
  const { sourceId, source, masks, pieces, recordTo, moreSources = [], workflow, parameters = {} } = options;
  const { maxFps = STANDARD_MAX_FPS, maxFrames, buffer = {}, timing = "live", motionGate = "auto" } = options;
  if (!(maxFps > 0)) {
    throw inputError(`maxFps must be a number above 0, not ${maxFps}.`);
  }
  if (maxFrames !== undefined && !(Number.isInteger(maxFrames) && maxFrames > 0)) {
    throw inputError(`maxFrames must be a whole number above 0, not ${maxFrames}.`);
  }
  const first = { sourceId, source, masks, ...(pieces && { pieces }), ...(recordTo !== undefined && { recordTo }) };
  const sources = [first, ...moreSources];
  const twice = sources.find((one, at) => sources.findIndex((other) => other.sourceId === one.sourceId) !== at);
  if (twice !== undefined) {
    throw inputError(`Two sources have the name "${twice.sourceId}".`);
  }
  const fps = timing === "replay" ? (options.maxFps ?? Number.POSITIVE_INFINITY) : maxFps;
  const task = { kind, sources, workflow, parameters, maxFps: fps, buffer, timing, motionGate };
  return maxFrames === undefined ? task : { ...task, maxFrames };
}
