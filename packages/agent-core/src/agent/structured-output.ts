// an answer of the model → data of the shape that was asked for, or what is wrong with it
import type { RequestConfig } from "../llm/llm-client.ts";
import { checkValue } from "../tools/argument-check.ts";
import { isJsonObject, type Json, type JsonSchema, parseJson, parseJsonObject } from "../types/json.ts";
import { findTopProblem } from "../types/standard-schema.ts";

type Output = NonNullable<RequestConfig["output"]>;

/** What is asked of the provider, which wants an object: anything else goes into the property `value`. */
export function toAskedConfig(config: RequestConfig | undefined): RequestConfig | undefined {
  if (!config?.output || !findTopProblem(config.output.schema)) return config;
  return { ...config, output: { ...config.output, schema: wrap(config.output.schema) } };
}

/** The data without that property, or one sentence for each thing that is wrong. */
export function readStructured(
  text: string,
  { schema }: Output,
): { readonly value: Json } | { readonly problems: readonly string[] } {
  const found = findJson(text);
  if (found === undefined) return { problems: ["it is not JSON, or has several objects"] };
  const isWrapped = findTopProblem(schema) !== undefined && isJsonObject(found) && "value" in found;
  const inner = isWrapped ? checkValue(found.value as Json, schema, "answer") : undefined;
  if (isWrapped && inner?.length === 0) return { value: found.value as Json };
  const problems = checkValue(found, schema, "answer");
  return problems.length === 0 ? { value: found } : { problems: inner ?? problems };
}

function wrap({ $defs, ...schema }: JsonSchema): JsonSchema {
  const value = pointInside(schema);
  const whole = { type: "object", properties: { value }, required: ["value"], additionalProperties: false };
  return $defs === undefined ? whole : { ...whole, $defs: pointInside($defs) };
}

/** A schema that refers to itself as a whole now stands one step deeper. */
function pointInside(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(pointInside);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, inner]) => [
      key,
      key === "$ref" && inner === "#" ? "#/properties/value" : pointInside(inner),
    ]),
  );
}

const FENCE = /```(?:json)?[ \t]*\n([\s\S]*?)```/g;

/** The whole text, the only fence in it, or the only object between its words. */
function findJson(text: string): Json | undefined {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const [fence, ...fences] = [...text.matchAll(FENCE)];
  const fenced = fence && fences.length === 0 ? parseJson(fence[1] ?? "") : undefined;
  if (fenced !== undefined) return fenced;
  const [object, ...objects] = findBraces(text).flatMap((piece) => parseJsonObject(piece) ?? []);
  return objects.length === 0 ? object : undefined;
}

/** What stands between outermost braces; those in strings do not count. */
function findBraces(text: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/[{}]|"(?:[^"\\]|\\.)*"/g)) {
    if (token === "{" && depth++ === 0) start = index;
    if (token === "}" && depth > 0 && --depth === 0) pieces.push(text.slice(start, index + 1));
  }
  return pieces;
}
