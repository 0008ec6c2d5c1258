import type { Json } from "@vision-agent/protocol";

/** Schemas of kinds are long and nobody reads them; ids of classes and steps are names, not keys of a shape. */
const OPAQUE = new Set(["kinds_schemas"]);

/** Where two answers differ in keys or types. Values may differ; an empty list fits any list. */
export function differences(expected: Json, actual: Json, path = "answer"): readonly string[] {
  if (typeOf(expected) !== typeOf(actual)) return [`${path} is ${typeOf(actual)}, not ${typeOf(expected)}`];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.min(expected.length, actual.length);
    return expected.slice(0, length).flatMap((item, index) => differences(item, actual[index]!, `${path}[${index}]`));
  }
  if (!isMap(expected) || !isMap(actual)) return [];
  const missing = Object.keys(expected).filter((key) => !(key in actual));
  const extra = Object.keys(actual).filter((key) => !(key in expected));
  const inside = Object.keys(expected).filter((key) => key in actual && !OPAQUE.has(key));
  return [
    ...missing.map((key) => `${path}.${key} is missing`),
    ...extra.map((key) => `${path}.${key} is too much`),
    ...inside.flatMap((key) => differences(expected[key]!, actual[key]!, `${path}.${key}`)),
  ];
}

function isMap(value: Json): value is { [key: string]: Json } {
  return typeOf(value) === "object";
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
