import { imagePlaceholder } from "../observability/redact.ts";
import type { ToolResultPart } from "../types/message.ts";

/** A result in words; a picture is named, never shown. VI-15 */
export function textOf(result: ToolResultPart): string {
  return result.content
    .map((part) => (part.type === "text" ? part.text : (part.alt ?? imagePlaceholder(part.mimeType, 0))))
    .join("\n");
}
