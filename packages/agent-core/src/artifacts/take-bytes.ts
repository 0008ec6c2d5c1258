// bytes in whatever came in, known by their type → kept elsewhere, references in their place
import type { ArtifactRef, ImagePart, TextPart } from "../types/message.ts";
import { readImageHeader } from "./image-header.ts";

/** Keeps bytes. May refuse. */
export type KeepBytes = (bytes: Uint8Array, mimeType: string) => Promise<ArtifactRef>;

/** A picture that was taken out, and the field of the outermost object that it was in. */
export interface TakenImage {
  readonly part: ImagePart;
  readonly under: string | undefined;
}

/**
 * Takes out what is bytes by its type: buffers, the image, audio and file parts of MCP and the providers, and texts that
 * are a data URL and nothing else. A picture leaves an `ImagePart`, other bytes a text that names the artifact; where the
 * store refuses, the text says so. Everything else stays as it is: a text that merely looks like base64 is a text.
 */
export async function takeBytes(
  value: unknown,
  keep: KeepBytes,
): Promise<{ readonly value: unknown; readonly images: readonly TakenImage[] }> {
  const found: FoundBytes[] = [];
  walk(value, (bytes) => found.push(bytes));
  if (found.length === 0) return { value, images: [] };
  const kept: Kept[] = [];
  for (const one of found) kept.push(await keepOne(one, keep));
  const images = kept.flatMap(({ image }, at) => (image ? [{ part: image, under: found[at]?.under }] : []));
  // The same walk finds the same bytes in the same order.
  let at = 0;
  const replace = ({ isText }: FoundBytes): unknown => {
    const { image, text } = kept[at++] ?? { text: "" };
    if (isText) return text;
    return image ?? ({ type: "text", text } satisfies TextPart);
  };
  return { value: walk(value, replace), images };
}

/** What stands in a sentence behind a media type and `;base64,` is a file that somebody pasted. */
const PASTED = /(?<![A-Za-z0-9])data:([a-z][\w.+-]*\/[\w.+-]+)(?:;[\w.-]+=[\w.-]+)*;base64,([A-Za-z0-9+/]+={0,2})/gi;

/** For what a person says: every data URL in it becomes an artifact, and a readable reference stands in its place. */
export async function takeDataUrls(
  text: string,
  keep: KeepBytes,
): Promise<{ readonly text: string; readonly images: readonly ImagePart[] }> {
  if (!text.includes(";base64,")) return { text, images: [] };
  const images: ImagePart[] = [];
  let [done, end] = ["", 0];
  for (const match of text.matchAll(PASTED)) {
    const [whole, mimeType = "", data = ""] = match;
    const bytes = toBytes(data);
    if (!bytes) continue;
    const kept = await keepOne({ bytes, mimeType, isText: true, under: undefined }, keep);
    if (kept.image) images.push(kept.image);
    done += text.slice(end, match.index) + kept.text;
    end = match.index + whole.length;
  }
  return { text: done + text.slice(end), images };
}

interface FoundBytes {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** It was a text, and what stands in its place is one too. */
  readonly isText: boolean;
  readonly under: string | undefined;
}

interface Kept {
  readonly image?: ImagePart;
  readonly text: string;
}

const UNKNOWN_TYPE = "application/octet-stream";

/** What it says it is counts only where the bytes do not tell. */
async function keepOne({ bytes, mimeType: declared }: FoundBytes, keep: KeepBytes): Promise<Kept> {
  const header = readImageHeader(bytes);
  const mimeType = header?.mimeType ?? (declared.startsWith("image/") ? UNKNOWN_TYPE : declared || UNKNOWN_TYPE);
  const what = `${header?.mimeType ?? (declared || UNKNOWN_TYPE)}, ${bytes.byteLength} bytes`;
  try {
    const ref = await keep(bytes, mimeType);
    const text = `[${what}, kept as ${ref.id}]`;
    return header ? { image: { type: "image", artifactId: ref.id, mimeType: ref.mimeType }, text } : { text };
  } catch (thrown) {
    return { text: `[${what}, could not be kept: ${thrown instanceof Error ? thrown.message : String(thrown)}]` };
  }
}

/** Deeper values are left to whoever writes them down. */
const MAX_DEPTH = 200;

/** A copy with what `replace` gives in the place of bytes; the very same value where there are none. */
function walk(value: unknown, replace: (bytes: FoundBytes) => unknown): unknown {
  // A list, because values are seldom nested deep, and large ones have millions of parts.
  const above: object[] = [];
  const visit = (one: unknown, under: string | undefined): unknown => {
    if (typeof one === "string") return visitText(one, under);
    if (typeof one !== "object" || one === null || above.length >= MAX_DEPTH || above.includes(one)) return one;
    above.push(one);
    try {
      return visitObject(one, under);
    } catch {
      // A getter or a proxy: whoever writes it down says that it cannot be read.
      return one;
    } finally {
      above.pop();
    }
  };
  const visitObject = (one: object, under: string | undefined): unknown => {
    if (Array.isArray(one)) return visitList(one, under);
    const found = bytesIn(one);
    return found ? replace({ ...found, isText: false, under }) : visitFields(one, under);
  };
  const visitText = (text: string, under: string | undefined): unknown => {
    const found = fromDataUrl(text);
    return found ? replace({ ...found, isText: true, under }) : text;
  };
  const visitList = (list: readonly unknown[], under: string | undefined): readonly unknown[] => {
    let copy: unknown[] | undefined;
    for (let at = 0; at < list.length; at++) {
      const item = list[at];
      const changed = visit(item, under);
      if (changed === item) continue;
      copy ??= [...list];
      copy[at] = changed;
    }
    return copy ?? list;
  };
  const visitFields = (owner: object, under: string | undefined): object => {
    // Values that write themselves are left to themselves, and so is what has no fields.
    if ("toJSON" in owner || owner instanceof Map || owner instanceof Set || ArrayBuffer.isView(owner)) return owner;
    let copy: { [key: string]: unknown } | undefined;
    for (const key in owner) {
      const field = (owner as Fields)[key];
      if (typeof field === "number" || !Object.hasOwn(owner, key)) continue;
      const changed = visit(field, under ?? key);
      if (changed === field) continue;
      copy ??= { ...owner };
      copy[key] = changed;
    }
    return copy ?? owner;
  };
  return visit(value, undefined);
}

type Bytes = Pick<FoundBytes, "bytes" | "mimeType">;
type Fields = { readonly [key: string]: unknown };

/** Types of parts that carry bytes, as MCP and the providers name them. */
const BYTE_PARTS: ReadonlySet<unknown> = new Set([
  "base64",
  "image",
  "image-data",
  "image_url",
  "input_image",
  "audio",
  "video",
  "file",
  "file-data",
  "media",
  "document",
]);

function bytesIn(value: object): Bytes | undefined {
  const raw = Object.getPrototypeOf(value) === Object.prototype ? undefined : rawBytes(value);
  if (raw) return { bytes: raw, mimeType: "" };
  const part = value as Fields;
  if (part.type === "Buffer" && Array.isArray(part.data) && part.data.every(isByte)) {
    return { bytes: Uint8Array.from(part.data), mimeType: "" };
  }
  if (typeof part.blob === "string" && typeof part.uri === "string") return fromPart(part.blob, part);
  if (!BYTE_PARTS.has(part.type)) return undefined;
  const { source, image_url: url } = part;
  if (isFields(source) && source.type === "base64") return fromPart(source.data, source);
  if (url !== undefined) return fromDataUrl(isFields(url) ? url.url : url);
  return fromPart(part.data, part) ?? fromPart(part.image, part);
}

/** Base64 says nothing by itself: the part must tell its type, or the bytes must be a picture. Text stays text. */
function fromPart(data: unknown, part: Fields): Bytes | undefined {
  const mimeType = [part.mimeType, part.mediaType, part.media_type].find((one) => typeof one === "string") ?? "";
  const raw = typeof data === "object" && data !== null ? rawBytes(data) : undefined;
  if (raw) return { bytes: raw, mimeType };
  if (typeof data !== "string") return undefined;
  const bytes = toBytes(data);
  if (!bytes) return fromDataUrl(data);
  const isNamed = part.type === "base64" || (mimeType !== "" && !mimeType.startsWith("text/"));
  return isNamed || readImageHeader(bytes) ? { bytes, mimeType } : undefined;
}

const DATA_URL_HEAD = /^data:([a-z][\w.+-]*\/[\w.+-]+)(?:;[\w.-]+=[^;,]*)*;base64,/i;
const MAX_HEAD_CHARS = 300;

/** Undefined unless the whole of it is one, with its type. */
function fromDataUrl(value: unknown): Bytes | undefined {
  if (typeof value !== "string" || value[4] !== ":" || !/^data:/i.test(value.slice(0, 5))) return undefined;
  const [head = "", mimeType = ""] = DATA_URL_HEAD.exec(value.slice(0, MAX_HEAD_CHARS)) ?? [];
  const bytes = head === "" ? undefined : toBytes(value.slice(head.length));
  return bytes && { bytes, mimeType };
}

const BASE64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

/** Undefined for what is no base64. */
function toBytes(data: string): Uint8Array | undefined {
  const joined = data.replace(/[\r\n]+/g, "");
  if (!BASE64.test(joined) || joined.replace(/=+$/, "").length % 4 === 1) return undefined;
  return Buffer.from(joined, "base64");
}

function rawBytes(value: object): Uint8Array | undefined {
  // Other views hold numbers.
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value);
  return undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isByte(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
}
