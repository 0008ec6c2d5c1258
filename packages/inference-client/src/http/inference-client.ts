// The verbs of an Inference server, as types: what every call takes and gives
import type { Json, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import type { ClientClock } from "../client-clock.ts";
import type { ImageSize, InferenceAnswer, InferenceTask } from "../wire/inference-answer.ts";
import type { ConsumedResult, PipelineReport } from "../wire/pipeline-answers.ts";
import type { SerialisedOutputs } from "../wire/to-outputs.ts";
import type { SavedWorkflowRef, WorkflowSetup } from "../wire/workflow-request.ts";
import type { CallOptions } from "./call-options.ts";
import type { FoundationCalls } from "./foundation-calls.ts";

export type {
  ConsumedFrame,
  ConsumedResult,
  PipelineReport,
  PipelineSourceReport,
  PipelineUpdate,
  SourceState,
} from "../wire/pipeline-answers.ts";
export type { SerialisedOutputs } from "../wire/to-outputs.ts";
export type { SavedWorkflowRef, WorkflowSetup } from "../wire/workflow-request.ts";
export type { CallOptions } from "./call-options.ts";

/** Hard limits by class of call, in milliseconds. */
export interface Timeouts {
  /** Info, health, readiness, registry. Default 3,000. */
  readonly infoMs: number;
  /** Inference and workflow runs with models that have answered before. Default 30,000. */
  readonly inferMs: number;
  /** The first call of a model, and loading one: the server may download it. Default 300,000. */
  readonly modelLoadMs: number;
  /** Default 15,000. */
  readonly pipelineMs: number;
  /** Validation and descriptions. Default 60,000. */
  readonly describeMs: number;
  /** The server starts a process and loads models before it answers. Default 180,000. */
  readonly webrtcMs: number;
}

/** Makes a picture smaller: file bytes in, JPEG or PNG bytes of at most this size out. */
export type ShrinkImage = (image: Uint8Array, size: ImageSize) => Promise<Uint8Array>;

export interface ClientOptions {
  /** For example `http://127.0.0.1:9001`. Addresses of hosted servers get the older path style by themselves. */
  readonly url: string;
  readonly apiKey?: string;
  /** `both` (default): body or query and Bearer header; `header`: Bearer only, for servers since 1.5.0. */
  readonly keyTransport?: "both" | "header";
  readonly clock: ClientClock;
  /** Spreads repeats; 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** Inferences and workflow runs at once. Default 2. */
  readonly maxConcurrent?: number;
  /** Send pictures no larger than `maxSide` (default 1280) to models; boxes come back in pixels of the original. */
  readonly downsize?: { readonly maxSide?: number; readonly shrink: ShrinkImage };
}

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly uuid?: string;
}

export type ServerHealth =
  | { readonly healthy: true }
  /** It answers and says so itself; a server that does not answer is a `ClientError`. */
  | { readonly healthy: false; readonly reason: string };

/** Families of calls that a build of the server may lack, each with one path that stands for it. */
export const FAMILY_PATHS = {
  pipelines: "/inference_pipelines/initialise",
  webrtc: "/initialise_webrtc_worker",
  workflows: "/workflows/run",
  workload: "/workflows/describe_workload",
  embeddings: "/infer/embeddings",
  clip: "/clip/embed_image",
  perception_encoder: "/perception_encoder/embed_image",
  yolo_world: "/yolo_world/infer",
  grounding_dino: "/grounding_dino/infer",
  owlv2: "/owlv2/infer",
  doctr: "/doctr/ocr",
  easy_ocr: "/easy_ocr/ocr",
  trocr: "/ocr/trocr",
  pp_ocr: "/ocr/pp-ocr",
  sam: "/sam/segment_image",
  sam2: "/sam2/segment_image",
  sam3: "/sam3/visual_segment",
  lmm: "/infer/lmm",
  depth: "/infer/depth-estimation",
} as const;
export type CallFamily = keyof typeof FAMILY_PATHS;

export interface Capabilities {
  readonly version: string;
  readonly families: ReadonlySet<CallFamily>;
  /** Every path of the server's own description. */
  readonly paths: ReadonlySet<string>;
}

export interface InferOptions {
  /** An id or an alias; aliases are replaced before the call. */
  readonly modelId: string;
  /** Told when known; otherwise recognised from the answer and remembered. */
  readonly task?: InferenceTask;
  /** 0 to 1, `best` (from the model's evaluation) or `default`. */
  readonly confidence?: number | "best" | "default";
  readonly iouThreshold?: number;
  readonly classAgnosticNms?: boolean;
  readonly classFilter?: readonly string[];
  readonly maxDetections?: number;
  readonly maxCandidates?: number;
  /** Keypoints below it are left out here, because some servers ignore it. */
  readonly keypointConfidence?: number;
  readonly maskDecodeMode?: "accurate" | "fast" | "tradeoff";
  readonly tradeoffFactor?: number;
  readonly maskFormat?: "polygon" | "rle";
  readonly includeAnomalyMap?: boolean;
  /** Ask for the drawn picture too. */
  readonly visualize?: boolean;
}

export interface InferRequest extends InferOptions {
  /** The bytes of a JPEG, PNG, WebP or BMP file. */
  readonly image: Uint8Array;
}

export interface InferBatchRequest extends InferOptions {
  readonly images: readonly Uint8Array[];
}

export interface RegisteredModel {
  readonly modelId: string;
  readonly taskType: string;
  readonly batchSize: number | undefined;
  readonly input: ImageSize | undefined;
}

/** Every one answers with the models that are loaded afterwards. */
export interface ModelCalls {
  list(options?: CallOptions): Promise<readonly RegisteredModel[]>;
  add(modelId: string, options?: CallOptions): Promise<readonly RegisteredModel[]>;
  /** Answers the same whether or not the model was loaded. */
  remove(modelId: string, options?: CallOptions): Promise<readonly RegisteredModel[]>;
  clear(options?: CallOptions): Promise<readonly RegisteredModel[]>;
}

/** Where the frame of a video stands. */
export interface VideoPosition {
  readonly videoId: string;
  readonly frameNumber: number;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly fps: number;
  readonly comesFromVideoFile?: boolean;
}

export type WorkflowImage = Uint8Array | { readonly image: Uint8Array; readonly video?: VideoPosition };

export interface WorkflowRun {
  /** Input name → one picture, or several for a batch. */
  readonly images: { readonly [input: string]: WorkflowImage | readonly WorkflowImage[] };
  readonly parameters?: { readonly [name: string]: Json };
  /** Outputs that need not be sent back. */
  readonly excludedFields?: readonly string[];
  /** True: nothing is sent, stored or notified, and so a failed run may be repeated. */
  readonly disableSinks?: boolean;
}

export interface RunSpecification extends WorkflowRun {
  readonly specification: WorkflowSpec;
}

export interface RunSavedWorkflow extends WorkflowRun, SavedWorkflowRef {}

export interface WorkflowAnswer {
  /** One entry for each picture of the batch; one even for a single picture. */
  readonly outputs: readonly SerialisedOutputs[];
}

export type WorkflowTarget = { readonly specification: WorkflowSpec } | SavedWorkflowRef;

export interface WorkflowInterface {
  /** Input name → kinds it takes. */
  readonly inputs: { readonly [name: string]: readonly string[] };
  /** Output name → kinds it may have; a map for outputs that take a whole step. */
  readonly outputs: {
    readonly [name: string]: readonly string[] | { readonly [field: string]: readonly string[] };
  };
}

export interface WorkflowWorkload {
  readonly engineVersion: string;
  /** Ids of the models it needs, as far as they can be known without running it. */
  readonly modelIds: readonly string[];
  /** False: more models may be chosen at run time. */
  readonly complete: boolean;
}

export interface ServerBlockDescription {
  readonly type: string;
  readonly aliases: readonly string[];
  readonly name: string;
  /** JSON schema of the step. */
  readonly schema: Json;
  readonly outputs: readonly { readonly name: string; readonly kinds: readonly string[] }[];
  /** Range of engine versions, for example `>=1.3.0,<2.0.0`. */
  readonly engine: string | undefined;
}

export interface WorkflowCalls {
  run(request: RunSpecification, options?: CallOptions): Promise<WorkflowAnswer>;
  runSaved(request: RunSavedWorkflow, options?: CallOptions): Promise<WorkflowAnswer>;
  /** Everything wrong with it; empty when it compiles. Model ids are not checked by the server. */
  validate(specification: WorkflowSpec, options?: CallOptions): Promise<readonly WorkflowProblem[]>;
  /** 12 MB on the wire: ask once per server version. */
  describeBlocks(options?: CallOptions): Promise<readonly ServerBlockDescription[]>;
  describeInterface(target: WorkflowTarget, options?: CallOptions): Promise<WorkflowInterface>;
  /** Servers since 1.8. */
  describeWorkload(target: WorkflowTarget, options?: CallOptions): Promise<WorkflowWorkload>;
  /** Versions of the execution engine, for example `1.17.0`. */
  versions(options?: CallOptions): Promise<readonly string[]>;
}

export type BufferFilling = "WAIT" | "DROP_OLDEST" | "ADAPTIVE_DROP_OLDEST" | "DROP_LATEST" | "ADAPTIVE_DROP_LATEST";

export interface PipelineStart extends WorkflowSetup {
  /** A URL, an absolute path on the server or a camera number; several make one pipeline. */
  readonly source: string | number | readonly (string | number)[];
  readonly maxFps?: number;
  /** The server's default is DROP_OLDEST: files need WAIT. */
  readonly filling?: BufferFilling;
  /** The server's default is EAGER: files need LAZY. */
  readonly consumption?: "LAZY" | "EAGER";
  /** The server's default is 64, which loses the end of a file: files need 1. */
  readonly decodingBufferSize?: number;
  readonly sourceProperties?: { readonly [name: string]: number | string };
  readonly batchCollectionTimeoutS?: number;
  /** Results kept for `consume`, oldest dropped. The server's default is 64. */
  readonly resultsBufferSize?: number;
  /** Seconds without a non-empty `consume` after which the server ends the pipeline; keep it at 10 or more. */
  readonly consumptionTimeoutS?: number;
}

export interface ConsumeOptions extends CallOptions {
  readonly excludedFields?: readonly string[];
}

/** An unknown id is a `ClientError` of kind `not_found` in every call. */
export interface PipelineCalls {
  /** Resolves with the server's id. Success only means that a process was started. */
  initialise(start: PipelineStart, options?: CallOptions): Promise<string>;
  list(options?: CallOptions): Promise<readonly string[]>;
  status(pipelineId: string, options?: CallOptions): Promise<PipelineReport>;
  /** Pausing what is paused is no error. */
  pause(pipelineId: string, options?: CallOptions): Promise<void>;
  /** Resuming what runs is no error. */
  resume(pipelineId: string, options?: CallOptions): Promise<void>;
  terminate(pipelineId: string, options?: CallOptions): Promise<void>;
  /** Takes the oldest result; undefined when none is ready. */
  consume(pipelineId: string, options?: ConsumeOptions): Promise<ConsumedResult | undefined>;
}

export interface IceServer {
  readonly urls: string | readonly string[];
  readonly username?: string;
  readonly credential?: string;
}

export interface WebRtcStart extends WorkflowSetup {
  /** With all candidates in it: the server takes no later ones. */
  readonly offerSdp: string;
  readonly iceServers?: readonly IceServer[];
  /** True: late frames are dropped; false: every frame is seen. The server's default is true. */
  readonly realtime?: boolean;
  /** `[]` for no video back; undefined lets the server choose. */
  readonly streamOutput?: readonly string[];
  /** `[]` for metadata only, `["*"]` for all but pictures. */
  readonly dataOutput?: readonly string[];
  readonly declaredFps?: number;
  readonly rtspUrl?: string;
  readonly mjpegUrl?: string;
  /** Null: no limit. The server's own default is an hour. */
  readonly processingTimeoutS: number | null;
  readonly requestedPlan?: string;
  readonly requestedRegion?: string;
}

export interface WebRtcCalls {
  initialise(start: WebRtcStart, options?: CallOptions): Promise<{ readonly sdp: string; readonly type: "answer" }>;
}

/** One Inference server. Every call throws `ClientError` only. */
export interface InferenceClient {
  /** Without credentials, key or trailing slash. */
  readonly url: string;
  info(options?: CallOptions): Promise<ServerInfo>;
  health(options?: CallOptions): Promise<ServerHealth>;
  /** False while the server still loads the models it was told to keep. */
  readiness(options?: CallOptions): Promise<boolean>;
  /** Version and families. Read anew when the server was restarted or replaced; a failure is never kept. */
  capabilities(options?: CallOptions): Promise<Capabilities>;
  infer(request: InferRequest, options?: CallOptions): Promise<InferenceAnswer>;
  /** One answer for each picture, in order. */
  inferBatch(request: InferBatchRequest, options?: CallOptions): Promise<readonly InferenceAnswer[]>;
  readonly models: ModelCalls;
  readonly foundation: FoundationCalls;
  readonly workflows: WorkflowCalls;
  readonly pipelines: PipelineCalls;
  readonly webrtc: WebRtcCalls;
  /** Aborts what is under way. Twice is fine. */
  close(): void;
}
