/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON Schema document. */
export type JsonSchema = { [key: string]: Json };

/** What is neither a list nor a plain value. */
export function isJsonObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined for a text that is no JSON object, such as a line that was torn. */
export function parseJsonObject(text: string): { readonly [key: string]: Json } | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
