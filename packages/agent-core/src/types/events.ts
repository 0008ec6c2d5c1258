import type { ArtifactRef } from "./artifact.ts";
import type { ErrorView } from "./errors.ts";
import type { Json } from "./json.ts";
import type { Message, ToolCall, ToolResultPart } from "./message.ts";
import type { RunMetrics, Usage } from "./usage.ts";

/** AI-8, as a superset. */
export type StopReason =
  | "complete"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause"
  | "refusal"
  | "context_exceeded"
  | "content_filter";

/** AI-9 */
export type LoopState =
  | "idle"
  | "preparing"
  | "sending"
  | "backing_off"
  | "executing_tools"
  | "complete"
  | "error"
  | "timeout"
  | "cancelled";

export type FinishReason =
  | "complete"
  | "max_iterations"
  | "max_output_tokens"
  | "refusal"
  | "content_filter"
  | "context_exhausted"
  | "loop_detected";

/** Shared by every event. `seq` is dense and strictly increasing within a run. */
export interface EventBase {
  readonly v: 1;
  readonly seq: number;
  readonly runId: string;
  readonly sessionId: string;
  readonly turn: number;
  readonly ts: string;
}

export type AgentEventBody =
  | {
      readonly type: "run_started";
      readonly task: string;
      readonly trigger: "message" | "job" | "heartbeat";
      readonly model: string;
    }
  | { readonly type: "state"; readonly from: LoopState; readonly to: LoopState; readonly why: string }
  | { readonly type: "text_delta"; readonly messageId: string; readonly text: string }
  | { readonly type: "thinking_delta"; readonly messageId: string; readonly text: string }
  | { readonly type: "message"; readonly message: Message; readonly stopReason: StopReason; readonly usage: Usage }
  /** Partial output under this id is void: the attempt failed and is made again. */
  | { readonly type: "discarded"; readonly messageId: string; readonly why: string }
  | { readonly type: "tool_call"; readonly call: ToolCall }
  | { readonly type: "tool_result"; readonly result: ToolResultPart; readonly durationMs: number }
  | { readonly type: "artifact"; readonly ref: ArtifactRef; readonly reason: "input" | "tool" }
  | { readonly type: "steered"; readonly messageIds: readonly string[] }
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly error: ErrorView }
  | { readonly type: "warning"; readonly code: string; readonly message: string; readonly data?: Json }
  | { readonly type: "error"; readonly error: ErrorView; readonly stopsRun: boolean }
  | { readonly type: "response"; readonly text: string; readonly messageId: string }
  | { readonly type: "run_ended"; readonly outcome: ExecutionOutcome };
export type AgentEvent = EventBase & AgentEventBody;

export type ExecutionOutcome = { readonly metrics: RunMetrics; readonly warnings: readonly string[] } & (
  | { readonly status: "finished"; readonly finish: FinishReason; readonly summary: string }
  | { readonly status: "failed"; readonly error: ErrorView; readonly partial?: string }
  | { readonly status: "cancelled"; readonly reason: string; readonly partial?: string }
);
