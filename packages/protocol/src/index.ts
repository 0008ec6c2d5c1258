// Frames and what is found in them

export {
  type AccessRole,
  type Account,
  type AccountChange,
  type Audit,
  type AuditEntry,
  accessRoleSchema,
  accountChangeSchema,
  accountSchema,
  auditEntrySchema,
  auditSchema,
  type BrowserLogin,
  browserLoginSchema,
  type LoginCode,
  loginCodeSchema,
  loginRequestSchema,
  type Me,
  meSchema,
  type NewAccount,
  newAccountSchema,
} from "./access-api.ts";
export {
  cameraChangeSchema,
  configViewSchema,
  type Job,
  jobSchema,
  type KnownDestination,
  knownDestinationSchema,
  type MemoryFound,
  memoryAnswerSchema,
  memoryDaySchema,
  newCameraSchema,
  type Pause,
  type PauseAnswer,
  pauseAnswerSchema,
  pauseSchema,
  skillSchema,
  skillSummarySchema,
  type UsageReport,
  usageSchema,
  type WatchReport,
  type Why,
  watchStatusSchema,
  whySchema,
} from "./app-api.ts";
// REST and SSE
export {
  type BlockSummary,
  type Blocks,
  backendsSchema,
  blockSchema,
  blockSummarySchema,
  blocksSchema,
  type Infer,
  inferredSchema,
  inferSchema,
  type ServerStatus,
} from "./backends-api.ts";
// Cameras and pipelines
export {
  type Camera,
  cameraSchema,
  masksSchema,
  type ProbeFailure,
  type ProbeResult,
  probeResultSchema,
} from "./camera.ts";
export {
  type Change,
  type Changes,
  changeSchema,
  changesSchema,
  type Effect,
  effectSchema,
  NO_CHANGES,
  type Receipt,
} from "./effect.ts";
export {
  type Departure,
  type DeparturePage,
  departureSchema,
  departuresSchema,
  type EgressRule,
  type EgressRuleList,
  egressRuleSchema,
  egressRulesSchema,
  type ImagesRule,
  imagesRuleSchema,
  newEgressRuleSchema,
} from "./egress-api.ts";
export { type ForgetReceipt, type ForgetRequest, forgetReceiptSchema, forgetSchema } from "./forget-api.ts";
export { MODEL_ALIASES } from "./model-aliases.data.ts";
export {
  type BackendName,
  backendNameSchema,
  type PipelineState,
  type PipelineStatus,
  pipelineStatusSchema,
} from "./pipeline-status.ts";
export {
  type ApiError,
  type ArtifactCreated,
  apiErrorSchema,
  artifactCreatedSchema,
  type ChatMessage,
  chatMessageSchema,
  type Health,
  healthSchema,
  type PipelineResults,
  type PostMessage,
  pipelineResultsSchema,
  postMessageSchema,
  type SessionCreated,
  type SessionDetail,
  type SessionSummary,
  type Steer,
  sessionCreatedSchema,
  sessionDetailSchema,
  sessionSummarySchema,
  startPipelineSchema,
  steerSchema,
  type Validation,
  validationSchema,
} from "./rest-api.ts";
// What happened, and who is told
export {
  type Alert,
  alertSchema,
  type SceneEvent,
  type SceneEventKind,
  type Severity,
  sceneEventKindSchema,
  sceneEventSchema,
  severitySchema,
} from "./scene-event.ts";
export {
  type AppEvent,
  appEventSchema,
  type RunEvent,
  type RunOutcome,
  runEventSchema,
  runOutcomeSchema,
} from "./sse-event.ts";
// What tools give back
export {
  CHANGING_TOOLS,
  type ClassCount,
  type SeenBox,
  type Sighting,
  type Task,
  type ToolDataOf,
  type ToolName,
  toolDataSchemas,
} from "./tool-data.ts";
export {
  type Watch,
  type WatchCondition,
  type WatchRequest,
  watchConditionSchema,
  watchRequestSchema,
  watchSchema,
} from "./watch.ts";
export {
  type Detections,
  detectionsSchema,
  type FrameMetadata,
  type FrameResult,
  frameResultSchema,
  type OutputValue,
} from "./workflow-result.ts";
// Workflows
export {
  type Json,
  jsonSchema,
  type WorkflowInput,
  type WorkflowOutput,
  type WorkflowProblem,
  type WorkflowSpec,
  type WorkflowStep,
  workflowProblemSchema,
  workflowSpecSchema,
} from "./workflow-spec.ts";
