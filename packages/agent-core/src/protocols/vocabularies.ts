// AgentEvent → the events of the assistant's own interface, of agent_flow, and of the simple stream
import { imagePlaceholder } from "../observability/redact.ts";
import type { AgentEvent, ExecutionOutcome } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ToolResultPart } from "../types/message.ts";
import type { SseMessage } from "./sse.ts";

/** VA-1 */
export type CoreEventType =
  | "thinking"
  | "tool_call"
  | "tool_result"
  | "response"
  | "alert"
  | "stream_event"
  | "error"
  | "ask_user";

export interface CoreEvent {
  readonly type: CoreEventType;
  readonly data: Json;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** Absent for what that interface does not show. */
export function toCoreEvent(event: AgentEvent): CoreEvent | undefined {
  const told = translate(event);
  return told && { type: told[0], data: told[1], timestamp: Date.parse(event.ts) / 1000 };
}

function translate(event: AgentEvent): readonly [CoreEventType, Json] | undefined {
  switch (event.type) {
    case "thinking_delta":
      return ["thinking", { text: event.text }];
    case "tool_call":
      return ["tool_call", { id: event.call.id, name: event.call.toolName, input: { ...event.call.arguments } }];
    case "tool_result": {
      const { callId, toolName, outcome, data } = event.result;
      const told = { id: callId, name: toolName, text: textOf(event.result), is_error: outcome !== "ok" };
      return ["tool_result", data === undefined ? told : { ...told, data }];
    }
    case "response":
      return ["response", { text: event.text }];
    case "alert":
      return ["alert", { severity: event.severity, text: event.text, data: event.data ?? null }];
    case "stream_event":
      return ["stream_event", { source: event.source, data: event.data }];
    case "paused":
      return ["ask_user", { id: event.pause.id, kind: event.pause.kind, prompt: event.pause.prompt }];
    case "warning":
      return ["error", { code: event.code, message: event.message }];
    case "retry":
    case "error":
      return ["error", { code: event.error.code, message: event.error.message }];
    default:
      return undefined;
  }
}

/** AF-31 */
export type FlowEvent =
  | { readonly kind: "Thinking"; readonly text: string }
  | { readonly kind: "ToolCallAttempted"; readonly name: string; readonly args: Json; readonly id: string }
  | {
      readonly kind: "ToolCallCompleted";
      readonly id: string;
      readonly result: string;
      readonly toolName: string;
      readonly data?: Json;
    }
  /** Does not stop the run. */
  | { readonly kind: "ExecutionError"; readonly error: string }
  | { readonly kind: "Finished"; readonly summary: string };

/** Absent for what that vocabulary has no word for. */
export function toFlowEvent(event: AgentEvent): FlowEvent | undefined {
  switch (event.type) {
    case "thinking_delta":
      return { kind: "Thinking", text: event.text };
    case "message": {
      // The last text of a run is its summary; what is said before tools is thinking aloud.
      const text = event.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      return event.stopReason === "tool_use" && text !== "" ? { kind: "Thinking", text } : undefined;
    }
    case "tool_call": {
      const { toolName: name, arguments: args, id } = event.call;
      return { kind: "ToolCallAttempted", name, args: { ...args }, id };
    }
    case "tool_result": {
      const { callId: id, toolName, data } = event.result;
      const told = { kind: "ToolCallCompleted", id, result: textOf(event.result), toolName } as const;
      return data === undefined ? told : { ...told, data };
    }
    case "warning":
      return { kind: "ExecutionError", error: event.message };
    case "retry":
    case "error":
      return { kind: "ExecutionError", error: event.error.message };
    case "run_ended":
      return { kind: "Finished", summary: summaryOf(event.outcome) };
    default:
      return undefined;
  }
}

function summaryOf(outcome: Extract<AgentEvent, { type: "run_ended" }>["outcome"]): string {
  switch (outcome.status) {
    case "finished":
      return outcome.summary;
    case "paused":
      return outcome.pause.prompt;
    case "failed":
      return outcome.error.message;
    case "cancelled":
      return outcome.reason;
  }
}

/** A message whose id and event are always there. */
export type SimpleSseMessage = Required<SseMessage>;

/**
 * SC-6, SC-19: none, one or two messages. `done` is always the last of a run; when it failed, `error` comes just
 * before it. The type stands in the data too, for clients that look at nothing else.
 */
export function toSimpleSse(event: AgentEvent): readonly SimpleSseMessage[] {
  const id = `${event.runId}:${event.seq}`;
  const message = (type: string, data: { readonly [key: string]: Json }): SimpleSseMessage => ({
    id,
    event: type,
    data: { type, ...data },
  });
  switch (event.type) {
    case "text_delta":
      return [message("token", { text: event.text })];
    case "tool_call":
      return [message("tool_start", { tool: event.call.toolName, id: event.call.id })];
    case "tool_result": {
      const { toolName, callId, outcome } = event.result;
      return [message("tool_complete", { tool: toolName, id: callId, isError: outcome !== "ok" })];
    }
    case "discarded":
      return [message("reset", { messageId: event.messageId })];
    case "paused": {
      const { id: pauseId, kind, prompt } = event.pause;
      return [message("pause", { pause: { id: pauseId, kind, prompt } })];
    }
    case "alert":
      return [message("alert", { severity: event.severity, text: event.text })];
    case "warning":
      return [message("warning", { code: event.code, message: event.message })];
    case "retry":
      return [message("warning", { code: event.error.code, message: event.error.message })];
    case "run_ended": {
      const { outcome } = event;
      const signals = outcome.signals.map(({ name, data }) => ({ type: name, data }));
      const done = message("done", { signals, fullResponse: answerOf(outcome) });
      if (outcome.status !== "failed") return [done];
      return [message("error", { code: outcome.error.code, message: outcome.error.message }), done];
    }
    default:
      return [];
  }
}

function answerOf(outcome: ExecutionOutcome): string {
  switch (outcome.status) {
    case "finished":
      return outcome.summary;
    case "paused":
      return "";
    case "failed":
    case "cancelled":
      return outcome.partial ?? "";
  }
}

/** A result in words; a picture is named, never shown. VI-15 */
export function textOf(result: ToolResultPart): string {
  return result.content
    .map((part) => (part.type === "text" ? part.text : (part.alt ?? imagePlaceholder(part.mimeType, 0))))
    .join("\n");
}
