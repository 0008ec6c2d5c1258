import type {
  BackendName,
  FrameResult,
  Json,
  PipelineState,
  WorkflowProblem,
  WorkflowSpec,
} from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";
import type { PictureOrigin } from "../store/picture-origin.ts";
import type { CredentialStore } from "../workspace/credential-store.ts";
import { KindedError } from "../workspace/kinded-error.ts";

/** One question about one picture. A wrong combination cannot be written. */
export type InferenceJob =
  | {
      readonly kind: "model";
      readonly modelId: string;
      readonly confidence?: number;
      readonly classes?: readonly string[];
    }
  | { readonly kind: "workflow"; readonly spec: WorkflowSpec; readonly parameters?: { readonly [name: string]: Json } }
  | {
      readonly kind: "saved_workflow";
      readonly workspace: string;
      readonly workflowId: string;
      readonly parameters?: { readonly [name: string]: Json };
    };

/** Where the picture comes from. */
export type ImageRef =
  | { readonly kind: "source"; readonly sourceId: string; readonly address: string }
  | {
      readonly kind: "bytes";
      readonly bytes: Uint8Array;
      readonly mimeType: string;
      /** Absent when nobody knows: such a picture does not leave this machine. */
      readonly origin?: PictureOrigin;
    };

export interface JobResult {
  readonly result: FrameResult;
  /** The picture as it was seen, and the drawn one where the workflow has one. */
  readonly picture: Picture;
  readonly annotated?: Picture;
  /** What must be known to judge it, in a sentence. */
  readonly note?: string;
}

export interface PipelineRequest {
  /** Chosen by the caller so that a restart keeps it. */
  readonly pipelineId: string;
  readonly sourceId: string;
  /** Default: the camera `sourceId`. */
  readonly origin?: PictureOrigin;
  readonly address: string;
  readonly spec: WorkflowSpec;
  readonly parameters?: { readonly [name: string]: Json };
  readonly maxFps?: number;
  /** Must not throw. */
  readonly onResult: (result: FrameResult) => void;
  /** Must not throw. */
  readonly onState: (state: PipelineState, reason?: string) => void;
}

/** A workflow that runs on a camera. Everything throws `BackendError`. */
export interface RunningPipeline {
  figures(): PipelineFigures;
  /** Label of the server that runs it; undefined where none does or none is needed. */
  server(): string | undefined;
  /** The last results, oldest first. */
  results(last: number): readonly FrameResult[];
  /**
   * From servers pictures travel only on demand: a frame that passed a moment ago is answered by the first picture
   * after it, whose `frame` says which one it is.
   */
  picture(request?: PictureRequest): Promise<Picture | undefined>;
  /** Live pictures with their results; returns the way to leave, which may be called twice. */
  view(onFrame: (frame: LiveFrame) => void): () => void;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** For good. May be called twice. Rejects when it may still run; calling again tries again. */
  stop(): Promise<void>;
}

/** One interface, three backends. Everything throws `BackendError`. */
export interface InferenceBackend {
  readonly name: BackendName;
  /** Everything wrong with a workflow; empty when it can run here. */
  validate(spec: WorkflowSpec): Promise<readonly WorkflowProblem[]>;
  run(job: InferenceJob, image: ImageRef, signal?: AbortSignal): Promise<JobResult>;
  /** The caller stops what it opened. When this rejects, nothing runs. */
  open(request: PipelineRequest): Promise<RunningPipeline>;
}

/** The same pipeline; what it throws becomes a `BackendError`. */
export function withErrors(pipeline: RunningPipeline, toError: (thrown: unknown) => BackendError): RunningPipeline {
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toError(error);
    }
  };
  return {
    figures: () => pipeline.figures(),
    server: () => pipeline.server(),
    results: (last) => pipeline.results(last),
    picture: (request) => told(() => pipeline.picture(request)),
    view: (onFrame) => pipeline.view(onFrame),
    pause: () => told(() => pipeline.pause()),
    resume: () => told(() => pipeline.resume()),
    stop: () => told(() => pipeline.stop()),
  };
}

export type BackendErrorKind =
  | "invalid_workflow"
  | "source"
  | "model"
  | "not_found"
  | "unavailable"
  | "cancelled"
  | "internal";

/** What a backend throws. */
export class BackendError extends KindedError<BackendErrorKind> {
  readonly problems: readonly WorkflowProblem[];

  constructor(options: {
    kind: BackendErrorKind;
    message: string;
    problems?: readonly WorkflowProblem[];
    cause?: unknown;
  }) {
    super(options.kind, options.message, options.cause);
    this.problems = options.problems ?? [];
  }
}

/**
 * The same backend for callers that know no password: sources are completed, and the `url` that a step sends to.
 * Nothing else in a workflow is, or a message could carry a password away.
 */
export function withCredentials(
  backend: InferenceBackend,
  { complete }: Pick<CredentialStore, "complete">,
): InferenceBackend {
  const completeImage = (image: ImageRef): ImageRef =>
    image.kind === "source" ? { ...image, address: complete(image.address) } : image;
  const completeSpec = (spec: WorkflowSpec): WorkflowSpec => ({
    ...spec,
    steps: spec.steps.map((step) => (typeof step.url === "string" ? { ...step, url: complete(step.url) } : step)),
  });
  const completeJob = (job: InferenceJob): InferenceJob =>
    job.kind === "workflow" ? { ...job, spec: completeSpec(job.spec) } : job;
  return {
    name: backend.name,
    validate: (spec) => backend.validate(completeSpec(spec)),
    run: (job, image, signal) => backend.run(completeJob(job), completeImage(image), signal),
    open: ({ address, spec, ...request }) =>
      backend.open({ ...request, address: complete(address), spec: completeSpec(spec) }),
  };
}
