// An agent: a message in, an answer or events out

export {
  type AgentResult,
  AgentStream,
  type AnswerPause,
  type PauseReply,
  RunError,
} from "./agent/agent-stream.ts";
export {
  type Agent,
  type AgentOptions,
  createAgent,
  type MessageOptions,
  type ResumeMessageOptions,
} from "./agent/create-agent.ts";

// The loop itself

export { type AgentExecutor, createAgentExecutor } from "./agent/executor.ts";
export type { FlushReport } from "./agent/flush.ts";
export {
  type AgentExecutorOptions,
  DEFAULT_STOP,
  type ExecuteInput,
  type Flush,
  type Guard,
  type OutputCheck,
  type ResumeOptions,
  type RunBudgetOptions,
  type StopPolicy,
} from "./agent/options.ts";
export type { RecoveryReport } from "./agent/recover.ts";
export type { RunHandle } from "./agent/run.ts";

// Tools

export {
  type AskUserOptions,
  createAskUserTool,
  createReadArtifactTool,
  createThinkTool,
} from "./tools/built-in-tools.ts";
export { LOAD_TOOLS, toSentTools } from "./tools/deferred-tools.ts";
export { defineSignal, parseSignals, type SignalDefinition, TEXT_SIGNALS } from "./tools/signals.ts";
export {
  type ApprovalDecision,
  type ArgumentsOf,
  type BatchEnd,
  type BatchHooks,
  defineTool,
  type ExecutedCall,
  type JsonArguments,
  type ParametersSource,
  type PendingCall,
  type PutImageOptions,
  type RichOutput,
  type SchemaSource,
  type SchemaValue,
  type SettledCall,
  type Tool,
  type ToolContext,
  type ToolReturn,
  type ToolRun,
} from "./tools/tool.ts";
export { createToolExecutor, type ToolExecutor, type ToolExecutorOptions } from "./tools/tool-executor.ts";
export { createToolRegistry, type RegisteredTool, type ToolRegistry } from "./tools/tool-registry.ts";

// What the model is shown

export type { ContextBudget } from "./context/context-budget.ts";
export type { ContextManagerOptions } from "./context/context-manager.ts";
export type { PruningStrategy } from "./context/pruning.ts";
export {
  createLlmSummarizer,
  type LlmSummarizerOptions,
  type SummarizeOptions,
  type Summarizer,
  type Summary,
} from "./context/summarizer.ts";
export { type CharCounterOptions, createCharCounter, type TokenCounter } from "./context/token-counter.ts";

// Building prompts and conversations by hand

export {
  createPromptSections,
  type PromptSection,
  type PromptSectionsOptions,
  type PromptSource,
  type PromptWarning,
} from "./context/prompt-sections.ts";

// What the agent knows of its world

export type { EnvironmentOptions, InitialState } from "./context/environment.ts";
export type { EnvironmentState, EnvPatch, TaskStatus } from "./types/environment.ts";

// Models

export { toDataBlock } from "./llm/data-block.ts";
export { type AnswerFunction, decorateClient, relay, toCalls } from "./llm/decorated-client.ts";
export type {
  CachePlan,
  CallContext,
  ImageBytes,
  LanguageModel,
  LLMClient,
  LLMDelta,
  LLMRequest,
  LLMResponse,
  LLMStream,
  ModelProfile,
  Price,
  RequestConfig,
  SystemBlock,
  ToolDefinition,
} from "./llm/llm-client.ts";
export {
  createRetryBudget,
  DEFAULT_RETRY,
  type ModelRetryPolicy,
  type RetryBudget,
  type RetryOptions,
  withRetries,
} from "./llm/retry.ts";

// Money

export {
  type BudgetLedger,
  type BudgetLedgerOptions,
  type BudgetWarning,
  createBudgetLedger,
  type Reservation,
  type ScopeState,
  type SharePassed,
} from "./budget/budget-ledger.ts";
export { createMemoryLedgerStore, type LedgerRecord, type LedgerStore } from "./budget/ledger-store.ts";
export {
  type CallBudget,
  createPayingClient,
  type PaidCall,
  type PayingClientOptions,
} from "./budget/paying-client.ts";
export { costMicroUsd, worstCaseMicroUsd } from "./budget/price.ts";
export type { Priority, ReservationRequest } from "./budget/reservation-queue.ts";
export { createSpendLimit, type SpendLimit } from "./budget/spend-limit.ts";

// Bytes

export type { ArtifactRegistry } from "./artifacts/artifact-registry.ts";
export type {
  ArtifactFilter,
  ArtifactScope,
  ArtifactStore,
  PutOptions,
  Retention,
} from "./artifacts/artifact-store.ts";
export { type ImageHeader, readImageHeader } from "./artifacts/image-header.ts";
export type { ImagePreparer } from "./artifacts/image-preparer.ts";
export { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
export type { VisionInput } from "./artifacts/vision-input.ts";
export type { VisionContextPolicy } from "./artifacts/vision-policy.ts";

// Conversations

export { createMemorySessionStore } from "./session/memory-session-store.ts";
export type {
  ListedSession,
  RunSettings,
  Session,
  SessionStore,
  ToolIntentRecord,
  TranscriptDamage,
  TranscriptEntry,
  ViewEdit,
} from "./session/session-store.ts";

// What may be logged, measured and traced

export { createMetrics, type Metrics } from "./observability/metrics.ts";
export { createRedactor, type Redactor, type RedactorOptions } from "./observability/redact.ts";
export type { SecretPieces, Secrets } from "./observability/secret-filter.ts";
export { createSecretTokens, type SecretTokens, type SecretTokensOptions } from "./observability/secret-tokens.ts";

// Configuration

export { type EnvironmentVariables, Secret } from "./config/credentials.ts";

// Words

export { type Clock, type IdSource, raceAbort, randomIds, sleepUnless, systemClock } from "./types/clock.ts";
export { AgentError, type AgentErrorOptions, type ErrorKind, type ErrorView, toAgentError } from "./types/errors.ts";
export type {
  AgentEvent,
  AgentEventBody,
  AgentWarning,
  ContextReport,
  EventBase,
  ExecutionOutcome,
  LoopState,
  RunStopReason,
  Signal,
  StopReason,
  WarningCode,
} from "./types/events.ts";
export type { Json, JsonSchema } from "./types/json.ts";
export {
  type ArtifactRef,
  type ImageDetail,
  type ImagePart,
  type Message,
  NO_USAGE,
  type Opaque,
  type Part,
  type PauseKind,
  type PauseRecord,
  type PauseRequest,
  type Principal,
  type ProviderPart,
  type ReasoningPart,
  type Resolution,
  type Role,
  type RunMetrics,
  type StateNotePart,
  type TextPart,
  type ToolCall,
  type ToolCallPart,
  type ToolOutcome,
  type ToolResultPart,
  type Usage,
} from "./types/message.ts";
export type { StandardJsonSchema, StandardSchema } from "./types/standard-schema.ts";
