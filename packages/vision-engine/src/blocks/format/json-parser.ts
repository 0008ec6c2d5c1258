// JSON text → its fields as outputs of the step
import type { Json } from "@vision-agent/protocol";
import { block, type StepText, textsOf } from "../block.ts";

export const jsonParser = block({
  type: "roboflow_core/json_parser@v1",
  description: "Reads named fields out of a JSON text, for example the answer of a language model.",
  phrase: "reads fields out of JSON",
  problems: (step) =>
    fieldsIn(step).includes("error_status")
      ? [
          {
            property: "expected_fields",
            message: '"error_status" is an output of the block; name the field otherwise.',
          },
        ]
      : [],
  outputs: (step) => fieldsIn(step).map((name) => ({ name, kinds: ["*"] })),
  run: (inputs) => {
    const fields = textsOf(inputs, "expected_fields") ?? [];
    const parsed = parseObject(inputs.raw_json);
    const values = Object.fromEntries(fields.map((name) => [name, parsed?.[name] ?? null]));
    const complete = parsed !== undefined && fields.every((name) => Object.hasOwn(parsed, name));
    return { ...values, error_status: !complete };
  },
});

function fieldsIn({ properties: { expected_fields: fields } }: StepText): readonly string[] {
  return Array.isArray(fields) ? fields.filter((field) => typeof field === "string") : [];
}

function parseObject(text: unknown): JsonObject | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const value: Json = JSON.parse(firstJsonBlock(text) ?? text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export type JsonObject = { readonly [name: string]: Json };
export type JsonPayload = JsonObject | readonly Json[];

const JSON_BLOCK = /```json([\s\S]*?)```/i;
const ANY_BLOCK = /```[a-zA-Z0-9_+-]*[ \t]*\r?\n?([\s\S]*?)```/;
const FENCE_LINE = /^[ \t]*```[a-zA-Z0-9_+-]*[ \t]*$/gm;
const SEPARATOR = /^[\s,]*$/;
/** One closing bracket too many is forgiven. */
const SEQUENCE_END = /^[\s,]*\]?[\s,]*$/;
const BOX_FIELDS = ["x_min", "y_min", "x_max", "y_max"];

/**
 * The object or list in a text, by the first way that works: the first block marked as JSON, the first marked block,
 * the whole text, a sequence of values, the outermost list, the outermost object. A single number or word is none.
 */
export function extractJsonPayload(text: unknown): JsonPayload | undefined {
  if (typeof text !== "string") return undefined;
  const bare = text.replace(FENCE_LINE, "");
  for (const candidate of [firstJsonBlock(text), ANY_BLOCK.exec(text)?.[1], text, bare]) {
    const payload = candidate === undefined ? undefined : parsePayload(candidate);
    if (payload !== undefined) return payload;
  }
  return parseSequence(bare) ?? parseOutermost(bare, "[", "]") ?? parseOutermost(bare, "{", "}");
}

/** Content of the first block that is marked as JSON. */
function firstJsonBlock(text: string): string | undefined {
  return JSON_BLOCK.exec(text)?.[1];
}

/** Complete boxes out of an answer that was cut off. */
export function salvageBoxes(text: string): readonly JsonObject[] {
  const boxes: JsonObject[] = [];
  for (let start = text.indexOf("{"); start >= 0; ) {
    const end = endOfValue(text, start);
    const value = end === undefined ? undefined : parsePayload(text.slice(start, end));
    if (isJsonObject(value) && BOX_FIELDS.every((field) => field in value)) boxes.push(value);
    start = text.indexOf("{", value === undefined ? start + 1 : end);
  }
  return boxes;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsePayload(text: string): JsonPayload | undefined {
  try {
    const value: Json = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Objects and lists one after the other, lists flattened; absent when there is anything else between them. */
function parseSequence(text: string): readonly Json[] | undefined {
  const entries: Json[] = [];
  let at = 0;
  for (let start = text.search(/[[{]/); start >= 0; ) {
    const end = SEPARATOR.test(text.slice(at, start)) ? endOfValue(text, start) : undefined;
    const value = end === undefined ? undefined : parsePayload(text.slice(start, end));
    if (end === undefined || value === undefined) return undefined;
    if (Array.isArray(value)) entries.push(...value);
    else entries.push(value as JsonObject);
    at = end;
    const next = text.slice(at).search(/[[{]/);
    start = next < 0 ? -1 : at + next;
  }
  return at > 0 && SEQUENCE_END.test(text.slice(at)) ? entries : undefined;
}

function parseOutermost(text: string, open: string, close: string): JsonPayload | undefined {
  const start = text.indexOf(open);
  const end = text.lastIndexOf(close);
  return start < 0 || end <= start ? undefined : parsePayload(text.slice(start, end + 1));
}

/** Place after the bracket that closes the one at `start`; absent when none does. Brackets inside of texts do not count. */
function endOfValue(text: string, start: number): number | undefined {
  const tokens = /"(?:\\[\s\S]|[^"\\])*"|[[{]|[\]}]/g;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === "{" || token[0] === "[") depth += 1;
    if (token[0] === "}" || token[0] === "]") depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return undefined;
}
