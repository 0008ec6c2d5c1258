// messages of the request → the instruction that stands, and what the tools have said since
import type { Message, Part } from "@vision-agent/agent-core";
import type { ToolAnswer } from "./compose-answer.ts";
import { findCamera } from "./find-camera.ts";
import type { Known } from "./intent.ts";
import { toPlainWords } from "./parse-instruction.ts";

export interface Conversation {
  readonly instruction: string;
  /** Results since the instruction, oldest first. */
  readonly answers: readonly ToolAnswer[];
}

export function readConversation(messages: readonly Message[], known: Known): Conversation {
  const at = messages.findLastIndex(isInstruction);
  const last = messages[at];
  if (last === undefined) return { instruction: "", answers: [] };
  return {
    instruction: withQuestion(messages.slice(0, at), textOf(last), known),
    answers: messages.slice(at + 1).flatMap(({ parts }) => parts.flatMap(toAnswer)),
  };
}

/** An answer to our question, such as a camera's name alone, completes the instruction that was asked about. */
function withQuestion(before: readonly Message[], text: string, known: Known): string {
  const reply = before.findLast(({ role }) => role === "assistant");
  if (reply === undefined || !textOf(reply).endsWith("?")) return text;
  const camera = findCamera(toPlainWords(text), known.cameras);
  if (camera.kind !== "known" || !/^(the|on|at|please)?$/.test(camera.rest)) return text;
  const asked = before.findLast(isInstruction);
  return asked === undefined ? text : `${withoutUnknownCamera(textOf(asked), known)} on ${camera.name}`;
}

function withoutUnknownCamera(text: string, known: Known): string {
  const mention = findCamera(toPlainWords(text), known.cameras);
  if (mention.kind !== "unknown") return text;
  return mention.rest.replace(/\b(on|at|in|from)( the| my)?\s*( camera| cam)?$/, "").trim();
}

function isInstruction(message: Message): boolean {
  return message.role === "user" && message.parts.some(({ type }) => type === "text");
}

function textOf(message: Message): string {
  return message.parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join(" ")
    .trim();
}

function toAnswer(part: Part): readonly ToolAnswer[] {
  if (part.type !== "tool_result") return [];
  const text = part.content.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n");
  return [{ tool: part.toolName, ok: part.outcome === "ok", text }];
}
