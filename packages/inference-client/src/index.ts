// Errors

// One server
export { type ClientClock, systemClock } from "./client-clock.ts";
export { type BlockProblem, ClientError, type ClientErrorKind } from "./errors.ts";
export { createInferenceClient } from "./http/create-inference-client.ts";
export type {
  CompareRequest,
  EmbeddingCalls,
  FoundationCalls,
  ReadTextRequest,
  RecognisedText,
} from "./http/foundation-calls.ts";
export type {
  CallFamily,
  CallOptions,
  Capabilities,
  ClientOptions,
  ConsumedFrame,
  ConsumedResult,
  IceServer,
  InferBatchRequest,
  InferenceClient,
  InferRequest,
  ModelCalls,
  PipelineCalls,
  PipelineReport,
  PipelineStart,
  RegisteredModel,
  RunSavedWorkflow,
  RunSpecification,
  SavedWorkflowRef,
  SerialisedOutputs,
  ServerBlockDescription,
  ServerHealth,
  ServerInfo,
  ShrinkImage,
  Timeouts,
  WebRtcStart,
  WorkflowAnswer,
  WorkflowCalls,
  WorkflowImage,
  WorkflowInterface,
  WorkflowSetup,
  WorkflowTarget,
  WorkflowWorkload,
} from "./http/inference-client.ts";
export { redact } from "./redact.ts";
// Several servers
export type { FleetServer, ServerReport } from "./supervise/check-server.ts";
// Pipelines that a server hosts, kept running from here
export { type SweepOptions, type SweepReport, sweepLedger } from "./supervise/end-hosted.ts";
export type { LedgerEntry, PipelineLedger } from "./supervise/pipeline-ledger.ts";
export {
  type ReconcileOptions,
  type ReconcileReport,
  reconcile,
  type WantedPipeline,
} from "./supervise/reconcile.ts";
export type { ChosenServer, FleetPurpose, ServerFleet } from "./supervise/server-fleet.ts";
export { createServerFleet, type FleetOptions } from "./supervise/server-fleet.ts";
export { fingerprintOf } from "./supervise/start-hosted.ts";
export { supervisePipeline } from "./supervise/supervise-pipeline.ts";
export type {
  HostedFigures,
  HostedResult,
  HostedTimeouts,
  SupervisedPipeline,
  SuperviseOptions,
} from "./supervise/supervised-pipeline.ts";
// Sessions over WebRTC
export {
  type KeepOptions,
  type KeptEnd,
  type KeptFigures,
  type KeptMessage,
  type KeptSession,
  type KeptState,
  keepSession,
} from "./webrtc/keep-session.ts";
export { openSession } from "./webrtc/open-session.ts";
export type {
  SessionClient,
  SessionEnd,
  SessionFigures,
  SessionFrame,
  SessionMessage,
  SessionOptions,
  SessionOutputs,
  SessionPicture,
  SessionSettings,
  SessionSource,
  SessionState,
  UploadProgress,
  WebRtcSession,
} from "./webrtc/session.ts";
export { type ImageMimeType, imageSizeOf, mimeTypeOf } from "./wire/image-file.ts";
export type {
  ClassScore,
  DetectedInstance,
  DetectedObject,
  DetectedPose,
  ImageSize,
  InferenceAnswer,
  InferenceTask,
} from "./wire/inference-answer.ts";
export { type ServerOutputs, toDetections, toOutputs } from "./wire/to-outputs.ts";
export { canonicalModelId, mayAct } from "./wire/workflow-request.ts";
