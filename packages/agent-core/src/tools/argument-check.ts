// arguments from the model + JSON Schema → a list of what is wrong
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Json, JsonSchema } from "../types/json.ts";

/** What is wrong with the arguments, one sentence each; empty when they fit. */
export type ArgumentCheck = (args: { readonly [key: string]: Json }) => readonly string[];

/** Throws when the schema itself is not valid. */
export type ArgumentCompiler = (parameters: JsonSchema) => ArgumentCheck;

/** One compiler for many tools: setting it up takes far longer than using it. */
export function createArgumentCompiler(): ArgumentCompiler {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, addUsedSchema: false });
  formats.default(ajv);
  return (parameters) => {
    // A dialect named in the schema would have to be registered; 2020-12 reads the others well enough.
    const { $schema: _dialect, ...schema } = parameters;
    const validate = ajv.compile(schema);
    // The compiler would keep the schemas of tools that are gone.
    ajv.removeSchema(schema);
    return (args) => (validate(args) ? [] : [...new Set((validate.errors ?? []).map(toSentence))]);
  };
}

function toSentence(error: ErrorObject): string {
  const where = error.instancePath === "" ? "arguments" : error.instancePath.slice(1).replaceAll("/", ".");
  const message = error.message ?? "is not valid";
  const { allowedValues, additionalProperty } = error.params as Record<string, unknown>;
  if (Array.isArray(allowedValues))
    return `${where} must be one of ${allowedValues.map((v) => JSON.stringify(v)).join(", ")}`;
  if (typeof additionalProperty === "string") return `${where} has no property "${additionalProperty}"`;
  return `${where} ${message}`;
}
