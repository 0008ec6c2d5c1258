// what a tool returned → bounded parts that the model reads
import type { ImagePart, TextPart } from "../types/message.ts";
import type { ToolOutput } from "./tool.ts";

/** VA-18: more text than this is cut in the middle. */
export const MAX_RESULT_CHARS = 16_000;

/** VA-11: strings, JSON, or parts. An empty string gives no parts (VA-13). */
export function toResultContent(
  output: ToolOutput | undefined,
  maxChars: number = MAX_RESULT_CHARS,
): readonly (TextPart | ImagePart)[] {
  const parts = toParts(output).filter((part) => part.type === "image" || part.text !== "");
  const total = parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (total <= maxChars) return parts;
  let left = maxChars;
  return parts.flatMap((part): (TextPart | ImagePart)[] => {
    if (part.type === "image") return [part];
    if (left <= 0) return [];
    const text = cutText(part.text, left);
    left -= part.text.length;
    return [{ type: "text", text }];
  });
}

/** Head and tail, with a note between them that says how much is missing. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = Math.ceil(maxChars * 0.75);
  const tail = maxChars - head;
  const note = `\n[… ${text.length - maxChars} of ${text.length} characters cut; ask for less at once …]\n`;
  // A cut inside a surrogate pair would leave half a character, which providers refuse.
  return (text.slice(0, head) + note + text.slice(text.length - tail)).toWellFormed();
}

function toParts(output: ToolOutput | undefined): readonly (TextPart | ImagePart)[] {
  if (output === undefined) return [];
  if (typeof output === "string") return [{ type: "text", text: output }];
  return hasContent(output) ? output.content : [{ type: "text", text: JSON.stringify(output) }];
}

function hasContent(
  output: object | null | number | boolean,
): output is { content: readonly (TextPart | ImagePart)[] } {
  if (typeof output !== "object" || output === null || !("content" in output)) return false;
  const { content } = output;
  return Array.isArray(content) && Object.keys(output).length === 1 && content.every(isPart);
}

function isPart(item: unknown): item is TextPart | ImagePart {
  if (typeof item !== "object" || item === null || !("type" in item)) return false;
  if (item.type === "text") return "text" in item && typeof item.text === "string";
  return item.type === "image" && "artifactId" in item && typeof item.artifactId === "string";
}
