// a message + edits → the message as it is sent
import type { ViewEdit } from "../session/session-store.ts";
import type { ImagePart, Message, Part, TextPart, ToolResultPart } from "../types/message.ts";

/** An edit of one part. `contentIndex` picks one picture of a tool result; absent means all of them. */
export type PartEdit = Exclude<ViewEdit, { op: "hide" }> & { readonly contentIndex?: number };

type Derived = { readonly key: string; readonly message: Message };

/** The same edits give the same object again: sizes are known by it. */
const derived = new WeakMap<Message, Derived>();

export function withPartEdits(message: Message, edits: readonly PartEdit[]): Message {
  const key = edits.map((edit) => `${edit.op}.${edit.partIndex}.${edit.contentIndex ?? "all"}`).join();
  const known = derived.get(message);
  if (known?.key === key) return known.message;
  const parts = message.parts.flatMap((part, index) =>
    editPart(
      part,
      edits.filter((edit) => edit.partIndex === index),
    ),
  );
  const edited = { ...message, parts };
  derived.set(message, { key, message: edited });
  return edited;
}

/** An edit that does not suit its part changes nothing. */
function editPart(part: Part, edits: readonly PartEdit[]): readonly Part[] {
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

function toClearedResult(part: ToolResultPart): ToolResultPart {
  const text = part.truncated
    ? `[result cleared to save room; all of it is in the artifact ${part.truncated.artifactId}]`
    : "[result cleared to save room; call the tool again if it is needed, for less if it was long]";
  return { ...part, content: [{ type: "text", text }] };
}
