// events of the agent's loop → events of the API: the one place where one becomes the other
import type { AgentEvent, ExecutionOutcome } from "@vision-agent/agent-core";
import type { Receipt, RunEvent, RunOutcome } from "@vision-agent/protocol";
import { imagesOf, textOf } from "../../sessions/to-chat-messages.ts";
import { type ChangeLedger, toReceipt } from "../../tools/change-ledger.ts";

export interface RunTranslatorOptions {
  /** Who answers, for people. */
  readonly speaker: string;
  /** What the tools changed. */
  readonly changes: Pick<ChangeLedger, "list">;
}

/** Sees every event of one run from the first on, because the end names all pictures shown and all changes made before. */
export function createRunTranslator(options: RunTranslatorOptions): (event: AgentEvent) => RunEvent | undefined {
  const images: string[] = [];
  const receiptAtEnd = createReceipt(options.changes);
  return (event) => {
    const receipt = receiptAtEnd(event);
    if (event.type === "tool_result") images.push(...imagesOf(event.result.content));
    if (event.type === "run_ended") return { type: "run_ended", outcome: toRunOutcome(event.outcome, images, receipt) };
    if (event.type === "run_started") {
      return { type: "run_started", run_id: event.runId, session_id: event.sessionId, speaker: options.speaker };
    }
    return toRunEvent(event);
  };
}

/** Sees every event of one run; gives its receipt with the last one, undefined when no tool ran. */
export function createReceipt({ list }: Pick<ChangeLedger, "list">): (event: AgentEvent) => Receipt | undefined {
  const tools: string[] = [];
  return (event) => {
    if (event.type === "tool_result") tools.push(event.result.toolName);
    return event.type === "run_ended" ? toReceipt(tools, list({ run: event.runId })) : undefined;
  };
}

/** Undefined for what the API does not report: states, whole messages, stored bytes. */
function toRunEvent(event: AgentEvent): RunEvent | undefined {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return { type: event.type, message_id: event.messageId, text: event.text };
    case "discarded":
      return { type: "discarded", message_id: event.messageId, reason: event.why };
    case "tool_call":
      return {
        type: "tool_call",
        call_id: event.call.id,
        tool: event.call.toolName,
        arguments: { ...event.call.arguments },
      };
    case "tool_result":
      return {
        type: "tool_result",
        call_id: event.result.callId,
        tool: event.result.toolName,
        outcome: event.result.outcome,
        text: textOf(event.result.content),
        images: [...imagesOf(event.result.content)],
        ...(event.result.data !== undefined && { data: event.result.data }),
        duration_ms: event.durationMs,
      };
    case "steered":
      return { type: "steered" };
    case "retry":
      return { type: "retry", attempt: event.attempt, delay_ms: event.delayMs, reason: event.error.message };
    case "warning":
      return { type: "warning", code: event.code, message: event.message };
    case "error":
      return { type: "error", code: event.error.code, message: event.error.message };
    default:
      return undefined;
  }
}

/** Words of the API. */
const FINISHED = { model: "complete", tool: "ended_by_tool" } as const;

export function toRunOutcome(outcome: ExecutionOutcome, images: readonly string[], receipt?: Receipt): RunOutcome {
  const common = {
    images: [...images],
    ...(outcome.warnings.length > 0 && { warnings: [...outcome.warnings] }),
    ...(receipt && { receipt }),
  };
  switch (outcome.status) {
    case "finished":
      return { status: "finished", text: outcome.text, reason: FINISHED[outcome.by], ...common };
    case "stopped": {
      const { reason: code, message, text } = outcome;
      return { status: "stopped", text, reason: message, code, ...common };
    }
    case "paused": {
      const { id, prompt } = outcome.pause;
      return { status: "paused", text: "", reason: prompt, pause_id: id, ...common };
    }
    case "failed":
      return { status: "failed", text: outcome.text ?? "", reason: outcome.error.message, ...common };
    case "cancelled":
      return { status: "cancelled", text: outcome.text ?? "", reason: outcome.reason, ...common };
  }
}
