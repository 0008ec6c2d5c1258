// gathered parts → one LLMResponse
import type { AgentWarning, StopReason } from "../types/events.ts";
import type { Part } from "../types/message.ts";
import type { Usage } from "../types/usage.ts";
import type { LLMResponse } from "./llm-client.ts";

/** What the call knows about its answer, whoever gave it. */
export interface AnswerContext {
  readonly messageId: string;
  /** As it was asked for: signed parts are bound to it. */
  readonly requestModel: string;
  /** ISO 8601. */
  readonly ts: string;
  readonly requestId: string | undefined;
  readonly warnings: readonly AgentWarning[];
}

export function finishResponse(
  gathered: {
    readonly parts: readonly Part[];
    readonly usage: Usage;
    readonly stopReason: StopReason;
    readonly stopDetail?: LLMResponse["stopDetail"];
    /** As the provider named it; empty when it did not. */
    readonly model: string;
  },
  { messageId, requestModel, ts, requestId, warnings }: AnswerContext,
): LLMResponse {
  const { parts, usage, stopReason, stopDetail } = gathered;
  return {
    message: { id: messageId, role: "assistant", parts, ts, origin: "model", model: requestModel },
    content: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    toolCalls: parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : [])),
    usage,
    stopReason,
    stopDetail,
    model: gathered.model || requestModel,
    requestId,
    warnings: [...warnings],
  };
}

/** Text that can be shown; nothing to show is a sign of life. */
export function shownDelta(
  type: "text" | "thinking",
  text: string,
): { readonly type: "text" | "thinking"; readonly text: string } | { readonly type: "alive" } {
  return text === "" ? { type: "alive" } : { type, text };
}

/** The context of an answer whose server did not say what it used. */
export function withoutUsage(context: AnswerContext): AnswerContext {
  const message = "The server did not say how many tokens were used.";
  return { ...context, warnings: [...context.warnings, { code: "usage_missing", message }] };
}
