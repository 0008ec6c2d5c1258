import type {
  BackendName,
  FrameResult,
  Json,
  PipelineState,
  WorkflowProblem,
  WorkflowSpec,
} from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";

/** One question about one picture. A wrong combination cannot be written. */
export type Job =
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
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mimeType: string };

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
  readonly address: string;
  readonly spec: WorkflowSpec;
  readonly parameters?: { readonly [name: string]: Json };
  readonly maxFps?: number;
  /** Must not throw. */
  readonly onResult: (result: FrameResult) => void;
  /** Must not throw. */
  readonly onState: (state: PipelineState, reason?: string) => void;
}

/**
 * One interface, three backends. Every method takes the caller's pipeline id and throws `BackendError`;
 * `not_found` when no such pipeline runs here.
 */
export interface InferenceBackend {
  readonly name: BackendName;
  /** Everything wrong with a workflow; empty when it can run here. */
  validate(spec: WorkflowSpec): Promise<readonly WorkflowProblem[]>;
  run(job: Job, image: ImageRef, signal?: AbortSignal): Promise<JobResult>;
  startPipeline(request: PipelineRequest): Promise<void>;
  pausePipeline(pipelineId: string): Promise<void>;
  resumePipeline(pipelineId: string): Promise<void>;
  /** Stopping what does not run is no error. Rejects when it may still run somewhere; it stays in the list then. */
  stopPipeline(pipelineId: string): Promise<void>;
  listPipelines(): Promise<readonly string[]>;
  figures(pipelineId: string): PipelineFigures;
  /** The last results, oldest first. */
  consumeResults(pipelineId: string, maxResults: number): Promise<readonly FrameResult[]>;
  /**
   * From servers pictures travel only on demand: a frame that passed a moment ago is answered by the first picture
   * after it, whose `frame` says which one it is.
   */
  picture(pipelineId: string, request?: PictureRequest): Promise<Picture | undefined>;
  /** Label of the server that runs it; undefined while none does. Absent where no server is needed. */
  serverOf?(pipelineId: string): string | undefined;
  /** Live pictures with their results; returns the way to leave, which may be called twice. */
  view(pipelineId: string, onFrame: (frame: LiveFrame) => void): () => void;
  /** Stops everything; rejects as `stopPipeline` does. May be called twice. */
  close(): Promise<void>;
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
export class BackendError extends Error {
  readonly kind: BackendErrorKind;
  readonly problems: readonly WorkflowProblem[];

  constructor(options: {
    kind: BackendErrorKind;
    message: string;
    problems?: readonly WorkflowProblem[];
    cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.name = "BackendError";
    this.kind = options.kind;
    this.problems = options.problems ?? [];
  }
}
