// what both wires of OpenAI check alike
import { createHmac } from "node:crypto";
import { readImageHeader } from "../artifacts/image-header.ts";
import type { Incoming, WireProblem } from "./loopback-server.ts";

export type Wire = { readonly [key: string]: unknown };
/** A body that was checked, as far as a test needs it. */
export interface OpenAIRequest extends Wire {
  readonly model: string;
}

const EFFORTS: readonly unknown[] = [undefined, "none", "minimal", "low", "medium", "high", "xhigh", "max"];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export function isWire(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter(isWire) : [];
}

/** Key and model; undefined when all is well. */
export function findDoorProblem(
  incoming: Incoming,
  apiKey: string,
  models: readonly string[],
): WireProblem | undefined {
  if (incoming.headers.authorization !== `Bearer ${apiKey}`) {
    return {
      status: 401,
      type: "invalid_request_error",
      code: "invalid_api_key",
      message: "Incorrect API key provided",
    };
  }
  if (incoming.method === "GET") return undefined;
  const model = (incoming.body as Wire).model;
  if (typeof model === "string" && models.includes(model)) return undefined;
  const message = `The model \`${String(model)}\` does not exist`;
  return { status: 404, type: "invalid_request_error", code: "model_not_found", message };
}

export function refusal(message: string): WireProblem {
  return { status: 400, type: "invalid_request_error", message };
}

/** GPT-6: sampling only without reasoning. */
export function findSamplingProblem(body: Wire, effort: unknown): string | undefined {
  if (!EFFORTS.includes(effort)) return `Unsupported value for effort: ${String(effort)}`;
  const sampled = "temperature" in body || "top_p" in body;
  return sampled && effort !== "none" ? "Unsupported parameter: 'temperature'" : undefined;
}

/** `functions` are the definitions, wherever the wire keeps them. */
export function findFunctionProblem(functions: readonly Wire[], choice: unknown): string | undefined {
  const names = functions.map(({ name }) => name);
  if (new Set(names).size !== names.length) return "Duplicate tool name";
  const bad = names.find((name) => typeof name !== "string" || !TOOL_NAME.test(name));
  if (bad !== undefined) return `Invalid tool name: ${String(bad)}`;
  if (choice !== undefined && functions.length === 0) return "tool_choice is only allowed when tools are specified";
  const odd = functions.find(({ parameters }) => parameters !== undefined && !isObjectAtTop(parameters));
  if (odd) return `Invalid schema for function '${String(odd.name)}': ${TOP_MESSAGE}`;
  const loose = functions.find(({ strict, parameters }) => strict === true && isLoose(parameters));
  return loose ? `Invalid schema for function ${String(loose.name)}: strict` : undefined;
}

const TOP_CHOICES = ["oneOf", "anyOf", "allOf", "enum", "not"];
/** What is said of a schema that is anything else. */
export const TOP_MESSAGE =
  "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";

export function isObjectAtTop(schema: unknown): boolean {
  return isWire(schema) && schema.type === "object" && !TOP_CHOICES.some((key) => key in schema);
}

/** Strict mode wants every object closed and every property required, and takes no `oneOf`. */
export function isLoose(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(isLoose);
  if (!isWire(schema)) return false;
  if (Array.isArray(schema.oneOf) || Array.isArray(schema.allOf)) return true;
  if (schema.type === "object") {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const names = isWire(schema.properties) ? Object.keys(schema.properties) : [];
    if (schema.additionalProperties !== false || names.some((name) => !required.includes(name))) return true;
  }
  return Object.values(schema).some(isLoose);
}

/** A data URL whose bytes are what it says. */
export function isPicture(url: unknown): boolean {
  const [, mimeType, data] = /^data:(image\/[a-z]+);base64,(.+)$/.exec(String(url)) ?? [];
  return data !== undefined && readImageHeader(Buffer.from(data, "base64"))?.mimeType === mimeType;
}

/** What stands in for encryption: bound to the model and to the item. */
export function sealReasoning(model: string, itemId: string): string {
  return createHmac("sha256", "loopback").update(`${model} ${itemId}`).digest("base64");
}

/** Two pieces show that the receiver joins them. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
