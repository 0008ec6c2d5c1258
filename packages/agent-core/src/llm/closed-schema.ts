// a JSON Schema → one that structured output accepts
import type { Json, JsonSchema } from "../types/json.ts";

/** Providers refuse an object that leaves other keys open: every object that says nothing is closed. */
export function toClosedSchema(schema: JsonSchema): JsonSchema {
  return close(schema) as JsonSchema;
}

/** Strict mode also wants every property required. */
export function isStrictSchema(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== "object" || schema === null) return true;
  if (isObjectSchema(schema)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const names = Object.keys((schema.properties as JsonSchema | undefined) ?? {});
    if (schema.additionalProperties !== false || names.some((name) => !required.includes(name))) return false;
  }
  return Object.values(schema).every(isStrictSchema);
}

function close(value: Json): Json {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== "object" || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, close(item)]));
  return isObjectSchema(inner) && !("additionalProperties" in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

function isObjectSchema(value: { readonly [key: string]: Json }): boolean {
  return value.type === "object" && (value.properties === undefined || isRecord(value.properties));
}

function isRecord(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
