// AgentEvent → the events of the assistant's own interface, of agent_flow, and of the simple stream
import { imagePlaceholder } from "../observability/redact.ts";
import { type AgentEvent, byEventType, type EventTable, type ExecutionOutcome } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import { type ToolResultPart, textOf } from "../types/message.ts";
import type { SseMessage } from "./sse.ts";

/** The eight kinds of events of the core protocol. */
export type CoreEventType =
  | "thinking"
  | "tool_call"
  | "tool_result"
  | "response"
  | "alert"
  | "stream_event"
  | "error"
  | "ask_user";

/** An event in the vocabulary of the core protocol. */
export interface CoreEvent {
  readonly type: CoreEventType;
  readonly data: Json;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** Absent for what that interface does not show. */
export function toCoreEvent(event: AgentEvent): CoreEvent | undefined {
  const told = byEventType(CORE, event);
  return told && { type: told[0], data: told[1], timestamp: Date.parse(event.ts) / 1000 };
}

const CORE: EventTable<readonly [CoreEventType, Json] | undefined> = {
  thinking_delta: ({ text }) => ["thinking", { text }],
  tool_call: ({ call }) => ["tool_call", { id: call.id, name: call.toolName, input: { ...call.arguments } }],
  tool_result({ result }) {
    const { callId, toolName, outcome, data } = result;
    const told = { id: callId, name: toolName, text: wordsOf(result), is_error: outcome !== "ok" };
    return ["tool_result", data === undefined ? told : { ...told, data }];
  },
  response: ({ text }) => ["response", { text }],
  alert: ({ severity, text, data = null }) => ["alert", { severity, text, data }],
  stream_event: ({ source, data }) => ["stream_event", { source, data }],
  paused: ({ pause: { id, kind, prompt } }) => ["ask_user", { id, kind, prompt }],
  warning: ({ code, message }) => ["error", { code, message }],
  retry: ({ error: { code, message } }) => ["error", { code, message }],
  error: ({ error: { code, message } }) => ["error", { code, message }],
  run_ended({ outcome }) {
    if (outcome.status !== "stopped") return undefined;
    return ["error", { code: outcome.reason, message: outcome.message }];
  },
};

/** An event in the vocabulary of agent_flow. */
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
  /** Always the last. `summary` is the answer, as far as it came; `reason` says why it is not whole, else it is empty. */
  | {
      readonly kind: "Finished";
      readonly summary: string;
      readonly status: ExecutionOutcome["status"];
      readonly reason: string;
    };

/** Absent for what that vocabulary has no word for. */
export function toFlowEvent(event: AgentEvent): FlowEvent | undefined {
  return byEventType(FLOW, event);
}

const FLOW: EventTable<FlowEvent | undefined> = {
  thinking_delta: ({ text }) => ({ kind: "Thinking", text }),
  message({ message, stopReason }) {
    // The last text of a run is its summary; what is said before tools is thinking aloud.
    const text = textOf(message.parts);
    return stopReason === "tool_use" && text !== "" ? { kind: "Thinking", text } : undefined;
  },
  tool_call: ({ call: { toolName: name, arguments: args, id } }) => {
    return { kind: "ToolCallAttempted", name, args: { ...args }, id };
  },
  tool_result({ result }) {
    const { callId: id, toolName, data } = result;
    const told = { kind: "ToolCallCompleted", id, result: wordsOf(result), toolName } as const;
    return data === undefined ? told : { ...told, data };
  },
  warning: ({ message: error }) => ({ kind: "ExecutionError", error }),
  retry: ({ error }) => ({ kind: "ExecutionError", error: error.message }),
  error: ({ error }) => ({ kind: "ExecutionError", error: error.message }),
  run_ended: ({ outcome }) => ({
    kind: "Finished",
    summary: answerOf(outcome),
    status: outcome.status,
    reason: reasonOf(outcome),
  }),
};

/** For people. */
function reasonOf(outcome: ExecutionOutcome): string {
  switch (outcome.status) {
    case "finished":
      return "";
    case "stopped":
      return outcome.message;
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
 * SC-6, SC-19: none, one or two messages. `start` comes at once, so that a client has an id before the model speaks. `done` is always the last of a run; just before it comes `error` when it
 * failed, or `warning` when it was stopped. The type stands in the data too, for clients that look at nothing else.
 */
export function toSimpleSse(event: AgentEvent): readonly SimpleSseMessage[] {
  const id = `${event.runId}:${event.seq}`;
  const told = byEventType(SIMPLE, event) ?? [];
  return told.map(([type, data]) => ({ id, event: type, data: { type, ...data } }));
}

const SIMPLE: EventTable<readonly (readonly [type: string, data: { readonly [key: string]: Json }])[]> = {
  run_started: ({ runId, sessionId }) => [["start", { runId, sessionId }]],
  text_delta: ({ text, messageId }) => [["token", { text, messageId }]],
  tool_call: ({ call }) => [["tool_start", { tool: call.toolName, id: call.id }]],
  tool_result: ({ result: { toolName: tool, callId: id, outcome } }) => [
    ["tool_complete", { tool, id, isError: outcome !== "ok" }],
  ],
  discarded: ({ messageId }) => [["reset", { messageId }]],
  paused: ({ pause: { id, kind, prompt } }) => [["pause", { pause: { id, kind, prompt } }]],
  alert: ({ severity, text }) => [["alert", { severity, text }]],
  warning: ({ code, message }) => [["warning", { code, message }]],
  retry: ({ error: { code, message } }) => [["warning", { code, message }]],
  run_ended({ outcome }) {
    const signals = outcome.signals.map(({ name, data }) => ({ type: name, data }));
    const done = ["done", { signals, fullResponse: answerOf(outcome) }] as const;
    if (outcome.status === "stopped") {
      return [["warning", { code: outcome.reason, message: outcome.message }], done];
    }
    if (outcome.status !== "failed") return [done];
    const { code, message } = outcome.error;
    return [["error", { code, message }], done];
  },
};

function answerOf(outcome: ExecutionOutcome): string {
  return outcome.status === "paused" ? "" : (outcome.text ?? "");
}

/** A result in words; a picture is named, never shown. VI-15 */
export function wordsOf(result: ToolResultPart): string {
  return result.content
    .map((part) => (part.type === "text" ? part.text : (part.alt ?? imagePlaceholder(part.mimeType, 0))))
    .join("\n");
}
