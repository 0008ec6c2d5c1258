// what a tool returned → as much as the model should read, data that programs read

import type { AgentWarning, WarningCode } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ArtifactRef, ImagePart, TextPart, ToolCall, ToolOutcome, ToolResultPart } from "../types/message.ts";
import { describeIssues, type StandardSchema } from "../types/standard-schema.ts";
import type { RichOutput, ToolReturn } from "./tool.ts";

/** UTF-8 bytes of JSON: above it the data of a result is left out. */
export const MAX_DATA_BYTES = 256 * 1024;

const RETURN_KEYS: ReadonlySet<string> = new Set(["data", "text", "images", "isError", "terminate", "env"]);
const RICH_KEYS: ReadonlySet<string> = new Set(["content", "data", "isError", "terminate", "env"]);

/** VA-11: strings, JSON, data with words, or parts. An empty string gives no parts (VA-13). */
export function toRichOutput(output: unknown): RichOutput {
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
  schema: StandardSchema | undefined,
  redact: (text: string) => string,
): Promise<KeptData> {
  try {
    const verdict = schema ? await schema["~standard"].validate(data) : { value: data };
    if (verdict.issues) return leftOut("tool_data_invalid", describeIssues(verdict.issues, "data").join("; "));
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
function isReturn(output: unknown): output is ToolReturn {
  if (typeof output !== "object" || output === null || !("data" in output) || !("text" in output)) return false;
  return typeof output.text === "string" && Object.keys(output).every((key) => RETURN_KEYS.has(key));
}

function isRich(output: unknown): output is RichOutput {
  if (typeof output !== "object" || output === null || !("content" in output)) return false;
  const { content } = output;
  return Array.isArray(content) && content.every(isPart) && Object.keys(output).every((key) => RICH_KEYS.has(key));
}

function isPart(item: unknown): item is TextPart | ImagePart {
  if (typeof item !== "object" || item === null || !("type" in item)) return false;
  if (item.type === "text") return "text" in item && typeof item.text === "string";
  return item.type === "image" && "artifactId" in item && typeof item.artifactId === "string";
}

/** Default of `limits.resultTokens`: a page or four. */
export const DEFAULT_RESULT_TOKENS = 4_000;
/** Default of `limits.images`. */
export const DEFAULT_RESULT_IMAGES = 8;
/** UTF-8 bytes per token, on the safe side for prose and JSON alike. */
const BYTES_PER_TOKEN = 4;
/** The beginning tells what it is, the end how it came out. */
const HEAD_SHARE = 0.75;

export interface ResultLimits {
  readonly resultTokens: number;
  readonly images: number;
  /** Whether the model can call `read_artifact`. */
  readonly canRead: boolean;
  /** Keeps the whole text; undefined when that failed. */
  spill(text: string): Promise<ArtifactRef | undefined>;
}

export type BoundedContent = Pick<ToolResultPart, "content" | "truncated">;

/** VA-18: text above the limit is kept elsewhere and shown as head and tail; pictures above the limit are left out. */
export async function boundContent(
  content: readonly (TextPart | ImagePart)[],
  limits: ResultLimits,
): Promise<BoundedContent> {
  const parts = boundImages(content, limits.images);
  const texts = parts.filter((part) => part.type === "text");
  const text = texts.map((part) => part.text).join("\n");
  const bytes = Buffer.byteLength(text);
  const maxBytes = limits.resultTokens * BYTES_PER_TOKEN;
  if (bytes <= maxBytes) return { content: parts };
  const ref = await limits.spill(text);
  const keptChars = Math.floor((text.length * maxBytes) / bytes);
  const shown: TextPart = { type: "text", text: headAndTail(text, keptChars, limits.canRead ? ref : undefined) };
  return {
    content: [shown, ...parts.filter((part) => part.type === "image")],
    truncated: ref && { artifactId: ref.id, originalBytes: bytes },
  };
}

function boundImages(content: readonly (TextPart | ImagePart)[], maxImages: number): readonly (TextPart | ImagePart)[] {
  const images = content.filter((part) => part.type === "image");
  const left = images.length - maxImages;
  if (left <= 0) return content;
  const kept = new Set(images.slice(0, maxImages));
  const note: TextPart = { type: "text", text: `[${left} more pictures left out: at most ${maxImages} in one result]` };
  return [...content.filter((part) => part.type === "text" || kept.has(part)), note];
}

function headAndTail(text: string, keptChars: number, ref: ArtifactRef | undefined): string {
  const head = toCharBoundary(text, Math.ceil(keptChars * HEAD_SHARE));
  const tail = toCharBoundary(text, text.length - (keptChars - head));
  const how = ref
    ? `the whole text is kept, read on with read_artifact {"artifact_id":"${ref.id}","offset":${head}}`
    : "ask for less at once";
  const note = `\n[… ${tail - head} of ${text.length} characters left out; ${how} …]\n`;
  return text.slice(0, head) + note + text.slice(tail);
}

/** A result that says one thing in words. */
export function textResult(call: ToolCall, outcome: ToolOutcome, text: string): ToolResultPart {
  return { ...resultHead(call, outcome), content: [{ type: "text", text }] };
}

/** A result without its content. */
export function resultHead(call: ToolCall, outcome: ToolOutcome): Omit<ToolResultPart, "content"> {
  return { type: "tool_result", callId: call.id, toolName: call.toolName, outcome };
}

/** The nearest place from `at` on where a cut does not leave half a character, which providers refuse. */
export function toCharBoundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
