// what a tool returned → parts that the model reads, data that programs read
import type { AgentWarning, WarningCode } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ImagePart, TextPart } from "../types/message.ts";
import type { DataSchema, RichOutput, ToolOutput, ToolReturn } from "./tool.ts";

/** UTF-8 bytes of JSON: above it the data of a result is left out. */
export const MAX_DATA_BYTES = 256 * 1024;

const RETURN_KEYS: ReadonlySet<string> = new Set(["data", "text", "images", "isError", "terminate", "env"]);
const RICH_KEYS: ReadonlySet<string> = new Set(["content", "data", "isError", "terminate", "env"]);

/** VA-11: strings, JSON, data with words, or parts. An empty string gives no parts (VA-13). */
export function toRichOutput(output: ToolOutput | undefined): RichOutput {
  if (output === undefined || output === "") return { content: [] };
  if (typeof output === "string") return { content: [{ type: "text", text: output }] };
  if (isReturn(output)) {
    const { text, images = [], ...rest } = output;
    return { ...rest, content: text === "" ? images : [{ type: "text", text }, ...images] };
  }
  if (!isRich(output)) return { content: [{ type: "text", text: JSON.stringify(output) }], data: output };
  return { ...output, content: output.content.filter((part) => part.type === "image" || part.text !== "") };
}

/** The data of a result, or why it is left out. */
export type KeptData = { readonly data?: Json; readonly problem?: AgentWarning };

/** Data as it may be kept: JSON, of the shape that the tool declares, redacted, and not too much of it. Never rejects. */
export async function toKeptData(
  data: unknown,
  schema: DataSchema | undefined,
  redact: (text: string) => string,
): Promise<KeptData> {
  try {
    const verdict = schema ? await schema["~standard"].validate(data) : { value: data };
    if (verdict.issues) return leftOut("tool_data_invalid", verdict.issues.map(({ message }) => message).join("; "));
    if (verdict.value === undefined) return {};
    const json = JSON.stringify(verdict.value, (_, value: unknown) =>
      typeof value === "string" ? redact(value) : value,
    );
    const bytes = Buffer.byteLength(json);
    if (bytes <= MAX_DATA_BYTES) return { data: JSON.parse(json) as Json };
    return leftOut("tool_data_too_large", `it has ${bytes} bytes, and at most ${MAX_DATA_BYTES} are kept`);
  } catch (thrown) {
    return leftOut("tool_data_invalid", String(thrown));
  }
}

function leftOut(code: WarningCode, message: string): KeptData {
  return { problem: { code, message } };
}

/** JSON that merely has a `content`, or a `text`, of its own stays JSON. */
function isReturn(output: object | null | number | boolean): output is ToolReturn {
  if (typeof output !== "object" || output === null || !("data" in output) || !("text" in output)) return false;
  return typeof output.text === "string" && Object.keys(output).every((key) => RETURN_KEYS.has(key));
}

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
