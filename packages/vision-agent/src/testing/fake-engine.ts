import type { BackendName, FrameResult, OutputValue, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import {
  type CameraHealth,
  EngineError,
  type LiveFrame,
  type Picture,
  type PipelineFigures,
  type PipelineOptions,
} from "@vision-agent/vision-engine";
import { BackendError, type InferenceBackend } from "../backends/backend.ts";
import { createDirectBackend, type EnginePipeline, type LocalEngine, type RunOnceRequest } from "../backends/direct.ts";
import type { SavedWorkflows } from "../backends/saved-workflows.ts";
import { type Backends, createBackends } from "../backends/select-backend.ts";

/** One pipeline of the fake engine, moved by hand. */
export interface FakePipeline extends EnginePipeline {
  readonly options: PipelineOptions;
  readonly stopped: boolean;
  readonly viewers: number;
  /** While set, stopping fails with it. */
  stopFailure: Error | undefined;
  /** One frame goes through with these outputs. `atMs` is its capture time since 1970; default one frame each 100 ms. */
  emit(outputs?: Readonly<Record<string, OutputValue>>, atMs?: number): FrameResult;
  become(state: PipelineFigures["state"], reason?: string): void;
  /** What the engine finds when it looks at the camera; undefined: all is well. */
  find(trouble: CameraHealth | undefined): void;
}

export interface FakeEngine extends LocalEngine {
  /** Every pipeline that was ever started, oldest first. */
  readonly pipelines: readonly FakePipeline[];
  /** What was looked at once, oldest first. */
  readonly looks: readonly RunOnceRequest[];
  /** Addresses that open. Default those that begin with `sim://`. */
  opens: RegExp;
  /** Outputs of a single look. */
  answer: Readonly<Record<string, OutputValue>>;
  /** JPEG that a single look gives as drawn picture; absent gives none. */
  draws: Uint8Array | undefined;
  /** While set, starting fails with it. */
  failure: EngineError | undefined;
}

/**
 * An engine for tests: no threads, no pixels, frames on demand. Sources that begin with `sim://` open;
 * a step whose type begins with `roboflow_core/` or none is a valid workflow.
 */
export function createFakeEngine(): FakeEngine {
  const pipelines: FakePipeline[] = [];
  const looks: RunOnceRequest[] = [];
  const engine: FakeEngine = {
    pipelines,
    looks,
    opens: /^sim:\/\//,
    answer: {},
    draws: undefined,
    failure: undefined,
    validateWorkflow,
    startPipeline: async (options) => {
      refuse(options, engine);
      const pipeline = createFakePipeline(options);
      pipelines.push(pipeline);
      return pipeline;
    },
    runOnce: async (request) => {
      const { sourceId, signal } = request;
      refuse(request, engine);
      signal?.throwIfAborted();
      looks.push(request);
      const result = frameResult({ sourceId, frameNumber: 1, atMs: 0, outputs: engine.answer });
      return {
        result,
        picture: pictureOf(result),
        ...(engine.draws && { annotated: { ...pictureOf(result), jpeg: engine.draws } }),
      };
    },
  };
  return engine;
}

function createFakePipeline(options: PipelineOptions): FakePipeline {
  const results: FrameResult[] = [];
  const viewers = new Set<(frame: LiveFrame) => void>();
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
  };
  const pipeline: FakePipeline = {
    options,
    stopFailure: undefined,
    get stopped() {
      return stopped;
    },
    get viewers() {
      return viewers.size;
    },
    become,
    find: (trouble) => {
      const change = trouble && { state: trouble, previous: "ok" as const, atMs: 0, message: trouble };
      figures = { ...figures, health: change ? { [options.sourceId]: change } : {} };
    },
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
      if (pipeline.stopFailure !== undefined) throw pipeline.stopFailure;
      if (!stopped) become("stopped");
      stopped = true;
    },
  };
  return pipeline;
}

/** The backends of a test: the direct one, and under other names what runs on further engines. */
export function backendsOn(engines: { readonly [name in BackendName]?: LocalEngine }): Backends {
  const named = Object.entries(engines).map(([name, engine]) => {
    const backend = createDirectBackend({ engine, savedWorkflows: fakeSavedWorkflows() });
    return [name, renamed(backend, name as BackendName)] as const;
  });
  return createBackends({
    configured: "direct",
    backends: Object.fromEntries(named),
    serversNamed: false,
    serversLocal: true,
    missingHere: () => [],
    modelsOnlyHere: () => [],
  });
}

/** A backend that goes by another name. */
export function renamed(backend: InferenceBackend, name: BackendName): InferenceBackend {
  return { ...backend, name };
}

/** Saved workflows by `workspace/id`; others are not found. */
export function fakeSavedWorkflows(
  saved: Readonly<Record<string, { readonly spec: WorkflowSpec; readonly note?: string }>> = {},
): SavedWorkflows {
  return {
    load: async (workspace, workflowId) => {
      const found = saved[`${workspace}/${workflowId}`];
      if (found !== undefined) return { ...found, fetchedAt: "2026-01-01T00:00:00.000Z" };
      throw new BackendError({ kind: "not_found", message: `Roboflow knows no workflow ${workspace}/${workflowId}.` });
    },
  };
}

function refuse(
  { workflow, source }: { readonly workflow: WorkflowSpec; readonly source?: string | undefined },
  { opens, failure }: FakeEngine,
): void {
  if (failure) throw failure;
  const problems = validateWorkflow(workflow);
  if (problems.length > 0) throw new EngineError({ kind: "workflow", message: "The workflow is wrong.", problems });
  if (source !== undefined && !opens.test(source)) {
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
