// a message and what is no longer sent of it → the message as it is sent
import type { ViewEdit } from "../session/session-store.ts";
import type { ImagePart, Message, Part, TextPart, ToolResultPart } from "../types/message.ts";

/** An edit of one part. `contentIndex` picks one picture of a tool result; absent means all of them. */
export type PartEdit = Exclude<ViewEdit, { op: "hide" }> & { readonly contentIndex?: number };

export function withPartEdits(message: Message, edits: readonly PartEdit[]): Message {
  const parts: Part[] = [];
  for (let index = 0; index < message.parts.length; index++) {
    const own = edits.filter((edit) => edit.partIndex === index);
    parts.push(...editPart(message.parts[index] as Part, own));
  }
  return { ...message, parts };
}

/** An edit that does not suit its part changes nothing. */
export function editPart(part: Part, edits: readonly PartEdit[]): readonly Part[] {
  if (edits.length === 0) return [part];
  if (part.type === "reasoning") return edits.some((edit) => edit.op === "drop_reasoning") ? [] : [part];
  if (part.type === "image") return edits.some((edit) => edit.op === "clear_image") ? [toPlaceholder(part)] : [part];
  if (part.type !== "tool_result") return [part];
  if (edits.some((edit) => edit.op === "clear_result")) return [toClearedResult(part)];
  const images = edits.filter((edit) => edit.op === "clear_image");
  if (images.length === 0) return [part];
  const isCleared = (at: number): boolean =>
    images.some((edit) => edit.contentIndex === undefined || edit.contentIndex === at);
  const content = part.content.map((item, at) => (item.type === "image" && isCleared(at) ? toPlaceholder(item) : item));
  return [{ ...part, content }];
}

function toPlaceholder(image: ImagePart): TextPart {
  const name = image.alt ?? image.filename ?? image.artifactId;
  return { type: "text", text: `[picture no longer shown: ${name}]` };
}

const CLEARED: readonly TextPart[] = [
  {
    type: "text",
    text: "[result cleared to save room; call the tool again if it is needed, for less if it was long]",
  },
];

function toClearedResult(part: ToolResultPart): ToolResultPart {
  if (!part.truncated) return { ...part, content: CLEARED };
  const text = `[result cleared to save room; all of it is in the artifact ${part.truncated.artifactId}]`;
  return { ...part, content: [{ type: "text", text }] };
}
