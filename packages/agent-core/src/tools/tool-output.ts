// what a tool returned → as much as the model should read, data that programs read
import { setImmediate } from "node:timers/promises";
import type { TakenImage } from "../artifacts/take-bytes.ts";
import type { SecretTokens } from "../observability/secret-tokens.ts";
import { agentError, messageOf } from "../types/errors.ts";
import type { AgentWarning, WarningCode } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ArtifactRef, ImagePart, TextPart, ToolCall, ToolOutcome, ToolResultPart } from "../types/message.ts";
import { describeIssues, type StandardSchema } from "../types/standard-schema.ts";
import { jsonPieces, jsonWithin, textPieces, toCharBoundary } from "./json-pieces.ts";
import type { RichOutput, ToolReturn } from "./tool.ts";

/** UTF-8 bytes of JSON: above it the data of a result is left out. */
export const MAX_DATA_BYTES = 256 * 1024;

const SHARED_KEYS = ["data", "isError", "terminate", "env", "untrusted"];
const RETURN_KEYS: ReadonlySet<string> = new Set([...SHARED_KEYS, "text", "images"]);
const RICH_KEYS: ReadonlySet<string> = new Set([...SHARED_KEYS, "content"]);

/** Words of a result that are not written yet: they may be long. */
export interface JsonPart {
  readonly type: "json";
  readonly value: unknown;
}

/** What a tool gave back, sorted. */
export interface GivenOutput extends Omit<RichOutput, "content"> {
  readonly content: readonly (TextPart | ImagePart | JsonPart)[];
}

/**
 * VA-11: strings, JSON, data with words, or parts. Nothing and an empty string give no parts (VA-13). Throws `AgentError`
 * kind `tool`, code `bad_output`, for what nobody can read.
 */
export function toGivenOutput(output: unknown): GivenOutput {
  if (output === undefined || output === "") return { content: [] };
  if (typeof output === "string") return { content: [{ type: "text", text: output }] };
  if (typeof output === "function" || typeof output === "symbol") {
    throw badOutput(`it returned a ${typeof output}. Return a string, JSON or parts`);
  }
  if (output instanceof Response)
    throw badOutput("it returned a Response. Return what is in it: await response.text()");
  if (typeof output === "object" && output !== null && Symbol.asyncIterator in output) {
    throw badOutput("it returned a stream. Read it, and return what it gives");
  }
  if (isReturn(output)) {
    const { text, images = [], ...rest } = output;
    if (!images.every((image) => image?.type === "image")) throw badOutput("its images must be image parts");
    return { ...rest, content: text === "" ? images : [{ type: "text", text }, ...images] };
  }
  const hollow = hollowName(output);
  if (hollow) throw badOutput(`it returned a ${hollow}, of which nothing can be written. Return what is in it`);
  if (!isRich(output)) return { content: [{ type: "json", value: output }], data: output };
  return { ...output, content: output.content.filter((part) => part.type === "image" || part.text !== "") };
}

/** What an object is called of which JSON shows nothing although it is no empty one, such as a generator. */
function hollowName(output: unknown): string | undefined {
  if (typeof output !== "object" || output === null || output instanceof Map || jsonWithin(output, 2) !== "{}") return;
  // As languages and libraries name their own; a class is named by its constructor.
  const tag = Object.prototype.toString.call(output).slice("[object ".length, -1);
  const name: unknown = tag === "Object" ? output.constructor?.name : tag;
  return typeof name === "string" && name !== "Object" ? name : undefined;
}

/** Pictures that were bytes in the output stand among its parts; those in the data of a tool that chose its parts do not. */
export function showImages(given: GivenOutput, images: readonly TakenImage[]): GivenOutput {
  if (images.length === 0) return given;
  const isChosen = given.content.every((part) => part.type !== "json");
  const shown = new Set(given.content.flatMap((part) => (part.type === "image" ? [part.artifactId] : [])));
  const parts = images.flatMap(({ part, under }) => {
    if (shown.has(part.artifactId) || (isChosen && (under === "data" || under === "env"))) return [];
    shown.add(part.artifactId);
    return [part];
  });
  const isPicture = !isChosen && isPart(given.data) && given.data.type === "image";
  return { ...given, content: isPicture ? parts : [...given.content, ...parts] };
}

function badOutput(why: string): Error {
  return agentError("tool", "bad_output", `The tool ran, but its result cannot be read: ${why}.`);
}

/** The data of a result, or why it is left out. */
export type KeptData = { readonly data?: Json; readonly problem?: AgentWarning };

/** Data as it may be kept: JSON, of the shape that the tool declares, without secrets, and not too much of it. Never rejects. */
export async function toKeptData(
  data: unknown,
  schema: StandardSchema | undefined,
  secrets: Pick<SecretTokens, "hide">,
): Promise<KeptData> {
  try {
    const verdict = schema ? await schema["~standard"].validate(data) : { value: data };
    if (verdict.issues) return leftOut("tool_data_invalid", describeIssues(verdict.issues, "data").join("; "));
    if (verdict.value === undefined) return {};
    const { value } = verdict;
    if (typeof value === "function" || typeof value === "symbol")
      return leftOut("tool_data_invalid", `it is a ${typeof value}`);
    const json = jsonWithin(value, MAX_DATA_BYTES);
    if (json !== undefined && Buffer.byteLength(json) <= MAX_DATA_BYTES) {
      return { data: secrets.hide(JSON.parse(json) as Json) };
    }
    return leftOut("tool_data_too_large", `it has more than ${MAX_DATA_BYTES} bytes`);
  } catch (thrown) {
    return leftOut("tool_data_invalid", messageOf(thrown));
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
  /** What a text passes before it is kept. */
  hide(text: string): string;
  /** Keeps the whole text, as UTF-8; undefined when that failed. */
  spill(bytes: Uint8Array): Promise<ArtifactRef | undefined>;
}

export type BoundedContent = Pick<ToolResultPart, "content" | "truncated">;

/**
 * VA-18: text above the limit is kept elsewhere and shown as head and tail; pictures above the limit are left out. A long
 * text is read once, in pieces, and others get their turn in between.
 */
export async function boundContent(content: GivenOutput["content"], limits: ResultLimits): Promise<BoundedContent> {
  const parts = boundImages(content, limits.images);
  const maxBytes = limits.resultTokens * BYTES_PER_TOKEN;
  const short = toShortParts(parts, maxBytes);
  if (short) return { content: short };
  const long = await collectText(toPieces(parts, limits.hide), maxBytes);
  const ref = await limits.spill(long.utf8);
  const keptChars = Math.floor((long.chars * maxBytes) / long.utf8.byteLength);
  const shown: TextPart = { type: "text", text: headAndTail(long, keptChars, limits.canRead ? ref : undefined) };
  return {
    content: [shown, ...parts.filter((part) => part.type === "image")],
    truncated: ref && { artifactId: ref.id, originalBytes: long.utf8.byteLength },
  };
}

/** Undefined when the words have more bytes than this. Looks at lengths first, and at no more than it must. */
function toShortParts(parts: GivenOutput["content"], maxBytes: number): readonly (TextPart | ImagePart)[] | undefined {
  const short: (TextPart | ImagePart)[] = [];
  let left = maxBytes;
  for (const part of parts) {
    if (part.type === "image") {
      short.push(part);
      continue;
    }
    const text = part.type === "text" ? part.text : jsonWithin(part.value, left);
    if (text === undefined || text.length > left) return undefined;
    left -= Buffer.byteLength(text) + "\n".length;
    short.push({ type: "text", text });
  }
  return left < -1 ? undefined : short;
}

/** All words of a result, one part per line. */
function* toPieces(parts: GivenOutput["content"], hide: (text: string) => string): Generator<string> {
  let isFirst = true;
  for (const part of parts) {
    if (part.type === "image") continue;
    if (!isFirst) yield "\n";
    isFirst = false;
    yield* part.type === "text" ? textPieces(hide(part.text)) : jsonPieces(part.value, hide);
  }
}

interface LongText {
  readonly utf8: Uint8Array;
  readonly chars: number;
  /** As much of either end as can be shown. */
  readonly head: string;
  readonly tail: string;
}

/** Characters after which others get their turn. */
const TURN_CHARS = 4 * 1024 * 1024;

async function collectText(pieces: Iterable<string>, maxShown: number): Promise<LongText> {
  const chunks: Uint8Array[] = [];
  let [head, tail, chars, turnAt] = ["", "", 0, TURN_CHARS];
  for (const piece of pieces) {
    chunks.push(Buffer.from(piece));
    chars += piece.length;
    if (head.length <= maxShown) head += piece.slice(0, maxShown + 1 - head.length);
    tail = (piece.length > maxShown ? piece : tail + piece).slice(-maxShown - 1);
    if (chars < turnAt) continue;
    turnAt = chars + TURN_CHARS;
    await setImmediate();
  }
  return { utf8: Buffer.concat(chunks), chars, head, tail };
}

function boundImages(content: GivenOutput["content"], maxImages: number): GivenOutput["content"] {
  const images = content.filter((part) => part.type === "image");
  const left = images.length - maxImages;
  if (left <= 0) return content;
  const kept = new Set(images.slice(0, maxImages));
  const note: TextPart = { type: "text", text: `[${left} more pictures left out: at most ${maxImages} in one result]` };
  return [...content.filter((part) => part.type !== "image" || kept.has(part)), note];
}

function headAndTail({ head, tail, chars }: LongText, keptChars: number, ref: ArtifactRef | undefined): string {
  const headEnd = toCharBoundary(head, Math.ceil(keptChars * HEAD_SHARE));
  const tailStart = toCharBoundary(tail, tail.length - (keptChars - headEnd));
  const how = ref
    ? `the whole text is kept, read on with read_artifact {"artifact_id":"${ref.id}","offset":${headEnd}}`
    : "ask for less at once";
  const left = chars - headEnd - (tail.length - tailStart);
  const note = `\n[… ${left} of ${chars} characters left out; ${how} …]\n`;
  return head.slice(0, headEnd) + note + tail.slice(tailStart);
}

/** A result that says one thing in words. */
export function textResult(call: ToolCall, outcome: ToolOutcome, text: string): ToolResultPart {
  return { ...resultHead(call, outcome), content: [{ type: "text", text }] };
}

/** A result without its content. */
export function resultHead(call: ToolCall, outcome: ToolOutcome): Omit<ToolResultPart, "content"> {
  return { type: "tool_result", callId: call.id, toolName: call.toolName, outcome };
}
