// requests → pipelines on servers by our ids, and questions that need none
import type { BackendName, FrameResult, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";
import {
  BackendError,
  type ImageRef,
  type InferenceBackend,
  type Job,
  type JobResult,
  type PipelineRequest,
} from "./backend.ts";
import { toServerBackendError } from "./client-errors.ts";
import type { ServerRuns } from "./server-runs.ts";

/** A workflow that runs on a server. */
export interface ServedPipeline {
  figures(): PipelineFigures;
  /** Label of the server it is on; absent while it is on none. */
  server(): string | undefined;
  latest(count: number): readonly FrameResult[];
  picture(request?: PictureRequest): Promise<Picture | undefined>;
  view(onFrame: (frame: LiveFrame) => void): () => void;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Rejects when it may still run; calling again tries again. */
  stop(): Promise<void>;
}

export interface ServerBackendOptions {
  readonly name: Exclude<BackendName, "direct">;
  readonly runs: ServerRuns;
  /** What it throws becomes a `BackendError`; nothing is left behind then. */
  readonly openPipeline: (request: PipelineRequest) => Promise<ServedPipeline>;
}

/** The part that backends on servers have in common. */
export class ServerBackend implements InferenceBackend {
  readonly name: Exclude<BackendName, "direct">;
  readonly #options: ServerBackendOptions;
  /** A pipeline that is being started holds its id, too. */
  readonly #pipelines = new Map<string, { readonly started: Promise<ServedPipeline>; pipeline?: ServedPipeline }>();
  #closed = false;

  constructor(options: ServerBackendOptions) {
    this.name = options.name;
    this.#options = options;
  }

  validate(spec: WorkflowSpec): Promise<readonly WorkflowProblem[]> {
    return this.#options.runs.validate(spec);
  }

  run(job: Job, image: ImageRef, signal?: AbortSignal): Promise<JobResult> {
    return this.#options.runs.run(job, image, signal);
  }

  async startPipeline(request: PipelineRequest): Promise<void> {
    const { pipelineId } = request;
    if (this.#closed) throw new BackendError({ kind: "unavailable", message: "The backend is closed." });
    if (this.#pipelines.has(pipelineId)) {
      throw new BackendError({ kind: "internal", message: `The pipeline ${pipelineId} runs already.` });
    }
    const started = this.#options.openPipeline(request);
    const entry: { readonly started: Promise<ServedPipeline>; pipeline?: ServedPipeline } = { started };
    this.#pipelines.set(pipelineId, entry);
    try {
      entry.pipeline = await started;
    } catch (error) {
      this.#pipelines.delete(pipelineId);
      throw toServerBackendError(error);
    }
  }

  async pausePipeline(pipelineId: string): Promise<void> {
    await told(this.#find(pipelineId).pause());
  }

  async resumePipeline(pipelineId: string): Promise<void> {
    await told(this.#find(pipelineId).resume());
  }

  async stopPipeline(pipelineId: string): Promise<void> {
    const entry = this.#pipelines.get(pipelineId);
    if (entry === undefined) return;
    // One that failed to start has nothing left to stop, and its starter has the error.
    const pipeline = await entry.started.catch(() => undefined);
    // It stays in the list while nobody has seen that it is gone.
    if (pipeline) await told(pipeline.stop());
    if (this.#pipelines.get(pipelineId) === entry) this.#pipelines.delete(pipelineId);
  }

  async listPipelines(): Promise<readonly string[]> {
    return [...this.#pipelines].filter(([, { pipeline }]) => pipeline).map(([id]) => id);
  }

  serverOf(pipelineId: string): string | undefined {
    return this.#find(pipelineId).server();
  }

  figures(pipelineId: string): PipelineFigures {
    return this.#find(pipelineId).figures();
  }

  async consumeResults(pipelineId: string, maxResults: number): Promise<readonly FrameResult[]> {
    return this.#find(pipelineId).latest(maxResults);
  }

  async picture(pipelineId: string, request?: PictureRequest): Promise<Picture | undefined> {
    return told(this.#find(pipelineId).picture(request));
  }

  view(pipelineId: string, onFrame: (frame: LiveFrame) => void): () => void {
    return this.#find(pipelineId).view(onFrame);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stops = await Promise.allSettled([...this.#pipelines.keys()].map((id) => this.stopPipeline(id)));
    for (const stop of stops) if (stop.status === "rejected") throw stop.reason;
  }

  #find(pipelineId: string): ServedPipeline {
    const pipeline = this.#pipelines.get(pipelineId)?.pipeline;
    if (pipeline) return pipeline;
    throw new BackendError({ kind: "not_found", message: `No pipeline ${pipelineId} runs here.` });
  }
}

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toServerBackendError(error);
  }
}
