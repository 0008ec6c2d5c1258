// messages of the request → what was said last, and what the tools answered since
import type { Message, Part } from "@vision-agent/agent-core";
import type { Batch, ToolAnswer } from "./plans/plan.ts";

export interface SpokenTurn {
  readonly text: string;
  /** Artifact ids of the pictures that came with it, or with the last turn that had some. */
  readonly images: readonly string[];
  readonly hasImage: boolean;
  /** Oldest first. */
  readonly batches: readonly Batch[];
}

/** Undefined when nobody has said anything. `before`: the messages until then. */
export function readTurn(
  messages: readonly Message[],
): { readonly turn: SpokenTurn; readonly before: readonly Message[] } | undefined {
  const start = messages.findLastIndex(isInstruction);
  const message = messages[start];
  if (message === undefined) return undefined;
  const before = messages.slice(0, start);
  const own = imagesOf(message);
  const images =
    own.length > 0
      ? own
      : (before
          .filter(isInstruction)
          .map(imagesOf)
          .findLast((all) => all.length > 0) ?? []);
  const batches = readBatches(messages.slice(start + 1));
  return { turn: { text: textOf(message), images, hasImage: own.length > 0, batches }, before };
}

function isInstruction(message: Message): boolean {
  return message.role === "user" && message.parts.some(({ type }) => type === "text" || type === "image");
}

function imagesOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "image" ? [part.artifactId] : []));
}

function textOf(message: Message): string {
  const text = message.parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join(" ")
    .trim();
  return text === "" && message.parts.some(({ type }) => type === "image") ? "What is in this picture?" : text;
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
      { tool: part.toolName, ok: part.outcome === "ok", denied: part.outcome === "denied", text, data: part.data },
    ],
  ];
}
