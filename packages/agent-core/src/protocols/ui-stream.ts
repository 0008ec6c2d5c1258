// AgentEvent → chunks of the AI SDK's UI message stream, version 1
import type { AgentEvent, ExecutionOutcome } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ToolResultPart } from "../types/message.ts";
import { textOf } from "./vocabularies.ts";

/** One chunk, as JSON. Its `type` is a word of the AI SDK. */
export type UiChunk = { readonly type: string; readonly [key: string]: Json };

/** Send it with the first byte, beside `SSE_HEADERS`. */
export const UI_STREAM_HEADERS: Readonly<Record<string, string>> = { "x-vercel-ai-ui-message-stream": "v1" };

/** The last line of such a stream. */
export const UI_STREAM_END = "data: [DONE]\n\n";

type Open = { readonly kind: "text" | "reasoning"; readonly id: string };

/**
 * Translates the events of one run, in order. Parts are opened and closed as that protocol wants it, so the projection
 * has a memory: make one for each reader.
 */
export function createUiStream(): (event: AgentEvent) => readonly UiChunk[] {
  let open: Open | undefined;
  let inStep = false;
  const begun = new Set<string>();

  const close = (): UiChunk[] => {
    const chunks = open ? [{ type: `${open.kind}-end`, id: open.id }] : [];
    open = undefined;
    return chunks;
  };
  const closeStep = (): UiChunk[] => {
    const chunks = [...close(), ...(inStep ? [{ type: "finish-step" }] : [])];
    inStep = false;
    return chunks;
  };
  const delta = (kind: Open["kind"], messageId: string, text: string): UiChunk[] => {
    const id = `${messageId}:${kind}`;
    const isOpen = open?.id === id;
    const start = isOpen ? [] : [...close(), { type: `${kind}-start`, id }];
    open = { kind, id };
    return [...start, { type: `${kind}-delta`, id, delta: text }];
  };
  const beginInput = (toolCallId: string, toolName: string): UiChunk[] => {
    if (begun.has(toolCallId)) return [];
    begun.add(toolCallId);
    return [...close(), { type: "tool-input-start", toolCallId, toolName, dynamic: true }];
  };

  return (event) => {
    switch (event.type) {
      case "run_started":
        return [{ type: "start", messageId: event.runId }];
      case "state": {
        // An attempt that is made again belongs to the step that it began in.
        if (event.to !== "sending" || event.from === "backing_off") return [];
        const chunks = [...closeStep(), { type: "start-step" }];
        inStep = true;
        return chunks;
      }
      case "text_delta":
        return delta("text", event.messageId, event.text);
      case "thinking_delta":
        return delta("reasoning", event.messageId, event.text);
      case "tool_input_delta":
        return [
          ...beginInput(event.callId, event.toolName),
          { type: "tool-input-delta", toolCallId: event.callId, inputTextDelta: event.json },
        ];
      case "message":
        return event.stopReason === "tool_use" ? close() : closeStep();
      case "discarded":
        open = undefined;
        return [{ type: "reset-step" }];
      case "tool_call": {
        const { id: toolCallId, toolName, arguments: input } = event.call;
        const available = { type: "tool-input-available", toolCallId, toolName, input: { ...input }, dynamic: true };
        return [...beginInput(toolCallId, toolName), available];
      }
      case "tool_result":
        return [toOutput(event.result)];
      case "paused":
        return event.pause.calls.map(({ callId: toolCallId }) => ({
          type: "tool-approval-request",
          approvalId: event.pause.id,
          toolCallId,
        }));
      case "signal":
        return [{ type: "data-signal", data: { name: event.name, data: event.data } }];
      case "alert":
        return [{ type: "data-alert", data: { severity: event.severity, text: event.text } }];
      case "warning":
        return [toNotice(event)];
      case "retry":
        return [toNotice(event.error)];
      case "error":
        return event.stopsRun ? [] : [toNotice(event.error)];
      case "run_ended":
        return [...closeStep(), ...toEnd(event.outcome)];
      default:
        return [];
    }
  };
}

function toNotice({ code, message }: { readonly code: string; readonly message: string }): UiChunk {
  return { type: "data-notice", data: { code, message } };
}

function toOutput(result: ToolResultPart): UiChunk {
  const { callId: toolCallId, outcome } = result;
  const text = textOf(result);
  if (outcome === "ok") return { type: "tool-output-available", toolCallId, output: text, dynamic: true };
  if (outcome === "denied") return { type: "tool-output-denied", toolCallId };
  return { type: "tool-output-error", toolCallId, errorText: text, dynamic: true };
}

function toEnd(outcome: ExecutionOutcome): UiChunk[] {
  if (outcome.status === "failed") return [{ type: "error", errorText: outcome.error.message }];
  return [{ type: outcome.status === "cancelled" ? "abort" : "finish" }];
}
