// Frames and what is found in them

export { type Alert, alertSchema, type Severity, severitySchema } from "./alert.ts";
export {
  type CameraChange,
  cameraChangeSchema,
  configViewSchema,
  type Job,
  jobSchema,
  type MemoryFound,
  memoryAnswerSchema,
  memoryDaySchema,
  type NewCamera,
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
  type BackendBlock,
  type BackendsStatus,
  type BlockSummary,
  type Blocks,
  backendsSchema,
  blockSchema,
  blockSummarySchema,
  blocksSchema,
  type Infer,
  type Inferred,
  inferredSchema,
  inferSchema,
  type ServerStatus,
  serverStatusSchema,
} from "./backends-api.ts";
// Cameras and pipelines
export {
  type Camera,
  cameraSchema,
  type ProbeFailure,
  type ProbeResult,
  probeFailureSchema,
  probeResultSchema,
} from "./camera.ts";
export { type Detections, detectionsSchema } from "./detection.ts";
export {
  type Change,
  type Changes,
  changeSchema,
  changesSchema,
  type Effect,
  effectSchema,
  NO_CHANGES,
  type Receipt,
  receiptSchema,
} from "./effect.ts";
export { type FrameMetadata, frameMetadataSchema } from "./frame.ts";
export { type JobState, jobRunSchema, jobStateSchema } from "./job.ts";
export { type Json, jsonSchema } from "./json.ts";
export {
  type BackendName,
  backendNameSchema,
  type PipelineHandle,
  type PipelineState,
  type PipelineStatus,
  pipelineHandleSchema,
  pipelineStateSchema,
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
  type StartPipeline,
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
  type SceneEvent,
  type SceneEventKind,
  sceneEventKindSchema,
  sceneEventSchema,
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
  type ClassCount,
  classCountSchema,
  type SeenBox,
  type Sighting,
  seenBoxSchema,
  sightingSchema,
  type Task,
  type ToolDataOf,
  type ToolName,
  taskSchema,
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
  type FrameResult,
  frameResultSchema,
  type OutputValue,
  outputValueSchema,
} from "./workflow-result.ts";
// Workflows
export {
  type WorkflowInput,
  type WorkflowOutput,
  type WorkflowProblem,
  type WorkflowSpec,
  type WorkflowStep,
  workflowInputSchema,
  workflowOutputSchema,
  workflowProblemSchema,
  workflowSpecSchema,
  workflowStepSchema,
} from "./workflow-spec.ts";
