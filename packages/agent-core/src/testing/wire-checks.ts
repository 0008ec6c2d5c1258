// a request to the Messages API → what the real one would refuse it for
import { createHash } from "node:crypto";
import { readImageHeader } from "../artifacts/image-header.ts";
import type { Incoming, WireProblem } from "./loopback-server.ts";

type Wire = { readonly [key: string]: unknown };
/** A body that was checked, as far as the server needs it. */
export interface WireRequest extends Wire {
  readonly model: string;
  readonly messages: readonly WireMessage[];
}
/** A message as Anthropic's API takes it. */
export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly Wire[];
}

/** What the provider measures requests by. */
export interface WireLimits {
  /** Tokens, counted as four characters each. */
  readonly window: number;
  readonly requestBytes: number;
  readonly images: number;
}

const LIMITS: WireLimits = { window: 1_000_000, requestBytes: 32_000_000, images: 600 };
const MAX_OUTPUT = 128_000;
const IMAGE_EDGE = 8_000;
/** With more than so many pictures each must be smaller. */
const MANY_IMAGES = { count: 20, edge: 2_000 } as const;

/** Models that always decide themselves how long they think, and cannot be forced to use a tool. */
const ADAPTIVE_ONLY = /^claude-(opus-5-5|sonnet-5-5|haiku-5-5|fable-5|mythos-5)/;
const TOP_CHOICES = ["oneOf", "allOf", "anyOf"];
const EFFORTS: readonly unknown[] = ["low", "medium", "high", "xhigh", "max", undefined];

/** Undefined when all is well. */
export function findWireProblem(
  incoming: Incoming,
  apiKey: string,
  limits: Partial<WireLimits> = {},
): WireProblem | undefined {
  const { headers } = incoming;
  const key = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /, "");
  if (key !== apiKey) return { status: 401, type: "authentication_error", message: "invalid x-api-key" };
  if (!headers["anthropic-version"]) return refusal("anthropic-version: header is required");
  if (incoming.method === "GET") return undefined;
  const body = incoming.body as WireRequest;
  const { window, requestBytes, images } = { ...LIMITS, ...limits };
  if (incoming.bytes > requestBytes) return { status: 413, type: "request_too_large", message: "Request too large" };
  if (typeof body.model !== "string" || !body.model.startsWith("claude-")) {
    return { status: 404, type: "not_found_error", message: `model: ${String(body.model)}` };
  }
  const isCount = incoming.path.endsWith("/count_tokens");
  const message = findRefusal(body, isCount) ?? findImageProblem(body, images);
  if (message !== undefined) return refusal(message);
  const tokens = countWireTokens(body);
  if (tokens > window && !isCount) return refusal(`prompt is too long: ${tokens} tokens > ${window} maximum`);
  return undefined;
}

/** The stand-in's measure of a prompt; a picture counts by its size. */
export function countWireTokens(body: unknown): number {
  const { tools, system, messages } = body as Wire;
  const text = JSON.stringify([tools, system, messages], (key, value) => (key === "data" ? undefined : value));
  const pictures = imagesOf(body as WireRequest).reduce((sum, { width, height }) => sum + toPatches(width, height), 0);
  return Math.ceil(text.length / 4) + pictures;
}

function toPatches(width: number, height: number): number {
  return Math.ceil(width / 28) * Math.ceil(height / 28);
}

function refusal(message: string): WireProblem {
  return { status: 400, type: "invalid_request_error", message };
}

function findRefusal(body: WireRequest, isCount: boolean): string | undefined {
  const banned = ["temperature", "top_p", "top_k"].find((name) => name in body);
  if (banned) return `${banned}: this field is no longer supported`;
  const { max_tokens: maxTokens } = body as Wire;
  if (!isCount && (!Number.isInteger(maxTokens) || (maxTokens as number) < 0 || (maxTokens as number) > MAX_OUTPUT)) {
    return "max_tokens: must be a whole number within the model's cap";
  }
  return (
    findThinkingProblem(body) ??
    findOutputProblem(body) ??
    findCacheProblem(body) ??
    findToolProblem(body) ??
    findMessageProblem(body) ??
    findPairingProblem(body) ??
    findBindingProblem(body)
  );
}

function findThinkingProblem(body: WireRequest): string | undefined {
  const { thinking, max_tokens: maxTokens, tool_choice: choice, output_config: config } = body as Wire;
  const effort = isWire(config) ? config.effort : undefined;
  const { type, budget_tokens: budget } = isWire(thinking) ? thinking : {};
  const isForced = isWire(choice) && (choice.type === "any" || choice.type === "tool");
  const isAdaptiveOnly = ADAPTIVE_ONLY.test(body.model);
  const isSonnet = body.model.startsWith("claude-sonnet-5-5");
  const isBudget = Number(budget) >= 1_024 && Number(budget) < Number(maxTokens);
  const rules: readonly (readonly [broken: boolean, message: string])[] = [
    [!EFFORTS.includes(effort), `output_config.effort: unknown value ${String(effort)}`],
    [isAdaptiveOnly && type === "enabled", "thinking: budgets are not supported by this model"],
    [isAdaptiveOnly && type === "disabled", "thinking: this model always thinks"],
    [isAdaptiveOnly && isForced, "tool_choice: not supported by this model"],
    [type === "between_tools" && !isSonnet, "thinking: unknown type"],
    [type === "between_tools" && (effort === "xhigh" || effort === "max"), "thinking: effort is too high"],
    [isForced && (type === "enabled" || type === "adaptive"), "thinking: not with a forced tool"],
    [type === "enabled" && !isBudget, "thinking.budget_tokens: out of range"],
  ];
  return rules.find(([broken]) => broken)?.[1];
}

function findOutputProblem(body: WireRequest): string | undefined {
  const { output_config: config } = body as Wire;
  const format = isWire(config) ? config.format : undefined;
  if (!isWire(format)) return undefined;
  if (format.type !== "json_schema" || !isWire(format.schema)) return "output_config.format: a schema is required";
  const limit = findLimit(format.schema);
  if (limit) return `output_config.format.schema: ${limit} is not supported`;
  return isOpen(format.schema) ? "output_config.format.schema: additionalProperties must be false" : undefined;
}

const UNTAKEN = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"],
  ...["maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"],
];

/** The first keyword that the provider does not take; names of properties are no keywords. */
function findLimit(schema: unknown): string | undefined {
  if (Array.isArray(schema)) return schema.map(findLimit).find((found) => found);
  if (!isWire(schema)) return undefined;
  const { properties = {}, $defs = {}, ...rest } = schema;
  const inner = [properties, $defs].flatMap((named) => Object.values(named as Wire));
  return UNTAKEN.find((keyword) => keyword in rest) ?? [...inner, ...Object.values(rest)].map(findLimit).find(Boolean);
}

function isOpen(schema: unknown): boolean {
  if (!isWire(schema)) return false;
  if (schema.type === "object" && schema.additionalProperties !== false) return true;
  return Object.values(schema).some(isOpen);
}

/** At most four, the long-lived first, and none on a block that must not change. */
function findCacheProblem(body: WireRequest): string | undefined {
  const { tools = [], system = [] } = body as { tools?: readonly Wire[]; system?: readonly Wire[] };
  const inMessages = Array.isArray(body.messages) ? body.messages.flatMap(blocksOf) : [];
  const marked = [...tools, ...(Array.isArray(system) ? system : []), ...inMessages].filter(
    (block) => block.cache_control,
  );
  if (marked.length > 4) return "cache_control: at most 4 blocks";
  if (marked.some(({ type }) => type === "thinking" || type === "redacted_thinking"))
    return "cache_control: not on thinking";
  const hours = marked.map(({ cache_control: mark }) => isWire(mark) && mark.ttl === "1h");
  return hours.includes(false) && hours.lastIndexOf(true) > hours.indexOf(false)
    ? "cache_control: a ttl of 1h must come before one of 5m"
    : undefined;
}

function findToolProblem(body: WireRequest): string | undefined {
  const { tools, tool_choice: choice } = body as Wire;
  if (tools === undefined) return choice === undefined ? undefined : "tool_choice: only with tools";
  const names = (tools as readonly Wire[]).map((tool) => String(tool.name));
  if (new Set(names).size !== names.length) return "tools: names must be unique";
  const bad = names.find((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name));
  if (bad !== undefined) return `tools: bad name ${bad}`;
  // The provider's own tools have no schema.
  const own = (tools as readonly Wire[]).filter(({ type = "custom" }) => type === "custom");
  const at = own.findIndex(({ input_schema: schema }) => !isWire(schema) || schema.type !== "object");
  if (at >= 0) return `tools.${at}.custom.input_schema.type: Input should be 'object'`;
  const chosen = own.findIndex(({ input_schema: schema }) => TOP_CHOICES.some((key) => key in (schema as Wire)));
  return chosen < 0
    ? undefined
    : `tools.${chosen}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
}

function findMessageProblem({ messages }: WireRequest): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  if (messages.some(({ role }) => role !== "user" && role !== "assistant")) return "messages: unknown role";
  const blocks = messages.flatMap((message) => [...blocksOf(message), ...blocksOf(message).flatMap(innerBlocks)]);
  if (messages.some((message) => blocksOf(message).length === 0)) return "messages: content must not be empty";
  if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === "")) {
    return "messages: text content blocks must be non-empty";
  }
  return undefined;
}

function findImageProblem(body: WireRequest, max: number): string | undefined {
  const images = imagesOf(body);
  if (images.some(({ mimeType, declared }) => mimeType !== declared))
    return "messages: image does not match its media type";
  if (images.length > max) return `messages: too many images: ${images.length} > ${max}`;
  const edge = images.length > MANY_IMAGES.count ? MANY_IMAGES.edge : IMAGE_EDGE;
  const isLarge = images.some(({ width, height }) => Math.max(width, height) > edge);
  return isLarge ? `messages: image dimensions exceed ${edge} pixels` : undefined;
}

interface SentImage {
  /** What the bytes are; empty when they are no picture. */
  readonly mimeType: string;
  readonly declared: unknown;
  readonly width: number;
  readonly height: number;
}

function imagesOf({ messages }: WireRequest): readonly SentImage[] {
  if (!Array.isArray(messages)) return [];
  const blocks = messages.flatMap(blocksOf);
  return [...blocks, ...blocks.flatMap(innerBlocks)].flatMap(({ type, source }) => {
    if (type !== "image" || !isWire(source)) return [];
    const header = readImageHeader(Buffer.from(String(source.data), "base64"));
    return [{ ...(header ?? { mimeType: "", width: 0, height: 0 }), declared: source.media_type }];
  });
}

/** Every call answered in the next message, once, before anything else. */
function findPairingProblem({ messages }: WireRequest): string | undefined {
  for (const [index, message] of messages.entries()) {
    const asked = blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [String(block.id)] : []));
    const next = messages[index + 1];
    const answered = next ? resultIds(next) : [];
    if (asked.some((id) => !answered.includes(id))) {
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after`;
    }
    if (next && answered.some((id) => !asked.includes(id))) return `messages.${index + 1}: unexpected tool_use_id`;
    if (new Set(answered).size !== answered.length) return `messages.${index + 1}: each tool_use must have one result`;
    const types = blocksOf(message).map((block) => block.type === "tool_result");
    if (types.lastIndexOf(true) > types.indexOf(false) && types.includes(false) && types.includes(true)) {
      return `messages.${index}: tool_result blocks must come first`;
    }
  }
  return resultIds(messages[0]).length > 0 ? "messages.0: unexpected tool_use_id" : undefined;
}

/** Thinking goes back unmodified, to the same model, after the same conversation. */
function findBindingProblem({ model, messages }: WireRequest): string | undefined {
  for (const [index, message] of messages.entries()) {
    const blocks = message.role === "assistant" ? blocksOf(message) : [];
    for (const [place, block] of blocks.entries()) {
      if (block.type !== "thinking") continue;
      const expected = signThinking(model, messages.slice(0, index), blocks.slice(0, place), String(block.thinking));
      if (block.signature !== expected)
        return `messages.${index}.content.${place}: invalid signature in thinking block`;
    }
  }
  return undefined;
}

/** Bound to the model, to everything before it, and to its own words; where the cache is told to end is no part of that. */
export function signThinking(
  model: string,
  messages: readonly WireMessage[],
  before: readonly Wire[],
  thinking: string,
): string {
  const words = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value);
  const prefix = JSON.stringify([model, messages, before, thinking], words);
  return createHash("sha256").update(prefix).digest("base64");
}

function resultIds(message: WireMessage | undefined): readonly string[] {
  if (message?.role !== "user") return [];
  return blocksOf(message).flatMap((block) => (block.type === "tool_result" ? [String(block.tool_use_id)] : []));
}

function blocksOf(message: WireMessage): readonly Wire[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

function innerBlocks(block: Wire): readonly Wire[] {
  return block.type === "tool_result" && Array.isArray(block.content) ? (block.content as Wire[]) : [];
}

function isWire(value: unknown): value is Wire {
  return typeof value === "object" && value !== null;
}
