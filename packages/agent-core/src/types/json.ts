import { createHash } from "node:crypto";
/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON Schema document. */
export type JsonSchema = { [key: string]: Json };

/** What is neither a list nor a plain value. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same of JSON. */
export const isJsonObject = (value: Json | undefined): value is { [key: string]: Json } => isObject(value);

/** Undefined for a text that is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // What a text is that is no JSON, nobody asks.
    return undefined;
  }
}

/** Undefined for a text that is no JSON object, such as a line that was torn. */
export function parseJsonObject(text: string): { readonly [key: string]: Json } | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

const NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The first number of a JSON text that would come out as another: a whole one with too many digits, or one too large. */
export function findInexactNumber(json: string): string | undefined {
  // Most texts have none, and need no second reading.
  if (!/\d{16}|\d[eE]/.test(json)) return undefined;
  for (const [token] of json.matchAll(NUMBERS)) {
    if (token.startsWith('"')) continue;
    const value = Number(token);
    if (!Number.isFinite(value) || (/^-?\d+$/.test(token) && BigInt(token) !== BigInt(value))) return token;
  }
  return undefined;
}

/** Deeper than anybody means it, and than a stack can bear. */
const MAX_DEPTH = 500;

/** Whether a JSON text is nested too deep to be written, hashed or checked. */
export function isTooDeep(json: string): boolean {
  if (json.length <= MAX_DEPTH) return false;
  let depth = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** What a stack can bear. */
const MAX_VALUE_DEPTH = 3_500;

/** The same for a value that was never a text. */
export function isValueTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_VALUE_DEPTH) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

type ReadonlyJson = Json | { readonly [key: string]: Json };

/** JSON with its keys sorted: the same value gives the same text. */
export function canonicalJson(value: ReadonlyJson): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(",")}}`;
}

/** Hex digest of the canonical form. */
export function sha256Of(value: ReadonlyJson): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
