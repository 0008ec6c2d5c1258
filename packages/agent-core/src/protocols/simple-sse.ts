// AgentEvent → the small dialect: token, tool_start, tool_complete, pause, reset, warning, alert, error, done
import type { AgentEvent, ExecutionOutcome } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { SseMessage } from "./sse.ts";

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
