// an answer of the model → data of the shape that was asked for, or what is wrong with it
import type { RequestConfig } from "../llm/llm-client.ts";
import { type ArgumentCheck, createArgumentCompiler } from "../tools/argument-check.ts";
import type { SchemaSource } from "../tools/tool.ts";
import { type AgentError, agentError, messageOf } from "../types/errors.ts";
import type { ExecutionOutcome } from "../types/events.ts";
import { findInexactNumber, isJsonObject, type Json, type JsonSchema, parseJson } from "../types/json.ts";
import { describeIssues, findTopProblem, isStandardSchema, toJsonSchema } from "../types/standard-schema.ts";
import { callHost } from "./host-callbacks.ts";
import type { OutputCheck } from "./options.ts";

type Output = NonNullable<RequestConfig["output"]>;

/** What is asked for with `output`. */
export interface AskedOutput {
  readonly output: Output;
  /** Absent for a JSON Schema, which says all. */
  readonly checkOutput?: OutputCheck | undefined;
  /** What the schema made of the data that was found last. */
  toValue(structured: Json | undefined): unknown;
}

/** Throws `AgentError` kind `invalid`, code `bad_options`, for what is no schema. */
export function toAskedOutput(source: SchemaSource): AskedOutput {
  // Programs in JavaScript may give anything.
  if (typeof source !== "function" && (typeof source !== "object" || source === null)) {
    throw agentError("invalid", "bad_options", "`output` is a schema of zod or the like, or a JSON Schema.");
  }
  const output = { name: "answer", schema: toJsonSchema(source, "The output", "bad_options") };
  if (!isStandardSchema(source)) return { output, toValue: (structured) => structured };
  let value: unknown;
  return {
    output,
    async checkOutput(json) {
      const verdict = await source["~standard"].validate(json);
      if (verdict.issues) return describeIssues(verdict.issues, "answer");
      value = verdict.value;
      return [];
    },
    toValue: () => value,
  };
}

/** What is asked of the provider, which wants an object: anything else goes into the property `value`. */
export function toAskedConfig(config: RequestConfig | undefined): RequestConfig | undefined {
  if (!config?.output || !findTopProblem(config.output.schema)) return config;
  return { ...config, output: { ...config.output, schema: wrap(config.output.schema) } };
}

type Found = { readonly value: Json } | { readonly problems: readonly string[] };

/** Decides what is taken for the output of a run, wherever it comes from. */
export class OutputGate {
  readonly #output: Output;
  readonly #fits: ArgumentCheck;
  readonly #check: OutputCheck | undefined;

  /** Throws `AgentError` kind `invalid`, code `bad_options`, for a schema that cannot be used. */
  constructor(output: Output, check: OutputCheck | undefined) {
    this.#output = output;
    this.#check = check;
    try {
      this.#fits = createArgumentCompiler("answer")(output.schema);
    } catch (thrown) {
      throw agentError("invalid", "bad_options", `The schema of \`output\` cannot be used: ${messageOf(thrown)}.`);
    }
  }

  /** Reads the whole text, or the fence that is the whole text. */
  async readText(text: string): Promise<Found> {
    const json = FENCE.exec(text)?.[1] ?? text;
    const found = parseJson(json);
    if (found === undefined) return { problems: ["it is not JSON, or there are words around it"] };
    const number = findInexactNumber(json);
    if (number) return { problems: [`the number ${number.slice(0, 40)} has more digits than a number here can hold`] };
    return this.read(found);
  }

  /** Data that nobody can be asked for again. Throws `AgentError` code `structured_output` for what does not fit. */
  async admit(data: Json | undefined): Promise<Json> {
    const found = data === undefined ? { problems: ["there is no data"] } : await this.read(data);
    if ("problems" in found) throw this.refusal(found.problems);
    return found.value;
  }

  /** What was answered before has to fit as well. */
  async admitRepeated(outcome: ExecutionOutcome): Promise<void> {
    if (outcome.status === "finished") await this.admit(outcome.structured);
  }

  refusal(problems: readonly string[]): AgentError {
    const message = `The answer does not have the shape "${this.#output.name}": ${problems.join("; ")}.`;
    return agentError("agent", "structured_output", message);
  }

  /** Without the property that was put around it. */
  async read(found: Json): Promise<Found> {
    const inner = findTopProblem(this.#output.schema) && isJsonObject(found) ? found.value : undefined;
    const innerProblems = inner === undefined ? undefined : this.#fits(inner);
    const value = inner !== undefined && innerProblems?.length === 0 ? inner : found;
    const problems = value === found ? this.#fits(found) : [];
    if (problems.length > 0) return { problems: innerProblems ?? problems };
    const check = this.#check;
    const own = check ? await callHost("output", () => check(value)) : [];
    return own.length === 0 ? { value } : { problems: own };
  }
}

const FENCE = /^\s*```(?:json)?[ \t]*\n((?:(?!```)[\s\S])*)```\s*$/;

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
