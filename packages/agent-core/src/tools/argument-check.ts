// arguments from the model + JSON Schema → a list of what is wrong
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Json, JsonSchema } from "../types/json.ts";
import { nearestName } from "../types/known-options.ts";

/** What is wrong with the arguments, one sentence each; empty when they fit. */
export type ArgumentCheck = (args: Json | { readonly [key: string]: Json }) => readonly string[];

/** Throws when the schema itself is not valid. */
export type ArgumentCompiler = (parameters: JsonSchema) => ArgumentCheck;

/** More would bury the first, which is often the cause of the rest. */
const MAX_PROBLEMS = 8;
const MAX_VALUE_CHARS = 60;
/** Says only that the branches failed, which their own errors tell better. */
const SUMMARY_KEYWORDS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "if"]);

/** One compiler for many tools: setting it up takes far longer than using it. `whole` names the value itself. */
export function createArgumentCompiler(whole = "arguments"): ArgumentCompiler {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, logger: false });
  formats.default(ajv);
  return (parameters) => {
    // A dialect named in the schema would have to be registered; 2020-12 reads the others well enough.
    const { $schema: _dialect, ...schema } = parameters;
    try {
      const validate = ajv.compile(schema);
      return (args) => (validate(args) ? [] : toProblems(validate.errors ?? [], whole));
    } finally {
      // The compiler would keep the schemas of tools that are gone.
      ajv.removeSchema(schema);
    }
  };
}

/** What is wrong with a value, one sentence each. A schema that cannot be read is a problem too. */
export function checkValue(value: Json, schema: JsonSchema, whole = "value"): readonly string[] {
  try {
    return createArgumentCompiler(whole)(schema)(value);
  } catch (thrown) {
    return [`its schema cannot be used: ${String(thrown)}`];
  }
}

function toProblems(errors: readonly ErrorObject[], whole: string): readonly string[] {
  const telling = errors.filter((error) => !SUMMARY_KEYWORDS.has(error.keyword));
  const sentences = [...new Set((telling.length > 0 ? telling : errors).map((error) => toSentence(error, whole)))];
  const left = sentences.length - MAX_PROBLEMS;
  return left > 0 ? [...sentences.slice(0, MAX_PROBLEMS), `and ${left} more`] : sentences;
}

/** Where, what was expected, what came, and the name that was probably meant. */
function toSentence(error: ErrorObject, whole: string): string {
  const where = error.instancePath === "" ? whole : error.instancePath.slice(1).replaceAll("/", ".");
  const params: Record<string, unknown> = error.params;
  const properties = Object.keys(error.parentSchema?.properties ?? {});
  switch (error.keyword) {
    case "required":
      return `${where}: expected the property "${params.missingProperty}"${typeOf(error, params.missingProperty)}, got none`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownProperty(where, String(params.additionalProperty ?? params.unevaluatedProperty), properties);
    case "enum":
      return oneOfValues(where, params.allowedValues, error.data);
    case "const":
      return `${where}: expected ${show(params.allowedValue)}, got ${show(error.data)}`;
    case "type":
      return `${where}: expected ${[params.type].flat().join(" or ")}, got ${show(error.data)}`;
    default:
      return `${where}: ${error.message ?? "is not valid"}, got ${show(error.data)}`;
  }
}

/** Names the property that was probably meant. */
export function unknownProperty(where: string, name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const hint = near === undefined ? `; known: ${known.join(", ") || "none"}` : `; did you mean "${near}"?`;
  return `${where}: there is no property "${name}"${hint}`;
}

function oneOfValues(where: string, allowed: unknown, data: unknown): string {
  const values = Array.isArray(allowed) ? allowed : [];
  const names = values.filter((value) => typeof value === "string");
  const near = typeof data === "string" ? nearestName(data, names) : undefined;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return `${where}: expected one of ${values.map((value) => JSON.stringify(value)).join(", ")}, got ${show(data)}${hint}`;
}

function typeOf(error: ErrorObject, property: unknown): string {
  const type: unknown = error.parentSchema?.properties?.[String(property)]?.type;
  return typeof type === "string" ? ` (${type})` : "";
}

/** Bounded: arguments may hold a whole file. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS).toWellFormed()}…`;
}
