// a request to the Messages API → what the real one would refuse it for
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { readImageHeader } from "../artifacts/image-header.ts";

type Wire = { readonly [key: string]: unknown };
/** A body that was checked, as far as the server needs it. */
export interface WireRequest extends Wire {
  readonly model: string;
  readonly messages: readonly WireMessage[];
}
export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly Wire[];
}

export interface WireProblem {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** Undefined when all is well. */
export function findWireProblem(
  headers: IncomingHttpHeaders,
  body: WireRequest,
  apiKey: string,
): WireProblem | undefined {
  const key = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /, "");
  if (key !== apiKey) return { status: 401, type: "authentication_error", message: "invalid x-api-key" };
  if (typeof body.model !== "string" || !body.model.startsWith("claude-")) {
    return { status: 404, type: "not_found_error", message: `model: ${String(body.model)}` };
  }
  const message = headers["anthropic-version"] ? findRefusal(body) : "anthropic-version: header is required";
  return message === undefined ? undefined : { status: 400, type: "invalid_request_error", message };
}

function findRefusal(body: WireRequest): string | undefined {
  const banned = ["temperature", "top_p", "top_k"].find((name) => name in body);
  if (banned) return `${banned}: this field is no longer supported`;
  const { max_tokens: maxTokens, thinking, tool_choice: choice } = body as Wire;
  if (!Number.isInteger(maxTokens) || (maxTokens as number) < 0) return "max_tokens: must be a whole number";
  if (isWire(thinking) && thinking.type === "enabled") return "thinking: budgets are not supported by this model";
  if (isWire(choice) && (choice.type === "any" || choice.type === "tool")) return "tool_choice: not supported";
  if (countCacheMarks(body) > 4) return "cache_control: at most 4 blocks";
  return findToolProblem(body) ?? findMessageProblem(body) ?? findPairingProblem(body) ?? findBindingProblem(body);
}

function findToolProblem(body: WireRequest): string | undefined {
  const tools = (body as Wire).tools;
  if (tools === undefined) return undefined;
  const names = (tools as readonly Wire[]).map((tool) => String(tool.name));
  if (new Set(names).size !== names.length) return "tools: names must be unique";
  const bad = names.find((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name));
  return bad === undefined ? undefined : `tools: bad name ${bad}`;
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
  return blocks.some(isWrongImage) ? "messages: image does not match its media type" : undefined;
}

function isWrongImage(block: Wire): boolean {
  if (block.type !== "image" || !isWire(block.source)) return false;
  const bytes = Buffer.from(String(block.source.data), "base64");
  return readImageHeader(bytes)?.mimeType !== block.source.media_type;
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

/** Bound to the model, to everything before it, and to its own words. */
export function signThinking(
  model: string,
  messages: readonly WireMessage[],
  before: readonly Wire[],
  thinking: string,
): string {
  const prefix = JSON.stringify([model, messages, before, thinking]);
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

function countCacheMarks(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + (key === "cache_control" ? 1 : countCacheMarks(inner)),
    0,
  );
}

function isWire(value: unknown): value is Wire {
  return typeof value === "object" && value !== null;
}
