// schemas of zod, valibot, arktype and others → JSON Schema, and a check of values
import { agentError, messageOf } from "./errors.ts";
import type { JsonSchema } from "./json.ts";

/**
 * A schema of any library that speaks Standard Schema (zod, arktype, valibot). It can check values, but need not be able
 * to tell a model what they look like.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaVerdict<Output> | Promise<SchemaVerdict<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: JsonSchemaWriter | undefined;
  };
}

/**
 * A schema that also speaks Standard JSON Schema, so that a model can be told what to send: zod 4.2, arktype 2.1.28, or
 * valibot with `toStandardJsonSchema(schema)` of `@valibot/to-json-schema`.
 */
export interface StandardJsonSchema<Input = unknown, Output = unknown> extends StandardSchema<Input, Output> {
  readonly "~standard": StandardSchema<Input, Output>["~standard"] & { readonly jsonSchema: JsonSchemaWriter };
}

interface JsonSchemaWriter {
  readonly input: (options: { readonly target: "draft-2020-12" }) => { readonly [key: string]: unknown };
}

/** The value as the schema makes it, or what is wrong with it. */
export type SchemaVerdict<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A JSON Schema as it is written in a program. */
export type SchemaLiteral = { readonly [key: string]: unknown };

/** Schemas of some libraries are functions. */
export function isStandardSchema(schema: StandardSchema | SchemaLiteral): schema is StandardSchema {
  return "~standard" in schema;
}

/** What a model is told. Throws `AgentError` kind `invalid` with this code; `owner` begins its message. */
export function toJsonSchema(schema: StandardSchema | SchemaLiteral, owner: string, code = "bad_tool"): JsonSchema {
  if (!isStandardSchema(schema)) return schema as JsonSchema;
  const { vendor, jsonSchema } = schema["~standard"];
  const advice =
    vendor === "valibot"
      ? "Pass toStandardJsonSchema(schema) of @valibot/to-json-schema."
      : "Write it as JSON Schema, or use a schema that implements Standard JSON Schema.";
  if (!jsonSchema) throw agentError("invalid", code, `${owner}: ${vendor} does not give a JSON Schema. ${advice}`);
  try {
    const { $schema: _, ...written } = jsonSchema.input({ target: "draft-2020-12" });
    return written as JsonSchema;
  } catch (thrown) {
    const what = `${owner}: ${vendor} cannot write this schema as JSON Schema: ${messageOf(thrown)}`;
    const message = `${what}. Ask for what JSON has, such as a text in place of a date, and transform it.`;
    throw agentError("invalid", code, message, { cause: thrown });
  }
}

/** Keywords that providers do not take beside `type: "object"` at the top of a schema. */
const TOP_CHOICES = ["oneOf", "anyOf", "allOf", "enum", "not"];

/** Why a schema cannot stand at the top of parameters or of an answer; undefined when it can. */
export function findTopProblem(schema: JsonSchema): string | undefined {
  const choice = TOP_CHOICES.find((keyword) => schema[keyword] !== undefined);
  if (choice) return `has "${choice}" at the top`;
  const { type = "object" } = schema;
  return type === "object" ? undefined : `is of type ${JSON.stringify(type)}`;
}

/** The same without a choice at the top, where there are properties that say enough. */
export function withoutTopChoice(schema: JsonSchema): JsonSchema {
  if (!schema.properties) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !TOP_CHOICES.includes(keyword)));
}

/** One sentence per issue, beginning with where it is; `whole` names the value itself. */
export function describeIssues(issues: readonly SchemaIssue[], whole: string): readonly string[] {
  return issues.map(({ path = [], message }) => {
    const where = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
    return `${where || whole}: ${message}`;
  });
}
