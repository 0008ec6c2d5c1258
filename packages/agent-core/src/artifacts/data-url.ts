// text → the data URLs in it, each whole or not at all
import { readImageHeader } from "./image-header.ts";

/** Bytes, and what they say they are; empty where they do not. */
export interface TypedBytes {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

const PARAMETERS = String.raw`(?:;[\w.-]+=(?:"[^"]*"|[^;,\s"]*))*`;
const WHOLE_HEAD = new RegExp(String.raw`^data:([a-z][\w.+-]*\/[\w.+-]+)?${PARAMETERS};base64,\s*`, "i");
const MAX_HEAD_CHARS = 2_000;

/** Undefined unless the whole of it is one. Without a type it must be a picture. */
export function fromDataUrl(value: unknown): TypedBytes | undefined {
  if (typeof value !== "string" || value[4] !== ":" || !/^data:/i.test(value.slice(0, 5))) return undefined;
  const [head = "", mimeType = ""] = WHOLE_HEAD.exec(value.slice(0, MAX_HEAD_CHARS)) ?? [];
  const bytes = head === "" ? undefined : fromBase64(value.slice(head.length));
  return bytes && (mimeType !== "" || readImageHeader(bytes)) ? { bytes, mimeType } : undefined;
}

const BASE64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

/** Undefined for what is no base64. Lines are joined, and what a URL encodes is decoded. */
export function fromBase64(data: string): Uint8Array | undefined {
  const joined = decodeUrl(data).replace(/[\r\n]+/g, "");
  if (!BASE64.test(joined) || joined.replace(/=+$/, "").length % 4 === 1) return undefined;
  return Buffer.from(joined, "base64");
}

function decodeUrl(data: string): string {
  if (!data.includes("%")) return data;
  try {
    return decodeURIComponent(data);
  } catch {
    // No URL: it is no base64 either.
    return data;
  }
}

/** A data URL in a text. */
export interface PastedUrl extends TypedBytes {
  readonly start: number;
  readonly end: number;
}

const PASTED_HEAD = new RegExp(String.raw`(?<![A-Za-z0-9])data:([a-z][\w.+-]*\/[\w.+-]+)${PARAMETERS};base64,`, "gi");

/** Those of which all can be read, in their order. One that goes on in a way that is not understood is left alone. */
export function* findPasted(text: string): Generator<PastedUrl> {
  if (!/;base64,/i.test(text)) return;
  let readTo = 0;
  for (const match of text.matchAll(PASTED_HEAD)) {
    if (match.index < readTo) continue;
    const from = match.index + match[0].length;
    const end = endOfData(text, from);
    const bytes = end === undefined ? undefined : fromBase64(text.slice(from, end));
    if (end === undefined || !bytes) continue;
    readTo = end;
    yield { bytes, mimeType: match[1] ?? "", start: match.index, end };
  }
}

/** Lines of encoded files have at least so many characters, and hardly ever more. */
const LEAST_WIDTH = 40;
const MOST_WIDTH = 200;
/** A line so long may be the rest of what stands before it. */
const SUSPECT = 32;

/** Where the base64 that begins here ends, with the lines that belong to it; undefined when that is not clear. */
function endOfData(text: string, from: number): number | undefined {
  let end = from + lineAt(text, from);
  if (end === from) return undefined;
  let [lines, width, total] = [1, end - from, end - from];
  while (text[end - 1] !== "=" && width <= MOST_WIDTH) {
    const next = afterBreak(text, end);
    const length = next === undefined ? 0 : lineAt(text, next);
    if (next === undefined || length === 0) return end;
    if (!isNextLine({ length, width, isSecond: lines === 1, isWhole: (total + length) % 4 === 0 })) {
      return length >= SUSPECT ? undefined : end;
    }
    if (length < width) return next + length;
    [end, lines, width, total] = [next + length, lines + 1, length, total + length];
  }
  return end;
}

interface NextLine {
  readonly length: number;
  readonly width: number;
  /** The first may be shorter, because of what stands before it. */
  readonly isSecond: boolean;
  /** It would be the end of whole groups of four. */
  readonly isWhole: boolean;
}

/** All lines are equally long, but for the last. */
function isNextLine({ length, width, isSecond, isWhole }: NextLine): boolean {
  if (length < width) return width >= LEAST_WIDTH && isWhole;
  return length >= LEAST_WIDTH && length <= MOST_WIDTH && (isSecond || length === width);
}

const LINE = /[A-Za-z0-9+/_%=-]*/y;

function lineAt(text: string, from: number): number {
  LINE.lastIndex = from;
  return LINE.exec(text)?.[0].length ?? 0;
}

function afterBreak(text: string, at: number): number | undefined {
  if (text[at] === "\n") return at + 1;
  return text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : undefined;
}
