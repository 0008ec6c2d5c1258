// whatever a tool returned → JSON, piece by piece, so that nothing large is built or scanned at once
import { messageOf } from "../types/errors.ts";
import type { Json } from "../types/json.ts";

/** Characters that are written at once. */
const PIECE_CHARS = 256 * 1024;
/** Deeper values are named, not written: others read the result recursively. */
const MAX_DEPTH = 200;

/**
 * JSON of any value, in pieces of about 256 kB. Where JSON has no form for something it is readable all the same: a Map
 * is an object (or pairs), a Set a list, a bigint a string, an Error its name and message; bytes, cycles and properties
 * that throw are named in brackets. `hide` sees every text before it is cut. Yields nothing for a function or a symbol.
 */
export function* jsonPieces(value: unknown, hide: (text: string) => string = same): Generator<string> {
  if (typeof value === "function" || typeof value === "symbol" || value === undefined) return;
  yield* write(value, [], hide);
}

/** The whole JSON; undefined when it has more characters than `maxChars`, or when there is no JSON for the value. */
export function jsonWithin(
  value: unknown,
  maxChars: number,
  hide: (text: string) => string = same,
): string | undefined {
  let json = "";
  for (const piece of jsonPieces(value, hide)) {
    json += piece;
    if (json.length > maxChars) return undefined;
  }
  return json === "" ? undefined : json;
}

/** A copy that holds nothing but JSON; null where there is no JSON for the value. */
export function toPlainJson(value: unknown): Json {
  const json = [...jsonPieces(value)].join("");
  return json === "" ? null : (JSON.parse(json) as Json);
}

/** A text in pieces, never between the two halves of a character. */
export function* textPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = toCharBoundary(text, Math.min(text.length, at + PIECE_CHARS));
    yield text.slice(at, end);
    at = end;
  }
}

/** The nearest place from `at` on where a cut does not leave half a character, which providers refuse. */
export function toCharBoundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

function same(text: string): string {
  return text;
}

type Hide = (text: string) => string;

function* write(given: unknown, above: readonly object[], hide: Hide): Generator<string> {
  const whole = writeSmall(given);
  if (whole !== undefined) {
    yield hide(whole);
    return;
  }
  const value = attempted(() => toPlain(given));
  if (typeof value === "string") {
    yield '"';
    for (const piece of textPieces(hide(value))) yield JSON.stringify(piece).slice(1, -1);
    yield '"';
  } else if (typeof value !== "object" || value === null || typeof given !== "object" || given === null) {
    yield JSON.stringify(value) ?? "null";
  } else if (above.includes(given)) {
    yield '"[circular]"';
  } else if (above.length >= MAX_DEPTH) {
    yield '"[nested too deep]"';
  } else {
    const inside = [...above, given];
    yield* Array.isArray(value) ? writeList(value, inside, hide) : writeObject(toFields(value), inside, hide);
  }
}

function* writeList(list: readonly unknown[], above: readonly object[], hide: Hide): Generator<string> {
  yield "[";
  let isFirst = true;
  for (const [from, to] of groups(list.length, (at) => list[at])) {
    if (!isFirst) yield ",";
    isFirst = false;
    const json = from + 1 < to ? attempt(() => JSON.stringify(list.slice(from, to))) : undefined;
    if (json !== undefined) {
      yield hide(json.slice(1, -1));
      continue;
    }
    for (let at = from; at < to; at++) {
      if (at > from) yield ",";
      const item = attempted(() => list[at]);
      yield* write(isNothing(item) ? null : item, above, hide);
    }
  }
  yield "]";
}

interface Fields {
  readonly keys: readonly string[];
  valueAt(index: number): unknown;
}

function toFields(value: object): Fields {
  if (value instanceof Map) {
    const values = [...value.values()];
    return { keys: [...value.keys()], valueAt: (at) => values[at] };
  }
  const keys = attempt(() => Object.keys(value)) ?? [];
  return { keys, valueAt: (at) => (value as { readonly [key: string]: unknown })[keys[at] ?? ""] };
}

function* writeObject({ keys, valueAt }: Fields, above: readonly object[], hide: Hide): Generator<string> {
  let lead = "{";
  for (const [from, to] of groups(keys.length, valueAt)) {
    const pairs = (): (readonly [string, unknown])[] =>
      keys.slice(from, to).map((key, at) => [key, valueAt(from + at)] as const);
    const json = from + 1 < to ? attempt(() => JSON.stringify(Object.fromEntries(pairs()))) : undefined;
    if (json !== undefined) {
      if (json !== "{}") yield hide(lead + json.slice(1, -1));
      if (json !== "{}") lead = ",";
      continue;
    }
    for (let at = from; at < to; at++) {
      const value = attempted(() => valueAt(at));
      if (isNothing(value)) continue;
      yield hide(`${lead}${JSON.stringify(keys[at])}:`);
      lead = ",";
      yield* write(value, above, hide);
    }
  }
  yield lead === "{" ? "{}" : "}";
}

/** Neighbours that can be written together, as `[from, to)`; one that cannot stands alone. */
function* groups(count: number, valueAt: (index: number) => unknown): Generator<readonly [number, number]> {
  let from = 0;
  let chars = 0;
  for (let at = 0; at < count; at++) {
    const size = measure(() => valueAt(at));
    if (size === undefined || chars + size > PIECE_CHARS) {
      if (from < at) yield [from, at];
      from = at;
      chars = 0;
    }
    if (size === undefined) {
      yield [at, at + 1];
      from = at + 1;
    } else {
      chars += size;
    }
  }
  if (from < count) yield [from, count];
}

/** JSON has no form for it: left out of an object, null in a list. */
function isNothing(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/** Undefined when it is large, throws, or has parts that JSON alone writes badly. */
function writeSmall(value: unknown): string | undefined {
  return measure(() => value) === undefined ? undefined : attempt(() => JSON.stringify(value));
}

/** About how many characters it has as JSON; undefined when they are many, or when it is not plain. Stops early. */
function measure(read: () => unknown): number | undefined {
  return attempt(() => {
    const left = remaining(read(), PIECE_CHARS, 0);
    return left < 0 ? undefined : PIECE_CHARS - left;
  });
}

function remaining(value: unknown, left: number, depth: number): number {
  if (typeof value === "string") return left - value.length - 3;
  if (typeof value === "bigint") return -1;
  if (typeof value !== "object" || value === null) return left - 8;
  if (depth > MAX_DEPTH) return -1;
  let rest = left - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at++) rest = remaining(value[at], rest, depth + 1);
    return rest;
  }
  if (value instanceof Date) return left - 27;
  if (isSpecial(value)) return -1;
  for (const key in value) {
    rest = remaining((value as { readonly [key: string]: unknown })[key], rest - key.length - 4, depth + 1);
    if (rest < 0) return rest;
  }
  return rest;
}

function isSpecial(value: object): boolean {
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return true;
  if (Object.getPrototypeOf(value) === Object.prototype) return false;
  return value instanceof Map || value instanceof Set || value instanceof Error || isBytes(value);
}

function isBytes(value: object): value is ArrayBuffer | ArrayBufferView {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** One level of it in the forms that JSON knows. */
function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (isBytes(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Set) return [...value];
  if (value instanceof Map) {
    return [...value.keys()].every((key) => typeof key === "string") ? value : [...value];
  }
  if (value instanceof Error) return { ...value, name: value.name, message: value.message };
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON();
  return value;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // A getter or a proxy: it is looked at one by one, where what it threw is told.
    return undefined;
  }
}

/** The value, or words in its place. */
function attempted(read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    return `[cannot be read: ${messageOf(thrown)}]`;
  }
}
