// bytes in whatever came in, known by their type → kept elsewhere, references in their place
import type { ArtifactRef, ImagePart, TextPart } from "../types/message.ts";
import { findPasted, fromBase64, fromDataUrl, type TypedBytes } from "./data-url.ts";
import { readImageHeader } from "./image-header.ts";

/** Keeps bytes. May refuse. */
export type KeepBytes = (bytes: Uint8Array, mimeType: string) => Promise<ArtifactRef>;

/** A picture that was taken out, and the field of the outermost object that it was in. */
export interface TakenImage {
  readonly part: ImagePart;
  readonly under: string | undefined;
}

/**
 * Takes out what is bytes by its type: buffers, the base64 in image, audio and file parts of MCP and the providers, and
 * texts that are a data URL and nothing else. A buffer or a part that is a picture and nothing else leaves an `ImagePart`,
 * a block of a result's `content` a part; anywhere else a text that names the artifact stands where the bytes were, and
 * all other fields stay. Where the store refuses, the text says so. A text that merely looks like base64 is a text.
 */
export async function takeBytes(
  value: unknown,
  keep: KeepBytes,
): Promise<{ readonly value: unknown; readonly images: readonly TakenImage[] }> {
  const { value: copy, slots } = findBytes(value);
  const images: TakenImage[] = [];
  let whole = copy;
  for (const slot of slots) {
    const { as, under, named } = slot.found;
    const { image, text } = await keepOne(slot.found, keep);
    if (image) images.push({ part: { ...image, ...named }, under });
    const part: ImagePart | TextPart = image ? { ...image, ...named } : { type: "text", text };
    const written = as === "block" || (as === "image" && image) ? part : text;
    if (slot === copy) whole = written;
    else slot.put(written);
  }
  return { value: whole, images };
}

/** For what a person says: every data URL in it becomes an artifact, and a readable reference stands in its place. */
export async function takeDataUrls(
  text: string,
  keep: KeepBytes,
): Promise<{ readonly text: string; readonly images: readonly ImagePart[] }> {
  const images: ImagePart[] = [];
  let [done, end] = ["", 0];
  for (const pasted of findPasted(text)) {
    const kept = await keepOne(pasted, keep);
    if (kept.image) images.push(kept.image);
    done += text.slice(end, pasted.start) + kept.text;
    end = pasted.end;
  }
  return { text: done + text.slice(end), images };
}

interface FoundBytes extends TypedBytes {
  /** A picture where it is one, else a text; always a text; or a part of a result. */
  readonly as: "image" | "text" | "block";
  /** What else the part says of the picture. */
  readonly named?: Pick<ImagePart, "detail" | "filename" | "alt">;
  readonly under: string | undefined;
}

interface Kept {
  readonly image?: ImagePart;
  readonly text: string;
}

const UNKNOWN_TYPE = "application/octet-stream";

/** What it says it is counts only where the bytes do not tell. */
async function keepOne({ bytes, mimeType: declared }: TypedBytes, keep: KeepBytes): Promise<Kept> {
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

/** Deeper than whoever writes a value down goes. */
const MAX_DEPTH = 1_000;

/** Stands where bytes were until they are kept. */
class Slot {
  readonly found: FoundBytes;
  put: (value: unknown) => void = () => undefined;

  constructor(found: FoundBytes) {
    this.found = found;
  }
}

type Copy = { [key: string | number]: unknown };

/** A copy with slots in the place of bytes; the very same value where there are none. */
function findBytes(value: unknown): { readonly value: unknown; readonly slots: readonly Slot[] } {
  const slots: Slot[] = [];
  // A list, because values are seldom nested deep, and large ones have millions of parts.
  const above: object[] = [];
  const take = (found: FoundBytes): Slot => {
    const slot = new Slot(found);
    slots.push(slot);
    return slot;
  };
  const set = (copy: object, key: string | number, changed: unknown): void => {
    // As data even where the key is `__proto__`.
    const put = (one: unknown): unknown =>
      Object.defineProperty(copy, key, { value: one, enumerable: true, configurable: true, writable: true });
    put(changed);
    if (changed instanceof Slot) changed.put = put;
  };
  const visit = (one: unknown, under: string | undefined, isBlock = false): unknown => {
    if (typeof one === "string") {
      const found = fromDataUrl(one);
      return found ? take({ ...found, as: "text", under }) : one;
    }
    if (typeof one !== "object" || one === null || above.length >= MAX_DEPTH || above.includes(one)) return one;
    above.push(one);
    const earlier = slots.length;
    try {
      return visitObject(one, under, isBlock);
    } catch {
      // A getter or a proxy: whoever writes it down says that it cannot be read.
      slots.length = earlier;
      return one;
    } finally {
      above.pop();
    }
  };
  const visitObject = (one: object, under: string | undefined, isBlock: boolean): unknown => {
    if (Array.isArray(one)) return visitList(one, under, under === "content" && above.length === 2);
    const raw = bytesOf(one);
    if (raw) return take({ bytes: raw, mimeType: "", as: isBlock ? "block" : "image", under });
    const part = toBytePart(one as Fields, isBlock);
    if (!part) return visitFields(one, under);
    if (part.isAll && isBlock) return take({ ...part, as: "block", under });
    if (part.isAll && readImageHeader(part.bytes)) return take({ ...part, as: "image", under });
    const copy = { ...one };
    fillField(copy, part.path, take({ bytes: part.bytes, mimeType: part.mimeType, as: "text", under }));
    return visitFields(one, under, { copy, skip: part.path[0] });
  };
  const fillField = (copy: object, [key = "", ...path]: readonly string[], slot: Slot): void => {
    const inner = path.length === 0 ? slot : { ...(copy as { readonly [key: string]: object })[key] };
    set(copy, key, inner);
    if (inner !== slot) fillField(inner, path, slot);
  };
  const visitList = (list: readonly unknown[], under: string | undefined, isBlocks: boolean): readonly unknown[] => {
    let copy: unknown[] | undefined;
    for (let at = 0; at < list.length; at++) {
      const item = list[at];
      const changed = visit(item, under, isBlocks);
      if (changed === item) continue;
      copy ??= [...list];
      set(copy, at, changed);
    }
    return copy ?? list;
  };
  const visitFields = (
    given: object,
    under: string | undefined,
    begun?: { readonly copy: Copy; readonly skip: string | undefined },
  ): unknown => {
    if (ArrayBuffer.isView(given) || given instanceof Date) return given;
    const owner = toWritten(given);
    if (owner !== given) {
      const changed = Array.isArray(owner) ? visitList(owner, under, false) : visit(owner, under);
      return changed === owner ? given : changed;
    }
    let copy = begun?.copy;
    for (const key in given) {
      const field = (given as Fields)[key];
      if (typeof field === "number" || key === begun?.skip || !Object.hasOwn(given, key)) continue;
      const changed = visit(field, under ?? key);
      if (changed === field) continue;
      copy ??= { ...given };
      set(copy, key, changed);
    }
    return copy ?? given;
  };
  return { value: visit(value, undefined), slots };
}

/** A Map, a Set and what writes itself, as they are written. */
function toWritten(value: object): unknown {
  if (value instanceof Set) return [...value];
  if (value instanceof Map) {
    return [...value.keys()].every((key) => typeof key === "string") ? Object.fromEntries(value) : [...value];
  }
  return "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON() : value;
}

type Fields = { readonly [key: string]: unknown };

/** Bytes in a part, and where in it they are. */
interface BytePart extends TypedBytes {
  readonly path: readonly string[];
  /** Nothing would be lost without the rest of the part. */
  readonly isAll: boolean;
  readonly named?: FoundBytes["named"];
}

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
const PART_KEYS = "type data image mimeType mediaType media_type source image_url url detail filename alt".split(" ");
const BLOCK_KEYS = [...PART_KEYS, "annotations", "_meta"];

function toBytePart(part: Fields, isBlock: boolean): BytePart | undefined {
  if (typeof part.blob === "string" && typeof part.uri === "string") {
    const found = fromPart(part.blob, part, isBlock);
    return found && { ...found, path: ["blob"], isAll: false };
  }
  if (!BYTE_PARTS.has(part.type)) return undefined;
  const at = findField(part);
  const owner = at.length > 1 ? (part[at[0] ?? ""] as Fields) : part;
  const data = owner[at.at(-1) ?? ""];
  const found = at[0] === "image_url" ? fromDataUrl(data) : fromPart(data, owner, isBlock);
  if (!found) return undefined;
  const keys = [...Object.keys(part), ...(owner === part ? [] : Object.keys(owner))];
  const isAll = keys.every((key) => (isBlock ? BLOCK_KEYS : PART_KEYS).includes(key));
  return { ...found, path: at, isAll, named: toNamed({ ...owner, ...part }) };
}

/** Where such a part has its bytes. */
function findField({ source, image_url: url, data }: Fields): readonly string[] {
  if (isFields(source) && source.type === "base64") return ["source", "data"];
  if (url !== undefined) return isFields(url) ? ["image_url", "url"] : ["image_url"];
  return [data === undefined ? "image" : "data"];
}

const DETAILS: ReadonlySet<unknown> = new Set(["auto", "low", "high", "original"]);

function toNamed({ detail, filename, alt }: Fields): FoundBytes["named"] {
  return {
    ...(DETAILS.has(detail) && { detail: detail as ImagePart["detail"] & string }),
    ...(typeof filename === "string" && { filename }),
    ...(typeof alt === "string" && { alt }),
  };
}

/** Shorter texts may be ids and words. */
const LEAST_CHARS = 256;
const TEXT_TYPE = /^application\/(?:.*\+)?(?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|sql|graphql)\b/i;

/**
 * Base64 says nothing by itself: the bytes must be a picture, or the part must tell a type that is no text, and be long.
 * A block of a result is never anything else.
 */
function fromPart(data: unknown, part: Fields, isBlock: boolean): TypedBytes | undefined {
  const mimeType = [part.mimeType, part.mediaType, part.media_type].find((one) => typeof one === "string") ?? "";
  const raw = typeof data === "object" && data !== null ? rawBytes(data) : undefined;
  if (raw) return { bytes: raw, mimeType };
  if (typeof data !== "string") return undefined;
  const bytes = fromBase64(data);
  if (!bytes) return fromDataUrl(data);
  const isBytes = isBlock ? isNamed(part, mimeType) : isNamed(part, mimeType) && isLongBinary(data, mimeType);
  return isBytes || readImageHeader(bytes) ? { bytes, mimeType } : undefined;
}

function isNamed({ type }: Fields, mimeType: string): boolean {
  return mimeType === "" ? type === "base64" : !mimeType.startsWith("text/");
}

function isLongBinary(data: string, mimeType: string): boolean {
  return data.length >= LEAST_CHARS && !TEXT_TYPE.test(mimeType);
}

/** A buffer, or the JSON of one and nothing else. */
function bytesOf(value: object): Uint8Array | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return rawBytes(value);
  const { type, data } = value as Fields;
  if (type !== "Buffer" || !Array.isArray(data) || !data.every(isByte)) return undefined;
  return Object.keys(value).length === 2 ? Uint8Array.from(data) : undefined;
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
