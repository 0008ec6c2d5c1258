// the list of a server + how far it is trusted → tools in our registry; its answers → text and pictures
import { createHash } from "node:crypto";
import type { CallToolResult, ContentBlock, EmbeddedResource, Tool as McpTool } from "@modelcontextprotocol/client";
import type { ToolDefinition } from "../../llm/llm-client.ts";
import type { Warn } from "../../types/events.ts";
import { type Json, type JsonSchema, sha256Of } from "../../types/json.ts";
import type { TextPart } from "../../types/message.ts";
import { withoutTopChoice } from "../../types/standard-schema.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { ToolRegistry } from "../tool-registry.ts";
import type { McpServerConfig } from "./mcp-config.ts";

/** A schema above this would fill the model's window by itself. */
const MAX_SCHEMA_CHARS = 32_000;

export function createServerTools(options: {
  readonly config: McpServerConfig;
  readonly registry: ToolRegistry;
  readonly send: SendCall;
  readonly warn: Warn;
}) {
  const { config, registry } = options;
  /** What each of our tools was made of, by name. */
  const offeredTools = new Map<string, string>();
  const leaveOut = ({ name }: McpTool, why: string): void =>
    options.warn("mcp_tool_left_out", `"${name}" of "${config.name}": ${why}`);
  const isWanted = (tool: McpTool): boolean => {
    if (config.deny?.includes(tool.name) || !(config.allow?.includes(tool.name) ?? true)) return false;
    const isSmall = JSON.stringify(tool.inputSchema).length <= MAX_SCHEMA_CHARS;
    if (!isSmall) leaveOut(tool, "its schema is too large.");
    return isSmall;
  };
  const remove = (name: string): void => {
    offeredTools.delete(name);
    registry.removeTool(name);
  };
  const add = (name: string, offered: McpTool): void => {
    // Before the registry tells its listeners, who may look here.
    offeredTools.set(name, digest(offered));
    try {
      registry.addTool(toTool(name, offered, config, options.send));
    } catch (thrown) {
      offeredTools.delete(name);
      leaveOut(offered, String(thrown));
    }
  };
  return {
    /** Adds what is new, removes what is gone, and leaves alone what is the same. */
    put(offered: readonly McpTool[]): void {
      const wanted = new Map(offered.filter(isWanted).map((tool) => [tool.name, tool]));
      const isTaken = (name: string): boolean => !offeredTools.has(name) && registry.get(name) !== undefined;
      const names = toToolNames(config.name, [...wanted.keys()], isTaken);
      const made = new Map([...wanted].map(([tool, given]) => [names.get(tool) ?? tool, given]));
      for (const [name, was] of [...offeredTools]) {
        const given = made.get(name);
        if (!given || was !== digest(given)) remove(name);
      }
      for (const [name, given] of made) if (!offeredTools.has(name)) add(name, given);
    },
    list: (): readonly ToolDefinition[] => registry.listTools().filter(({ name }) => offeredTools.has(name)),
    clear(): void {
      for (const name of [...offeredTools.keys()]) remove(name);
    },
  };
}

function digest(tool: McpTool): string {
  return sha256Of(tool as unknown as Json);
}

const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/**
 * `server__tool`, 1 to 64 letters, digits, `_` and `-`. A name that is too long, or that another one became as well,
 * ends in a hash of what it was, so that it is the same in every process and for every order of listing.
 * A name that came out unchanged is never given away to one that did not.
 */
export function toToolNames(
  server: string,
  tools: readonly string[],
  isTaken: (name: string) => boolean = () => false,
): ReadonlyMap<string, string> {
  const plain = new Map(tools.map((tool) => [tool, `${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_")]));
  const owners = new Map<string, number>();
  for (const name of plain.values()) owners.set(name, (owners.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, name]) => {
      const isExact = name === `${server}__${tool}`;
      const isShared = (owners.get(name) ?? 0) > 1 && !isExact;
      const fits = name.length <= MAX_NAME_CHARS && !isShared && !isTaken(name);
      return [tool, fits ? name : withHash(name, `${server}\0${tool}`)];
    }),
  );
}

function withHash(name: string, original: string): string {
  const hash = createHash("sha256").update(original).digest("hex").slice(0, HASH_CHARS);
  return `${name.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

const MAX_DESCRIPTION_CHARS = 2_000;
/** Control characters and the tag block, which people do not see and models read. */
const INVISIBLE = /[\p{Cc}\u{E0000}-\u{E007F}]/gu;

export interface McpCall {
  readonly toolName: string;
  readonly args: { readonly [key: string]: Json };
  /** Whether it may be sent again when nobody knows whether it arrived. */
  readonly mayRepeat: boolean;
}

export type SendCall = (call: McpCall, context: ToolContext) => Promise<CallToolResult>;

/** The server's hints may tighten; they loosen only what a trusted server says, or what the configuration says itself. */
export function toTool(name: string, offered: McpTool, config: McpServerConfig, send: SendCall): Tool {
  const hints = offered.annotations ?? {};
  const isTrusted = config.trust === "trusted";
  const saysItWrites = hints.readOnlyHint === false || hints.destructiveHint === true;
  const isKnownReadOnly = config.readOnly?.includes(offered.name) || (isTrusted && hints.readOnlyHint === true);
  const readOnly = isKnownReadOnly === true && !saysItWrites;
  const idempotent = readOnly || (isTrusted && hints.idempotentHint === true);
  return {
    name,
    description: boundDescription(offered),
    // Providers refuse a choice at the top; the server checks the arguments itself.
    parameters: withoutTopChoice(offered.inputSchema as JsonSchema),
    annotations: {
      readOnly,
      idempotent,
      destructive: hints.destructiveHint === true,
      openWorld: !(isTrusted && hints.openWorldHint === false),
      tags: ["mcp", `mcp:${config.name}`],
    },
    approval: mustAsk(config, readOnly, hints.destructiveHint === true) ? "always" : "never",
    untrusted: true,
    deferLoading: config.deferLoading === true,
    timeoutMs: config.timeoutMs,
    execute: async (args, context) =>
      toOutput(await send({ toolName: offered.name, args, mayRepeat: idempotent }, context)),
  };
}

function mustAsk(config: McpServerConfig, readOnly: boolean, callsItselfDestructive: boolean): boolean {
  const approval = config.approval ?? (config.trust === "trusted" ? "hints" : "ask");
  if (readOnly || approval === "never") return false;
  return approval === "ask" || callsItselfDestructive;
}

function boundDescription({ title, name, description }: McpTool): string {
  const whole = (description?.trim() || title?.trim() || name).replace(/[\r\n\t]+/g, " ").replace(INVISIBLE, "");
  return whole.length <= MAX_DESCRIPTION_CHARS ? whole : `${whole.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()}…`;
}

/** Blocks with bytes go on as they are: whoever runs the tool keeps them as artifacts. */
export function toOutput(result: CallToolResult): unknown {
  const content = result.content.map(toPart);
  const hasText = result.content.some(
    (block) => block.type !== "image" && (block.type !== "text" || block.text !== ""),
  );
  // Servers that give structured content are asked to repeat it as text; some do not.
  const structured: TextPart[] =
    result.structuredContent !== undefined && !hasText
      ? [{ type: "text", text: JSON.stringify(result.structuredContent) }]
      : [];
  return { content: [...content, ...structured], data: result.structuredContent, isError: result.isError === true };
}

function toPart(block: ContentBlock): unknown {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
    case "audio":
      return block.data === "" ? text(`[${block.type} ${block.mimeType}, empty]`) : block;
    case "resource_link":
      return text(`[resource ${block.uri}: ${[block.name, block.description].filter(Boolean).join(", ")}]`);
    case "resource":
      return toResource(block.resource);
    default:
      return text("[content of a kind that is not known here]");
  }
}

function toResource(resource: EmbeddedResource["resource"]): unknown {
  if ("text" in resource) return text(`[resource ${resource.uri}]\n${resource.text}`);
  const { blob: data, mimeType = "application/octet-stream" } = resource;
  return data === "" ? text(`[resource ${resource.uri}, empty]`) : { type: "file", data, mimeType };
}

function text(value: string): TextPart {
  return { type: "text", text: value };
}
