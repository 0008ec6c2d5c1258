// AgentEvent → the eight events of the assistant's own interface
import type { AgentEvent } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import { textOf } from "./result-text.ts";

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
