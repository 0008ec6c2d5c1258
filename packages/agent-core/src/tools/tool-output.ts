// what a tool returned → parts that the model reads
import type { ImagePart, TextPart } from "../types/message.ts";
import type { RichOutput, ToolOutput } from "./tool.ts";

const RICH_KEYS: ReadonlySet<string> = new Set(["content", "isError", "terminate", "env"]);

/** VA-11: strings, JSON, or parts. An empty string gives no parts (VA-13). */
export function toRichOutput(output: ToolOutput | undefined): RichOutput {
  if (output === undefined || output === "") return { content: [] };
  if (typeof output === "string") return { content: [{ type: "text", text: output }] };
  if (!isRich(output)) return { content: [{ type: "text", text: JSON.stringify(output) }] };
  return { ...output, content: output.content.filter((part) => part.type === "image" || part.text !== "") };
}

/** JSON that merely has a `content` of its own stays JSON. */
function isRich(output: object | null | number | boolean): output is RichOutput {
  if (typeof output !== "object" || output === null || !("content" in output)) return false;
  const { content } = output;
  return Array.isArray(content) && content.every(isPart) && Object.keys(output).every((key) => RICH_KEYS.has(key));
}

function isPart(item: unknown): item is TextPart | ImagePart {
  if (typeof item !== "object" || item === null || !("type" in item)) return false;
  if (item.type === "text") return "text" in item && typeof item.text === "string";
  return item.type === "image" && "artifactId" in item && typeof item.artifactId === "string";
}
