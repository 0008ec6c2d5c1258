// AgentEvent → chunks of the AI SDK's UI message stream, version 1
import { type AgentEvent, byEventType, type EventTable, type ExecutionOutcome } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ToolResultPart } from "../types/message.ts";
import { wordsOf } from "./vocabularies.ts";

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

  const table: EventTable<readonly UiChunk[]> = {
    run_started: ({ runId }) => [{ type: "start", messageId: runId }],
    state({ to, from }) {
      // An attempt that is made again belongs to the step that it began in.
      if (to !== "sending" || from === "backing_off") return [];
      const chunks = [...closeStep(), { type: "start-step" }];
      inStep = true;
      return chunks;
    },
    text_delta: ({ messageId, text }) => delta("text", messageId, text),
    thinking_delta: ({ messageId, text }) => delta("reasoning", messageId, text),
    tool_input_delta: ({ callId: toolCallId, toolName, json: inputTextDelta }) => [
      ...beginInput(toolCallId, toolName),
      { type: "tool-input-delta", toolCallId, inputTextDelta },
    ],
    message: ({ stopReason }) => (stopReason === "tool_use" ? close() : closeStep()),
    discarded() {
      open = undefined;
      return [{ type: "reset-step" }];
    },
    tool_call: ({ call: { id: toolCallId, toolName, arguments: input } }) => [
      ...beginInput(toolCallId, toolName),
      { type: "tool-input-available", toolCallId, toolName, input: { ...input }, dynamic: true },
    ],
    tool_result: ({ result }) => [toOutput(result)],
    paused: ({ pause: { id: approvalId, calls } }) =>
      calls.map(({ callId: toolCallId }) => ({ type: "tool-approval-request", approvalId, toolCallId })),
    signal: ({ name, data }) => [{ type: "data-signal", data: { name, data } }],
    alert: ({ severity, text }) => [{ type: "data-alert", data: { severity, text } }],
    warning: (warning) => [toNotice(warning)],
    retry: ({ error }) => [toNotice(error)],
    error: ({ error, stopsRun }) => (stopsRun ? [] : [toNotice(error)]),
    run_ended: ({ outcome }) => [...closeStep(), ...toEnd(outcome)],
  };
  return (event) => byEventType(table, event) ?? [];
}

function toNotice({ code, message }: { readonly code: string; readonly message: string }): UiChunk {
  return { type: "data-notice", data: { code, message } };
}

function toOutput(result: ToolResultPart): UiChunk {
  const { callId: toolCallId, outcome } = result;
  const text = wordsOf(result);
  const output = result.data ?? text;
  if (outcome === "ok") return { type: "tool-output-available", toolCallId, output, dynamic: true };
  if (outcome === "denied") return { type: "tool-output-denied", toolCallId };
  return { type: "tool-output-error", toolCallId, errorText: text, dynamic: true };
}

function toEnd(outcome: ExecutionOutcome): UiChunk[] {
  if (outcome.status === "failed") return [{ type: "error", errorText: outcome.error.message }];
  if (outcome.status === "cancelled") return [{ type: "abort" }];
  const { status } = outcome;
  const notice = status === "stopped" ? [toNotice({ code: outcome.reason, message: outcome.message })] : [];
  return [...notice, { type: "finish" }];
}
