// The loop: a message in, events out
export type { AgentExecutor, ExecuteInput, PromptSource, RunHandle, VisionInput } from "./agent/agent-executor.ts";
export { createAgentExecutor } from "./agent/create-agent-executor.ts";
export type { AgentExecutorOptions, StopPolicy } from "./agent/executor-options.ts";
// Bytes
export type { ArtifactStore, PutOptions } from "./artifacts/artifact-store.ts";
export { type ImageHeader, readImageHeader } from "./artifacts/image-header.ts";
export { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
// What the model is shown
export { callsOf, toMessages } from "./context/history.ts";
// Models
export type {
  Agent,
  CallContext,
  LLMClient,
  LLMDelta,
  LLMRequest,
  LLMResponse,
  LLMStream,
  ModelProfile,
  RequestConfig,
  SystemBlock,
  ToolDefinition,
} from "./llm/llm-client.ts";
export { DEFAULT_RETRY, type RetryOptions, type RetryPolicy, withRetries } from "./llm/retry.ts";
// What may be logged
export { createRedactor, imagePlaceholder, type Redactor } from "./observability/redact.ts";
// Conversations
export { createMemorySessionStore } from "./session/memory-session-store.ts";
export type {
  Session,
  SessionStore,
  SessionSummary,
  TranscriptDamage,
  TranscriptEntry,
} from "./session/session-store.ts";
// Tools
export type { Principal, Tool, ToolContext, ToolOutput } from "./tools/tool.ts";
export {
  createToolExecutor,
  type ExecutedCall,
  type ToolExecutor,
  type ToolExecutorOptions,
  type ToolRun,
} from "./tools/tool-executor.ts";
export { createToolRegistry, type RegisteredTool, type ToolRegistry } from "./tools/tool-registry.ts";
// Words
export type { ArtifactRef } from "./types/artifact.ts";
export { type ChildAbort, createChildAbort, raceAbort } from "./types/child-abort.ts";
export type { Clock, IdSource } from "./types/clock.ts";
export { AgentError, type AgentErrorOptions, type ErrorKind, type ErrorView, toAgentError } from "./types/errors.ts";
export type {
  AgentEvent,
  AgentEventBody,
  EventBase,
  ExecutionOutcome,
  FinishReason,
  LoopState,
  StopReason,
} from "./types/events.ts";
export type { Json, JsonSchema } from "./types/json.ts";
export type {
  ImageDetail,
  ImagePart,
  Message,
  Opaque,
  Part,
  ReasoningPart,
  Role,
  StateNotePart,
  TextPart,
  ToolCall,
  ToolCallPart,
  ToolOutcome,
  ToolResultPart,
} from "./types/message.ts";
export { randomIds } from "./types/random-ids.ts";
export { systemClock } from "./types/system-clock.ts";
export { NO_USAGE, type RunMetrics, type Usage } from "./types/usage.ts";
