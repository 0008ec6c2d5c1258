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
  /** A pipeline that is being started holds its id, too. */
  readonly #pipelines = new Map<string, { readonly started: Promise<RunningPipeline>; pipeline?: RunningPipeline }>();
  #closed = false;

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
    if (this.#closed) throw new BackendError({ kind: "unavailable", message: "The backend is closed." });
    if (this.#pipelines.has(pipelineId)) {
      throw new BackendError({ kind: "internal", message: `The pipeline ${pipelineId} runs already.` });
    }
    const started = this.#engine.startPipeline({ ...options, source: address, workflow: spec });
    const entry: { readonly started: Promise<RunningPipeline>; pipeline?: RunningPipeline } = { started };
    this.#pipelines.set(pipelineId, entry);
    try {
      entry.pipeline = await started;
    } catch (error) {
      this.#pipelines.delete(pipelineId);
      throw toBackendError(error);
    }
  }

  async pausePipeline(pipelineId: string): Promise<void> {
    await this.#find(pipelineId).pause();
  }

  async resumePipeline(pipelineId: string): Promise<void> {
    await this.#find(pipelineId).resume();
  }

  async stopPipeline(pipelineId: string): Promise<void> {
    const entry = this.#pipelines.get(pipelineId);
    if (entry === undefined) return;
    // One that failed to start has nothing left to stop, and its starter has the error.
    const pipeline = await entry.started.catch(() => undefined);
    await pipeline?.stop();
    if (this.#pipelines.get(pipelineId) === entry) this.#pipelines.delete(pipelineId);
  }

  async listPipelines(): Promise<readonly string[]> {
    return [...this.#pipelines].filter(([, { pipeline }]) => pipeline).map(([id]) => id);
  }

  figures(pipelineId: string): PipelineFigures {
    return this.#find(pipelineId).figures();
  }

  async consumeResults(pipelineId: string, maxResults: number): Promise<readonly FrameResult[]> {
    return this.#find(pipelineId).latest(maxResults);
  }

  async picture(pipelineId: string, request?: PictureRequest): Promise<Picture | undefined> {
    const pipeline = this.#find(pipelineId);
    try {
      return await pipeline.picture(request);
    } catch (error) {
      throw toBackendError(error);
    }
  }

  view(pipelineId: string, onFrame: (frame: LiveFrame) => void): () => void {
    return this.#find(pipelineId).view(onFrame);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pipelines.keys()].map((id) => this.stopPipeline(id)));
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

  #find(pipelineId: string): RunningPipeline {
    const pipeline = this.#pipelines.get(pipelineId)?.pipeline;
    if (pipeline) return pipeline;
    throw new BackendError({ kind: "not_found", message: `No pipeline ${pipelineId} runs here.` });
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
