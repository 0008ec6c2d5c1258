// request → the engine on this machine → results
import type { FrameResult, Json, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import {
  EngineError,
  type EngineErrorKind,
  type LiveFrame,
  type OnceImage,
  type Picture,
  type PictureRequest,
  type Pipeline,
  type PipelineFigures,
  type PipelineOptions,
} from "@vision-agent/vision-engine";
import {
  BackendError,
  type BackendErrorKind,
  type ImageRef,
  type InferenceBackend,
  type Job,
  type JobResult,
  type PipelineRequest,
} from "./backend.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { HeldPipelines } from "./held-pipelines.ts";
import type { SavedWorkflows } from "./saved-workflows.ts";

/** What the backend needs of the engine: its functions of the same names. */
export interface Engine {
  startPipeline(options: PipelineOptions): Promise<RunningPipeline>;
  runOnce(request: RunOnceRequest): Promise<JobResult>;
  validateWorkflow(spec: WorkflowSpec): readonly WorkflowProblem[];
}

/** What is used of a running pipeline. */
export type RunningPipeline = Pick<
  Pipeline,
  "figures" | "latest" | "picture" | "view" | "pause" | "resume" | "stop" | "ended"
>;

export type RunOnceRequest = OnceImage & {
  readonly sourceId: string;
  readonly workflow: WorkflowSpec;
  readonly parameters?: { readonly [name: string]: Json };
  readonly signal?: AbortSignal;
};

type Plan = Pick<RunOnceRequest, "workflow" | "parameters"> & { readonly note?: string };

export interface DirectBackendOptions {
  readonly engine: Engine;
  readonly savedWorkflows: SavedWorkflows;
}

/** Runs workflows in this process. */
export function createDirectBackend(options: DirectBackendOptions): InferenceBackend {
  return new DirectBackend(options);
}

class DirectBackend implements InferenceBackend {
  readonly name = "direct";
  readonly #engine: Engine;
  readonly #savedWorkflows: SavedWorkflows;
  readonly #pipelines = new HeldPipelines<RunningPipeline>(toBackendError);

  constructor({ engine, savedWorkflows }: DirectBackendOptions) {
    this.#engine = engine;
    this.#savedWorkflows = savedWorkflows;
  }

  async validate(spec: WorkflowSpec): Promise<readonly WorkflowProblem[]> {
    return this.#engine.validateWorkflow(spec);
  }

  async run(job: Job, image: ImageRef, signal?: AbortSignal): Promise<JobResult> {
    try {
      signal?.throwIfAborted();
      const { note, ...plan } = await this.#plan(job, signal);
      const seen = await this.#engine.runOnce({ ...plan, ...toOnceImage(image), ...(signal && { signal }) });
      return { ...seen, ...(note !== undefined && { note }) };
    } catch (error) {
      throw toBackendError(error, signal);
    }
  }

  async startPipeline(request: PipelineRequest): Promise<void> {
    const { pipelineId, address, spec, ...options } = request;
    await this.#pipelines.start(pipelineId, () =>
      this.#engine.startPipeline({ ...options, source: address, workflow: spec }),
    );
  }

  async pausePipeline(pipelineId: string): Promise<void> {
    await this.#pipelines.find(pipelineId).pause();
  }

  async resumePipeline(pipelineId: string): Promise<void> {
    await this.#pipelines.find(pipelineId).resume();
  }

  stopPipeline(pipelineId: string): Promise<void> {
    return this.#pipelines.stop(pipelineId);
  }

  async listPipelines(): Promise<readonly string[]> {
    return this.#pipelines.ids();
  }

  figures(pipelineId: string): PipelineFigures {
    return this.#pipelines.find(pipelineId).figures();
  }

  async consumeResults(pipelineId: string, maxResults: number): Promise<readonly FrameResult[]> {
    return this.#pipelines.find(pipelineId).latest(maxResults);
  }

  async picture(pipelineId: string, request?: PictureRequest): Promise<Picture | undefined> {
    const pipeline = this.#pipelines.find(pipelineId);
    try {
      return await pipeline.picture(request);
    } catch (error) {
      throw toBackendError(error);
    }
  }

  view(pipelineId: string, onFrame: (frame: LiveFrame) => void): () => void {
    return this.#pipelines.find(pipelineId).view(onFrame);
  }

  close(): Promise<void> {
    return this.#pipelines.close();
  }

  async #plan(job: Job, signal?: AbortSignal): Promise<Plan> {
    switch (job.kind) {
      case "model":
        return { workflow: detectionWorkflow(job) };
      case "workflow":
        return { workflow: job.spec, ...(job.parameters && { parameters: job.parameters }) };
      case "saved_workflow": {
        const { spec, note } = await this.#savedWorkflows.load(job.workspace, job.workflowId, signal);
        const parameters = job.parameters && { parameters: job.parameters };
        return { workflow: spec, ...parameters, ...(note !== undefined && { note }) };
      }
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

function toBackendError(thrown: unknown, signal?: AbortSignal): BackendError {
  if (thrown instanceof BackendError) return thrown;
  if (signal?.aborted) return new BackendError({ kind: "cancelled", message: "It was cancelled.", cause: thrown });
  if (thrown instanceof EngineError) {
    const { message, problems } = thrown;
    return new BackendError({ kind: KINDS[thrown.kind], message, problems, cause: thrown });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new BackendError({ kind: "internal", message, cause: thrown });
}
