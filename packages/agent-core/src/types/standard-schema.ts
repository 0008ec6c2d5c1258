// schemas of zod, valibot, arktype and others → JSON Schema, and a check of values
import { agentError } from "./errors.ts";
import type { JsonSchema } from "./json.ts";

/**
 * A schema of any library that speaks Standard Schema. `jsonSchema` is Standard JSON Schema: a schema without it can
 * check values, but cannot tell a model what they look like.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaVerdict<Output> | Promise<SchemaVerdict<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => { readonly [key: string]: unknown };
    };
  };
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

/** What a model is told. Throws `AgentError` kind `invalid`, code `bad_tool`; `owner` begins its message. */
export function toJsonSchema(schema: StandardSchema | SchemaLiteral, owner: string): JsonSchema {
  if (!isStandardSchema(schema)) return schema as JsonSchema;
  const { vendor, jsonSchema } = schema["~standard"];
  const advice = "Write it as JSON Schema, or use a schema that implements Standard JSON Schema.";
  if (!jsonSchema)
    throw agentError("invalid", "bad_tool", `${owner}: ${vendor} does not give a JSON Schema. ${advice}`);
  try {
    const { $schema: _, ...written } = jsonSchema.input({ target: "draft-2020-12" });
    return written as JsonSchema;
  } catch (thrown) {
    const message = `${owner}: ${vendor} cannot write this schema as JSON Schema: ${String(thrown)}. ${advice}`;
    throw agentError("invalid", "bad_tool", message, { cause: thrown });
  }
}

/** One sentence per issue, beginning with where it is; `whole` names the value itself. */
export function describeIssues(issues: readonly SchemaIssue[], whole: string): readonly string[] {
  return issues.map(({ path = [], message }) => {
    const where = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
    return `${where || whole}: ${message}`;
  });
}
