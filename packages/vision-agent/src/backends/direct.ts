// request → the engine on this machine → results
import type { Json, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import {
  EngineError,
  type EngineErrorKind,
  type OnceImage,
  type Pipeline,
  type PipelineOptions,
} from "@vision-agent/vision-engine";
import { reasonOf } from "../workspace/kinded-error.ts";
import {
  BackendError,
  type BackendErrorKind,
  type ImageRef,
  type InferenceBackend,
  type InferenceJob,
  type JobResult,
  type RunningPipeline,
  withErrors,
} from "./backend.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import type { SavedWorkflows } from "./saved-workflows.ts";

/** What the backend needs of the engine: its functions of the same names. */
export interface LocalEngine {
  startPipeline(options: PipelineOptions): Promise<EnginePipeline>;
  runOnce(request: RunOnceRequest): Promise<JobResult>;
  validateWorkflow(spec: WorkflowSpec): readonly WorkflowProblem[];
}

/** What is used of the engine's pipeline. */
export type EnginePipeline = Pick<Pipeline, "figures" | "latest" | "picture" | "view" | "pause" | "resume" | "stop">;

export type RunOnceRequest = OnceImage & {
  readonly sourceId: string;
  readonly workflow: WorkflowSpec;
  readonly parameters?: { readonly [name: string]: Json };
  readonly signal?: AbortSignal;
};

export interface DirectBackendOptions {
  readonly engine: LocalEngine;
  readonly savedWorkflows: SavedWorkflows;
}

/** Runs workflows in this process. */
export function createDirectBackend({ engine, savedWorkflows }: DirectBackendOptions): InferenceBackend {
  return {
    name: "direct",
    validate: async (spec) => engine.validateWorkflow(spec),
    async run(job, image, signal) {
      try {
        signal?.throwIfAborted();
        const { note, ...plan } = await toPlan(job, savedWorkflows, signal);
        const seen = await engine.runOnce({ ...plan, ...toOnceImage(image), signal });
        return { ...seen, note };
      } catch (error) {
        throw toBackendError(error, signal);
      }
    },
    async open({ pipelineId: _, address, spec, ...options }) {
      try {
        const pipeline = await engine.startPipeline({ ...options, source: address, workflow: spec });
        return withErrors(toRunning(pipeline), toBackendError);
      } catch (error) {
        throw toBackendError(error);
      }
    },
  };
}

function toRunning(pipeline: EnginePipeline): RunningPipeline {
  return {
    figures: () => pipeline.figures(),
    server: () => undefined,
    results: (last) => pipeline.latest(last),
    picture: (request) => pipeline.picture(request),
    view: (onFrame) => pipeline.view(onFrame),
    pause: () => pipeline.pause(),
    resume: () => pipeline.resume(),
    stop: () => pipeline.stop(),
  };
}

async function toPlan(job: InferenceJob, savedWorkflows: SavedWorkflows, signal?: AbortSignal) {
  switch (job.kind) {
    case "model":
      return { workflow: detectionWorkflow(job), note: undefined };
    case "workflow":
      return { workflow: job.spec, parameters: job.parameters, note: undefined };
    case "saved_workflow": {
      const { spec, note } = await savedWorkflows.load(job.workspace, job.workflowId, signal);
      return { workflow: spec, parameters: job.parameters, note };
    }
  }
}

function toOnceImage(image: ImageRef): OnceImage & { readonly sourceId: string } {
  if (image.kind === "source") return { sourceId: image.sourceId, source: image.address };
  return { sourceId: "picture", picture: image.bytes };
}

const KINDS: Readonly<Record<EngineErrorKind, BackendErrorKind>> = {
  workflow: "invalid_workflow",
  input: "invalid_workflow",
  source: "source",
  model: "model",
  internal: "internal",
};

export function toBackendError(thrown: unknown, signal?: AbortSignal): BackendError {
  if (thrown instanceof BackendError) return thrown;
  if (signal?.aborted) return new BackendError({ kind: "cancelled", message: "It was cancelled.", cause: thrown });
  if (thrown instanceof EngineError) {
    const { message, problems } = thrown;
    return new BackendError({ kind: KINDS[thrown.kind], message, problems, cause: thrown });
  }
  const message = reasonOf(thrown);
  return new BackendError({ kind: "internal", message, cause: thrown });
}
