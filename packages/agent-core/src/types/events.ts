import type { ErrorView } from "./errors.ts";
import type { Json } from "./json.ts";
import type {
  ArtifactRef,
  Message,
  PauseRecord,
  Principal,
  RunMetrics,
  ToolCall,
  ToolResultPart,
  Usage,
} from "./message.ts";

/** AI-8: why a model stopped. */
export type StopReason =
  | "complete"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause"
  | "refusal"
  | "context_exceeded"
  | "compaction"
  | "content_filter"
  | "steered";

/** What a run is doing. */
export type LoopState =
  | "idle"
  | "preparing"
  | "sending"
  | "backing_off"
  | "executing_tools"
  | "compacting"
  | "paused"
  | "complete"
  | "error"
  | "timeout"
  | "cancelled";

/** Why a run stopped although the model was not done. */
export type RunStopReason =
  | "deadline"
  | "budget"
  /** The model declined, or the host's guard did. */
  | "refusal"
  /** The same call gave the same result again and again. */
  | "loop"
  | "max_iterations"
  | "max_tool_calls"
  | "max_output_tokens"
  | "tool_errors"
  | "context_exhausted"
  | "empty_answer"
  /** A condition of the host. */
  | "stop_condition";

/** What something a person should know of is about. Programs branch on this, never on the words. */
export type WarningCode =
  // The model was asked for something it does not take.
  | "cache_plan"
  | "effort_ignored"
  | "output_schema_ignored"
  | "reasoning_bounded"
  | "reasoning_ignored"
  | "temperature_ignored"
  | "tool_choice_ignored"
  // The model was not shown something, or its answer lacks something.
  | "image_not_shown"
  | "image_unavailable"
  | "image_unfit"
  | "images_dropped"
  | "reasoning_dropped"
  | "context_exceeded"
  | "stop_reason_unknown"
  | "usage_missing"
  | "usage_doubtful"
  // The model itself.
  | "model_deprecated"
  | "profiles_builtin"
  // Tools.
  | "unknown_tools"
  | "call_interrupted"
  | "project_failed"
  | "spill_failed"
  | "tool_abandoned"
  | "tool_data_invalid"
  | "tool_data_too_large"
  | "mcp_connection_lost"
  | "mcp_list_failed"
  | "mcp_tool_left_out"
  // The run and its record.
  | "budget"
  | "host_callback"
  | "session_write"
  | "steering_refused"
  | "steering_unheard"
  | "transcript_repaired";

/** Something a person should know of that stopped nothing. */
export interface AgentWarning {
  readonly code: WarningCode;
  /** One sentence for people. */
  readonly message: string;
}

/** Takes a warning where it comes up. */
export type Warn = (code: WarningCode, message: string) => void;

/** Shared by every event. `seq` is dense and strictly increasing within a run. */
export interface EventBase {
  readonly v: 1;
  readonly seq: number;
  readonly runId: string;
  readonly sessionId: string;
  readonly turn: number;
  readonly ts: string;
}

/** What happened, by `type`. */
export type AgentEventBody =
  | {
      readonly type: "run_started";
      readonly task: string;
      readonly trigger: "message" | "resume" | "job" | "heartbeat" | "recovery";
      readonly model: string;
    }
  | { readonly type: "state"; readonly from: LoopState; readonly to: LoopState; readonly why: string }
  /** A model call is about to be made. */
  | { readonly type: "request"; readonly model: string; readonly context: ContextReport; readonly attempt: number }
  | { readonly type: "text_delta"; readonly messageId: string; readonly text: string }
  | { readonly type: "thinking_delta"; readonly messageId: string; readonly text: string }
  | { readonly type: "tool_input_delta"; readonly callId: string; readonly toolName: string; readonly json: string }
  | { readonly type: "message"; readonly message: Message; readonly stopReason: StopReason; readonly usage: Usage }
  /** What came under this id is void: the attempt failed, or the answer has not the shape that was asked for. Another follows. */
  | { readonly type: "discarded"; readonly messageId: string; readonly why: string }
  | { readonly type: "tool_call"; readonly call: ToolCall; readonly decision: "allow" | "deny" | "ask" }
  | { readonly type: "tool_progress"; readonly callId: string; readonly note: string; readonly fraction?: number }
  | {
      readonly type: "tool_result";
      readonly result: ToolResultPart;
      readonly durationMs: number;
      /** The call was made in an earlier life of the program. */
      readonly replayed: boolean;
    }
  | { readonly type: "artifact"; readonly ref: ArtifactRef; readonly reason: "input" | "tool" | "spill" }
  | { readonly type: "signal"; readonly name: string; readonly data: Json; readonly via: "tool" | "text" }
  | { readonly type: "paused"; readonly pause: PauseRecord }
  | { readonly type: "resumed"; readonly pauseId: string; readonly by: Principal }
  | { readonly type: "steered"; readonly messageIds: readonly string[] }
  | {
      readonly type: "context";
      readonly action: "cleared" | "compacted" | "reasoning_dropped" | "state_snapshot";
      /** Tokens. */
      readonly before: number;
      readonly after: number;
      readonly detail?: Json;
    }
  | {
      readonly type: "budget";
      readonly level: "warn" | "stop";
      readonly scope: string;
      readonly spentMicroUsd: number;
      readonly limitMicroUsd: number;
    }
  | {
      readonly type: "alert";
      readonly severity: "info" | "warning" | "critical";
      readonly text: string;
      readonly data?: Json;
    }
  | { readonly type: "stream_event"; readonly source: string; readonly data: Json }
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly error: ErrorView }
  | ({ readonly type: "warning"; readonly data?: Json } & AgentWarning)
  | { readonly type: "error"; readonly error: ErrorView; readonly stopsRun: boolean }
  /** What the model answered, and nothing else. */
  | { readonly type: "response"; readonly text: string; readonly messageId: string }
  | { readonly type: "run_ended"; readonly outcome: ExecutionOutcome };
/** Something that happened in a run, with its place in it. */
export type AgentEvent = EventBase & AgentEventBody;
/** The event of one type. */
export type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** What is made of an event, by its type; nothing of those that are absent. */
export type EventTable<Made, More extends readonly unknown[] = []> = {
  readonly [Type in AgentEvent["type"]]?: (event: EventOf<Type>, ...more: More) => Made;
};

/** What the table makes of this event; undefined when it is not in it. */
export function byEventType<Made, More extends readonly unknown[]>(
  table: EventTable<Made, More>,
  event: AgentEvent,
  ...more: More
): Made | undefined {
  const make = table[event.type] as ((event: AgentEvent, ...more: More) => Made) | undefined;
  return make?.(event, ...more);
}

/** What a request is made of, in tokens, bytes and images. */
export interface ContextReport {
  readonly tokens: {
    readonly tools: number;
    readonly system: number;
    readonly state: number;
    readonly history: number;
    readonly images: number;
    readonly total: number;
  };
  /** Counted by the provider, or estimated here. */
  readonly source: "counted" | "estimated";
  readonly bytes: number;
  readonly images: number;
  /** Tokens that the cache should serve. */
  readonly expectedCachedTokens: number;
}

/** A finding for the program that started the run. */
export interface Signal {
  readonly name: string;
  readonly data: Json;
}

/** How a run ended. */
export type ExecutionOutcome = {
  readonly metrics: RunMetrics;
  readonly warnings: readonly AgentWarning[];
  readonly signals: readonly Signal[];
} /** The model is done, or a tool ended the run with `terminate`: then `text` is what that tool said. */ & (
  | {
      readonly status: "finished";
      readonly by: "model" | "tool";
      readonly text: string;
      /** The answer as JSON, where a schema was asked for. */
      readonly structured?: Json;
    }
  | {
      readonly status: "stopped";
      readonly reason: RunStopReason;
      /** One sentence for people. */
      readonly message: string;
      /** What the model said last; may be empty. */
      readonly text: string;
    }
  | { readonly status: "paused"; readonly pause: PauseRecord }
  | { readonly status: "failed"; readonly error: ErrorView; readonly text?: string }
  | { readonly status: "cancelled"; readonly reason: string; readonly text?: string }
);
