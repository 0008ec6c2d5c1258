import type { FrameResult, OutputValue, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import {
  EngineError,
  type LiveFrame,
  type Picture,
  type PipelineFigures,
  type PipelineOptions,
} from "@vision-agent/vision-engine";
import type { Engine, RunningPipeline } from "./direct.ts";

/** One pipeline of the fake engine, moved by hand. */
export interface FakePipeline extends RunningPipeline {
  readonly options: PipelineOptions;
  readonly stopped: boolean;
  readonly viewers: number;
  /** One frame goes through with these outputs. `atMs` is its capture time since 1970; default one frame each 100 ms. */
  emit(outputs?: Readonly<Record<string, OutputValue>>, atMs?: number): FrameResult;
  become(state: PipelineFigures["state"], reason?: string): void;
}

export interface FakeEngine extends Engine {
  /** Every pipeline that was ever started, oldest first. */
  readonly pipelines: readonly FakePipeline[];
  /** While set, starting fails with it. */
  failure: EngineError | undefined;
}

/**
 * An engine for tests: no threads, no pixels, frames on demand. Sources that begin with `sim://` open, others do not;
 * a step whose type begins with `roboflow_core/` or none is a valid workflow.
 */
export function createFakeEngine(): FakeEngine {
  const pipelines: FakePipeline[] = [];
  const engine: FakeEngine = {
    pipelines,
    failure: undefined,
    validateWorkflow,
    startPipeline: async (options) => {
      refuse(options.workflow, options.source, engine.failure);
      const pipeline = createFakePipeline(options);
      pipelines.push(pipeline);
      return pipeline;
    },
    runOnce: async ({ sourceId, source, workflow, signal }) => {
      refuse(workflow, source, engine.failure);
      signal?.throwIfAborted();
      const result = frameResult({ sourceId, frameNumber: 1, atMs: 0, outputs: {} });
      return { result, picture: pictureOf(result) };
    },
  };
  return engine;
}

function createFakePipeline(options: PipelineOptions): FakePipeline {
  const results: FrameResult[] = [];
  const viewers = new Set<(frame: LiveFrame) => void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<PipelineFigures>();
  let figures: PipelineFigures = {
    state: "running",
    fps: 0,
    framesProcessed: 0,
    framesDropped: 0,
    drops: { buffer_full: 0, not_taken_in_time: 0, consumer_behind: 0, rate_limit: 0, decode_error: 0 },
    resultsLost: 0,
    health: {},
  };
  let stopped = false;
  const become = (state: PipelineFigures["state"], reason?: string): void => {
    figures = { ...figures, state, reason };
    options.onState?.(state, reason);
    if (state === "failed" || state === "ended" || state === "stopped") end(figures);
  };
  return {
    options,
    ended,
    get stopped() {
      return stopped;
    },
    get viewers() {
      return viewers.size;
    },
    become,
    emit: (outputs = {}, atMs = Date.UTC(2026, 0, 1) + results.length * 100) => {
      const frameNumber = figures.framesProcessed + 1;
      const result = frameResult({ sourceId: options.sourceId, frameNumber, atMs, outputs });
      results.push(result);
      figures = { ...figures, framesProcessed: frameNumber, fps: 10 };
      options.onResult?.(result);
      for (const viewer of viewers) viewer({ picture: pictureOf(result), result });
      return result;
    },
    figures: () => figures,
    latest: (count) => (count > 0 ? results.slice(-count) : []),
    picture: async (request) => {
      const { frameNumber } = request ?? {};
      const result =
        frameNumber === undefined ? results.at(-1) : results.find((one) => one.frame.frame_number === frameNumber);
      return result && pictureOf(result);
    },
    view: (onFrame) => {
      viewers.add(onFrame);
      return () => void viewers.delete(onFrame);
    },
    pause: async () => become("paused"),
    resume: async () => become("running"),
    stop: async () => {
      if (!stopped) become("stopped");
      stopped = true;
    },
  };
}

function refuse(workflow: WorkflowSpec, source: string, failure: EngineError | undefined): void {
  if (failure) throw failure;
  const problems = validateWorkflow(workflow);
  if (problems.length > 0) throw new EngineError({ kind: "workflow", message: "The workflow is wrong.", problems });
  if (!source.startsWith("sim://")) {
    throw new EngineError({ kind: "source", reason: "unknown_scheme", message: `Nothing opens ${source}.` });
  }
}

function validateWorkflow(spec: WorkflowSpec): readonly WorkflowProblem[] {
  return spec.steps
    .filter(({ type }) => !type.startsWith("roboflow_core/"))
    .map(({ name, type }) => ({ step: name, property: "type", message: `There is no block ${type}.` }));
}

function frameResult(options: {
  readonly sourceId: string;
  readonly frameNumber: number;
  readonly atMs: number;
  readonly outputs: Readonly<Record<string, OutputValue>>;
}): FrameResult {
  const { sourceId, frameNumber, atMs, outputs } = options;
  return {
    frame: {
      source_id: sourceId,
      frame_number: frameNumber,
      timestamp: new Date(atMs).toISOString(),
      width: 960,
      height: 540,
      fps: 10,
    },
    outputs,
    latency_ms: 5,
  };
}

function pictureOf({ frame }: FrameResult): Picture {
  const jpeg = new TextEncoder().encode(`${frame.source_id} ${frame.frame_number}`);
  return { jpeg, width: frame.width, height: frame.height, frame };
}
