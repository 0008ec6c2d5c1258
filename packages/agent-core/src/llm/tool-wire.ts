// tools as providers want them: which one is forced, closed schemas, arguments as they came

import type { Json, JsonSchema } from "../types/json.ts";
import type { ToolCall } from "../types/message.ts";
import type { ModelProfile, RequestConfig, ToolDefinition } from "./llm-client.ts";

/** Why a choice of tool cannot be sent (`tool_choice_ignored`); undefined when it can. */
export function findToolProblem(
  { toolChoice }: RequestConfig,
  tools: readonly ToolDefinition[],
  profile: ModelProfile,
): string | undefined {
  if (toolChoice === undefined || toolChoice === "auto" || toolChoice === "none") return undefined;
  if (!profile.supportsForcedToolChoice) {
    return `${profile.id} cannot be forced to use a tool.`;
  }
  const name = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  const found = name === undefined ? tools.length > 0 : tools.some((tool) => tool.name === name);
  return found ? undefined : `There is no tool${name === undefined ? "" : ` "${name}"`} to force.`;
}

/** Complaint 8: what was cut off or is not an object is kept as text and marked, never executed. */
export function toToolCall(options: {
  readonly id: string;
  readonly name: string;
  /** Empty text means no arguments. */
  readonly json: string;
  /** The provider stopped inside this call. */
  readonly cut: boolean;
}): ToolCall {
  const { id, name: toolName, json, cut } = options;
  const args = cut ? undefined : parseObject(json.trim() === "" ? "{}" : json);
  if (args) return { id, toolName, arguments: args, state: "complete" };
  return { id, toolName, arguments: {}, rawArguments: json, state: cut ? "truncated" : "unparseable" };
}

/** Undefined for anything that is not a JSON object. */
export function parseObject(json: string): { [key: string]: Json } | undefined {
  try {
    const value = JSON.parse(json) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

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
