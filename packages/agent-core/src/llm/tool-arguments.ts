// argument text as it came → a call that may or may not be executed
import type { Json } from "../types/json.ts";
import type { ToolCall } from "../types/message.ts";

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
