// requests → pipelines on servers by our ids, and questions that need none
import type { BackendName, FrameResult, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";
import type { ImageRef, InferenceBackend, Job, JobResult, PipelineRequest } from "./backend.ts";
import { toServerBackendError } from "./client-errors.ts";
import { HeldPipelines } from "./held-pipelines.ts";
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
  readonly #pipelines = new HeldPipelines<ServedPipeline>(toServerBackendError);

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
    await this.#pipelines.start(request.pipelineId, () => this.#options.openPipeline(request));
  }

  async pausePipeline(pipelineId: string): Promise<void> {
    await told(this.#pipelines.find(pipelineId).pause());
  }

  async resumePipeline(pipelineId: string): Promise<void> {
    await told(this.#pipelines.find(pipelineId).resume());
  }

  stopPipeline(pipelineId: string): Promise<void> {
    return this.#pipelines.stop(pipelineId);
  }

  async listPipelines(): Promise<readonly string[]> {
    return this.#pipelines.ids();
  }

  serverOf(pipelineId: string): string | undefined {
    return this.#pipelines.find(pipelineId).server();
  }

  figures(pipelineId: string): PipelineFigures {
    return this.#pipelines.find(pipelineId).figures();
  }

  async consumeResults(pipelineId: string, maxResults: number): Promise<readonly FrameResult[]> {
    return this.#pipelines.find(pipelineId).latest(maxResults);
  }

  async picture(pipelineId: string, request?: PictureRequest): Promise<Picture | undefined> {
    return told(this.#pipelines.find(pipelineId).picture(request));
  }

  view(pipelineId: string, onFrame: (frame: LiveFrame) => void): () => void {
    return this.#pipelines.find(pipelineId).view(onFrame);
  }

  close(): Promise<void> {
    return this.#pipelines.close();
  }
}

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toServerBackendError(error);
  }
}
