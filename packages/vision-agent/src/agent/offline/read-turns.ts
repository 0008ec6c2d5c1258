// messages of the request → turns: what was said, and what the tools answered
import type { Message, Part } from "@vision-agent/agent-core";
import type { Batch, ToolAnswer } from "./plans/plan.ts";

export interface Turn {
  readonly text: string;
  /** Artifact ids of the pictures that came with it, or with the last turn that had some. */
  readonly images: readonly string[];
  readonly hasImage: boolean;
  /** Oldest first. */
  readonly batches: readonly Batch[];
  /** What was answered; empty while the turn goes on. */
  readonly reply: string;
}

/** More turns back nothing is remembered. */
const MOST_TURNS = 12;

/** The last one is what stands now. Empty when nobody has said anything. */
export function readTurns(messages: readonly Message[]): readonly Turn[] {
  const starts = messages.flatMap((message, at) => (isInstruction(message) ? [at] : [])).slice(-MOST_TURNS);
  let images: readonly string[] = [];
  return starts.flatMap((start, index) => {
    const message = messages[start];
    if (message === undefined) return [];
    const own = message.parts.flatMap((part) => (part.type === "image" ? [part.artifactId] : []));
    if (own.length > 0) images = own;
    const after = messages.slice(start + 1, starts[index + 1]);
    return [
      { text: textOf(message), images, hasImage: own.length > 0, batches: readBatches(after), reply: replyIn(after) },
    ];
  });
}

function isInstruction(message: Message): boolean {
  return message.role === "user" && message.parts.some(({ type }) => type === "text" || type === "image");
}

function textOf(message: Message): string {
  const text = message.parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join(" ")
    .trim();
  return text === "" && message.parts.some(({ type }) => type === "image") ? "What is in this picture?" : text;
}

function replyIn(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last === undefined || last.parts.some(({ type }) => type === "tool_call") ? "" : textOf(last);
}

/** Calls made together and their results, in the order of the calls. */
function readBatches(messages: readonly Message[]): readonly Batch[] {
  const results = new Map(messages.flatMap(({ parts }) => parts.flatMap(toAnswer)));
  return messages.flatMap(({ parts }) => {
    const calls = parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []));
    if (calls.length === 0) return [];
    return [
      {
        calls: calls.map(({ toolName, arguments: args }) => ({ tool: toolName, args })),
        answers: calls.map(
          ({ id, toolName }) => results.get(id) ?? { tool: toolName, ok: false, text: "It did not finish." },
        ),
      },
    ];
  });
}

function toAnswer(part: Part): readonly (readonly [string, ToolAnswer])[] {
  if (part.type !== "tool_result") return [];
  const text = part.content.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n");
  return [
    [
      part.callId,
      { tool: part.toolName, ok: part.outcome === "ok", text, ...(part.data !== undefined && { data: part.data }) },
    ],
  ];
}
