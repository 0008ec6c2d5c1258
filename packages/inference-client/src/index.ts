// One server
export { systemClock } from "./client-clock.ts";
export { ClientError, type ClientErrorKind } from "./errors.ts";
export { type ClientOptions, createInferenceClient, type InferenceClient } from "./http/inference-client.ts";
export type { PipelineStart } from "./http/pipeline-calls.ts";
export type { ServerBlockDescription, WorkflowAnswer } from "./http/workflow-calls.ts";
// Several servers
export type { ServerReport } from "./supervise/check-server.ts";
// Pipelines that a server hosts, kept running from here
export { sweepLedger } from "./supervise/end-hosted.ts";
export type { LedgerEntry, PipelineLedger } from "./supervise/pipeline-ledger.ts";
export { createServerFleet, type FleetOptions, type ServerFleet } from "./supervise/server-fleet.ts";
export { fingerprintOf } from "./supervise/start-hosted.ts";
export { SupervisedPipeline } from "./supervise/supervise-pipeline.ts";
export type { HostedResult, SuperviseOptions } from "./supervise/supervised-pipeline.ts";
// Sessions over WebRTC
export {
  type KeepOptions,
  type KeptEnd,
  type KeptMessage,
  type KeptSession,
  type KeptState,
  keepSession,
} from "./webrtc/keep-session.ts";
export type { SessionFrame, SessionSource } from "./webrtc/session.ts";
// What comes back
export type { InferenceAnswer } from "./wire/parse-inference-answer.ts";
export { type SerialisedOutputs, toDetections, toOutputs } from "./wire/to-outputs.ts";
export { mayAct } from "./wire/workflow-request.ts";
