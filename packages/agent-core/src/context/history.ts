// transcript → messages to send, every call answered
import type { TranscriptEntry } from "../session/session-store.ts";
import type { Message, ToolCall, ToolResultPart } from "../types/message.ts";

/**
 * Invariant 1: whatever was written, each tool call is followed by exactly one result, in the order of the calls.
 * A call whose result was never written (the program died) is answered with `interrupted`; a result without a call
 * is left out; an answer that was refused is left out.
 */
export function toMessages(entries: readonly TranscriptEntry[]): readonly Message[] {
  const messages = entries.flatMap((entry) =>
    entry.type === "message" && entry.stopReason !== "refusal" && entry.stopReason !== "content_filter"
      ? [entry.message]
      : [],
  );
  return messages.flatMap((message, index) => {
    if (message.role === "tool_result") return [];
    const calls = callsOf(message);
    return calls.length === 0 ? [message] : [message, ...answers(message, calls, resultsAfter(messages, index))];
  });
}

/** Calls that a message makes. */
export function callsOf(message: Message): readonly ToolCall[] {
  return message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []));
}

/** For a provider that refuses the thinking it once signed. */
export function withoutReasoning(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => part.type !== "reasoning"),
  }));
}

type Answer = { readonly message: Message; readonly part: ToolResultPart };

/** Results up to the next answer of the model, the first of each call. */
function resultsAfter(messages: readonly Message[], index: number): ReadonlyMap<string, Answer> {
  const results = new Map<string, Answer>();
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === "assistant") break;
    for (const part of message.parts) {
      if (part.type === "tool_result" && !results.has(part.callId)) results.set(part.callId, { message, part });
    }
  }
  return results;
}

function answers(asked: Message, calls: readonly ToolCall[], results: ReadonlyMap<string, Answer>): readonly Message[] {
  return calls.map((call) => {
    const answer = results.get(call.id);
    const part = answer ? { ...answer.part, toolName: call.toolName } : interrupted(call);
    return answer
      ? { ...answer.message, parts: [part] }
      : { id: `${asked.id}.${call.id}`, role: "tool_result", parts: [part], ts: asked.ts, origin: "core" };
  });
}

function interrupted(call: ToolCall): ToolResultPart {
  return {
    type: "tool_result",
    callId: call.id,
    toolName: call.toolName,
    outcome: "interrupted",
    content: [
      {
        type: "text",
        text: "Interrupted: the program stopped before the result was recorded. Check before repeating.",
      },
    ],
  };
}
