// messages → flat entries, and lines of text
import type { Json } from "../types/json.ts";
import type { ImagePart, Message, Part } from "../types/message.ts";
import type { TokenCounter } from "./token-counter.ts";

/** AF-18: one thing that was said or done. */
export type HistoryEntry =
  | { readonly kind: "UserMessage"; readonly text: string }
  | { readonly kind: "AgentMessage"; readonly text: string }
  | { readonly kind: "AgentThinking"; readonly text: string }
  | {
      readonly kind: "ToolCall";
      readonly name: string;
      readonly args: { readonly [key: string]: Json };
      readonly id: string;
    }
  | {
      readonly kind: "ToolResult";
      readonly id: string;
      readonly result: string;
      readonly toolName: string;
      readonly data?: Json;
    };

/** In order; parts without words (a picture alone) are named. */
export function toHistoryEntries(messages: readonly Message[]): readonly HistoryEntry[] {
  return messages.flatMap((message) => message.parts.flatMap((part) => toEntry(part, message.role === "assistant")));
}

function toEntry(part: Part, fromAgent: boolean): readonly HistoryEntry[] {
  switch (part.type) {
    case "text":
    case "state_note":
    case "image": {
      const text = part.type === "image" ? nameOf(part) : part.text;
      return text === "" ? [] : [{ kind: fromAgent ? "AgentMessage" : "UserMessage", text }];
    }
    case "reasoning":
      return part.text === "" ? [] : [{ kind: "AgentThinking", text: part.text }];
    case "tool_call":
      return [{ kind: "ToolCall", name: part.call.toolName, args: part.call.arguments, id: part.call.id }];
    case "tool_result": {
      const { callId: id, toolName, data } = part;
      const result = part.content.map((item) => (item.type === "text" ? item.text : nameOf(item))).join("\n");
      const entry = { kind: "ToolResult", id, result, toolName } as const;
      return [data === undefined ? entry : { ...entry, data }];
    }
    case "provider":
      return [];
  }
}

/** One line of plain text; longer ones than `maxChars` are cut. */
export function toLine(entry: HistoryEntry, maxChars = Number.POSITIVE_INFINITY): string {
  const cut = (text: string): string =>
    text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()} […]`;
  switch (entry.kind) {
    case "UserMessage":
      return `User: ${cut(entry.text)}`;
    case "AgentMessage":
      return `Agent: ${cut(entry.text)}`;
    case "AgentThinking":
      return `Agent (thinking): ${cut(entry.text)}`;
    case "ToolCall":
      return `Call ${entry.name}: ${cut(JSON.stringify(entry.args))}`;
    case "ToolResult":
      return `Result of ${entry.toolName}: ${cut(entry.result)}`;
  }
}

/** AF-22: the newest lines that fit, in order, under a line that says how many are gone. */
export function newestLines(
  lines: readonly string[],
  maxTokens: number,
  counter: TokenCounter,
): { readonly text: string; readonly dropped: number } {
  const whole = lines.join("\n");
  if (counter.text(whole) <= maxTokens) return { text: whole, dropped: 0 };
  let left = maxTokens - counter.text(goneLine(lines.length));
  let first = lines.length;
  while (first > 0) {
    const cost = counter.text(`${lines[first - 1]}\n`);
    if (cost > left) break;
    left -= cost;
    first -= 1;
  }
  const text = [goneLine(first), ...lines.slice(first)].join("\n");
  return counter.text(text) <= maxTokens ? { text, dropped: first } : { text: "", dropped: lines.length };
}

function goneLine(count: number): string {
  return `[${count} earlier lines left out]`;
}

function nameOf(image: ImagePart): string {
  return `[picture: ${image.alt ?? image.filename ?? image.artifactId}]`;
}
