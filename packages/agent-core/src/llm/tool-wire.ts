// what was asked → what providers take: caps, a forced tool, closed schemas; arguments as they came
import type { Warn } from "../types/events.ts";
import {
  findInexactNumber,
  isJsonObject,
  isTooDeep,
  type Json,
  type JsonSchema,
  parseJsonObject,
} from "../types/json.ts";
import type { ToolCall } from "../types/message.ts";
import type { LLMRequest, ModelProfile, RequestConfig, ToolDefinition } from "./llm-client.ts";

/** Thinking counts into the cap, so a chat answer needs this much. */
const DEFAULT_MAX_TOKENS = 16_000;

/** AI-3: zero means the default, as undefined does. */
export function toMaxTokens({ maxTokens }: RequestConfig, { maxOutput }: ModelProfile): number {
  return Math.min(maxTokens || DEFAULT_MAX_TOKENS, maxOutput);
}

/** AI-3: minus one means the default, as undefined does. */
export function toTemperature({ temperature }: RequestConfig, profile: ModelProfile, warn: Warn): number | undefined {
  if (temperature === undefined || temperature === -1) return undefined;
  if (profile.supportsTemperature) return temperature;
  warn("temperature_ignored", `${profile.id} does not take a temperature.`);
  return undefined;
}

/** The schema that the answer is held to, where the model can be; `tellOutput` tells it to others. */
export function toOutputSchema({ output }: RequestConfig, profile: ModelProfile, warn: Warn): JsonSchema | undefined {
  if (!output) return undefined;
  if (profile.supportsStructuredOutput) return toClosedSchema(output.schema);
  const declared = `profiles: [{ id: "${profile.id}", supportsStructuredOutput: true }]`;
  const message = `${profile.id} was told the schema of the answer in words. If it can be held to one, declare ${declared}.`;
  warn("output_schema_ignored", message);
  return undefined;
}

/** A model that cannot be held to a schema reads it at the end of its system prompt. */
export function tellOutput(
  request: LLMRequest,
  { supportsStructuredOutput }: Pick<ModelProfile, "supportsStructuredOutput">,
): LLMRequest {
  const output = request.config?.output;
  if (!output || supportsStructuredOutput) return request;
  const text = `Answer with JSON only, without words around it. It has this JSON Schema:\n${JSON.stringify(output.schema)}`;
  return { ...request, system: [...request.system, { id: "output_schema", text, stability: "session" }] };
}

/** Why a choice of tool cannot be sent (`tool_choice_ignored`); undefined when it can. */
export function findToolProblem(
  { toolChoice }: RequestConfig,
  tools: readonly ToolDefinition[],
  profile: ModelProfile,
): string | undefined {
  if (toolChoice === undefined || toolChoice === "auto" || toolChoice === "none") return undefined;
  if (!profile.supportsForcedToolChoice) return `${profile.id} cannot be forced to use a tool.`;
  const name = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  const found = name === undefined ? tools.length > 0 : tools.some((tool) => tool.name === name);
  return found ? undefined : `There is no tool${name === undefined ? "" : ` "${name}"`} to force.`;
}

/** No wire takes longer ids. */
const MAX_ID_CHARS = 64;

/** The same id, or the next like it that nobody has. Results and idempotency keys go by it, and some models use one again. */
export function freeCallId(id: string, used: Pick<ReadonlySet<string>, "has">): string {
  let free = id;
  for (let number = 2; used.has(free); number++) {
    const suffix = `_${number}`;
    free = `${id.slice(0, MAX_ID_CHARS - suffix.length)}${suffix}`;
  }
  return free;
}

/** Complaint 8: what was cut off, is not an object, is nested too deep or has a number that would be rounded is kept as text and marked, never executed. */
export function toToolCall(options: {
  readonly id: string;
  readonly name: string;
  /** Empty text means no arguments. */
  readonly json: string;
  /** The provider stopped inside this call. */
  readonly cut: boolean;
}): ToolCall {
  const { id, name: toolName, json, cut } = options;
  const args = cut ? undefined : parseJsonObject(json.trim() === "" ? "{}" : json);
  if (args && findInexactNumber(json) === undefined && !isTooDeep(json))
    return { id, toolName, arguments: args, state: "complete" };
  return { id, toolName, arguments: {}, rawArguments: json, state: cut ? "truncated" : "unparseable" };
}

/** Providers refuse an object that leaves other keys open, and `oneOf`: objects are closed, and any one of several will do. */
export function toClosedSchema(schema: JsonSchema): JsonSchema {
  return close(schema) as JsonSchema;
}

/** Strict mode also wants every property required. */
export function isStrictSchema(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== "object" || schema === null) return true;
  if (Array.isArray(schema.oneOf) || Array.isArray(schema.allOf)) return false;
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
  const { oneOf, ...rest } = value;
  const known = Array.isArray(oneOf) && !("anyOf" in value) ? { ...rest, anyOf: oneOf } : value;
  const inner = Object.fromEntries(Object.entries(known).map(([key, item]) => [key, close(item)]));
  return isObjectSchema(inner) && !("additionalProperties" in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

function isObjectSchema(value: { readonly [key: string]: Json }): boolean {
  return value.type === "object" && (value.properties === undefined || isJsonObject(value.properties));
}
