// options → thread → running pipeline
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import "../native-libraries.ts";
import { inputError } from "../errors.ts";
import type { InferenceLink } from "../models/inference-threads/inference-messages.ts";
import type { InferencePool } from "../models/inference-threads/inference-pool.ts";
import type { EngineSettings, Pipeline, PipelineOptions, SinkHooks } from "./pipeline.ts";
import type { ThreadReport, ThreadRequest, ThreadTask } from "./thread-messages.ts";
import { ThreadPipeline } from "./thread-pipeline.ts";

/** How threads are made; tests hand in their own. */
export interface ThreadOptions {
  /** Module that the thread runs. */
  readonly module: URL;
  /** Time in milliseconds that a stopped thread has to leave by itself. */
  readonly graceMs: number;
  readonly settings: EngineSettings;
  /** Threads that run models for all pipelines; absent runs no models but `sim/truth`. */
  readonly inference?: InferencePool;
  readonly sinks?: SinkHooks;
}

export const STANDARD_THREAD: ThreadOptions = {
  module: new URL(`./pipeline.worker${extname(import.meta.filename)}`, import.meta.url),
  graceMs: 2000,
  settings: {},
};

const STANDARD_MAX_FPS = 30;

/**
 * What a frame leaves behind is garbage at once: a small nursery, swept often, is all that a thread needs.
 * V8's own limit lets it grow to four times that, in each thread, in the course of minutes.
 */
const YOUNG_GENERATION_MB = 24;

/**
 * Runs a workflow on a source in a thread of its own. Resolves when the source is open and the workflow compiled.
 * Throws `EngineError`: kind `workflow` with all problems, `source` with the reason, `model` or `input`.
 * A source that is lost later is tried again for as long as the pipeline runs.
 */
export async function startPipeline(options: PipelineOptions, thread = STANDARD_THREAD): Promise<Pipeline> {
  const worker = openThread(toTask("pipeline", options), thread);
  const pipeline = new ThreadPipeline({ ...options, worker, graceMs: thread.graceMs, now: () => performance.now() });
  try {
    await pipeline.ready;
    return pipeline;
  } catch (error) {
    await pipeline.stop();
    throw error;
  }
}

/** What a task is before it has its thread. */
export type ThreadPlan = Omit<ThreadTask, "settings" | "inference" | "asksForPictures">;

export function openThread(plan: ThreadPlan, { module, settings, inference, sinks = {} }: ThreadOptions): Worker {
  const link: InferenceLink | undefined = inference?.connect();
  const asksForPictures = sinks.allowPicture !== undefined;
  const task: ThreadTask = { ...plan, settings, asksForPictures, inference: link };
  const { sourceId } = plan.sources[0]!;
  const worker = new Worker(module, {
    workerData: task,
    name: sourceId,
    transferList: [...(link?.ports ?? [])],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  worker.on("message", (report: ThreadReport) => {
    if (report.type === "sink_failed") sinks.onSinkFailure?.(sourceId, report.message);
    if (report.type === "may_send") void answerQuestion(worker, report, sinks);
  });
  return worker;
}

type PictureQuestion = Extract<ThreadReport, { type: "may_send" }>;

/** Who cannot be asked has not allowed it. */
async function answerQuestion(worker: Worker, { id, picture }: PictureQuestion, sinks: SinkHooks): Promise<void> {
  const sourceId = picture.camera ?? picture.sink;
  const allowed = await Promise.resolve(sinks.allowPicture?.(picture)).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    sinks.onSinkFailure?.(sourceId, `Whether a picture may leave could not be asked: ${reason}`);
    return false;
  });
  worker.postMessage({ type: "picture_allowed", id, allowed: allowed === true } satisfies ThreadRequest);
}

export function toTask(kind: ThreadTask["kind"], options: PipelineOptions): ThreadPlan {
  const { sourceId, source, masks, moreSources = [], workflow, parameters = {} } = options;
  const { maxFps = STANDARD_MAX_FPS, maxFrames, buffer = {}, timing = "live", motionGate = "auto" } = options;
  if (!(maxFps > 0)) {
    throw inputError(`maxFps must be a number above 0, not ${maxFps}.`);
  }
  if (maxFrames !== undefined && !(Number.isInteger(maxFrames) && maxFrames > 0)) {
    throw inputError(`maxFrames must be a whole number above 0, not ${maxFrames}.`);
  }
  const sources = [{ sourceId, source, masks }, ...moreSources];
  const twice = sources.find((one, at) => sources.findIndex((other) => other.sourceId === one.sourceId) !== at);
  if (twice !== undefined) {
    throw inputError(`Two sources have the name "${twice.sourceId}".`);
  }
  const fps = timing === "replay" ? (options.maxFps ?? Number.POSITIVE_INFINITY) : maxFps;
  const task = { kind, sources, workflow, parameters, maxFps: fps, buffer, timing, motionGate };
  return maxFrames === undefined ? task : { ...task, maxFrames };
}
