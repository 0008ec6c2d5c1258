// arguments of a call → a bounded text for the person who is asked
import { createRedactor } from "../observability/redact.ts";
import { canonicalJson, type Json } from "../types/json.ts";
import type { JsonArguments } from "./tool.ts";

const MAX_CHARS = 600;
const REDACTOR = createRedactor();
/** Tried in turn until the whole is short enough. */
const TEXT_LIMITS = [200, 60] as const;
const MAX_CUT_CHARS = 2_000;
const [LEAST_VALUE, MAX_KEY] = [40, 100];

/** Every argument is shown: long values are cut, none is left out. */
export function toPreview(args: JsonArguments): string {
  const shown: Json = REDACTOR.display({ ...args });
  const whole = canonicalJson(shown);
  if (whole.length <= MAX_CHARS) return whole;
  for (const limit of TEXT_LIMITS) {
    const text = canonicalJson(cutTexts(shown, limit));
    if (text.length <= MAX_CUT_CHARS) return text;
  }
  const fields = Object.entries(shown ?? {});
  const limit = Math.max(LEAST_VALUE, Math.floor(MAX_CUT_CHARS / fields.length));
  const pairs = fields.map(
    ([key, value]) => `${JSON.stringify(cut(key, MAX_KEY))}:${cut(canonicalJson(value), limit)}`,
  );
  return `{${pairs.join(",")}}`;
}

function cutTexts(value: Json, limit: number): Json {
  if (typeof value === "string") return cut(value, limit);
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, limit));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutTexts(inner, limit)]));
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}… (${text.length} characters)`;
}
