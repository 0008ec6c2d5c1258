// an MCP tool + how far its server is trusted → a tool of ours
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/client";
import type { Json, JsonSchema } from "../../types/json.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { toOutput } from "./to-output.ts";

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
    parameters: offered.inputSchema as JsonSchema,
    annotations: {
      readOnly,
      idempotent,
      destructive: hints.destructiveHint === true,
      openWorld: !(isTrusted && hints.openWorldHint === false),
      tags: ["mcp", `mcp:${config.name}`],
    },
    approval: mustAsk(config, readOnly, hints.destructiveHint === true) ? "always" : "never",
    timeoutMs: config.timeoutMs,
    execute: async (args, context) =>
      toOutput(await send({ toolName: offered.name, args, mayRepeat: idempotent }, context), context),
  };
}

function mustAsk(config: McpServerConfig, readOnly: boolean, callsItselfDestructive: boolean): boolean {
  const approval = config.approval ?? (config.trust === "trusted" ? "hints" : "ask");
  if (readOnly || approval === "never") return false;
  return approval === "ask" || callsItselfDestructive;
}

function boundDescription({ title, name, description }: McpTool): string {
  const whole = (description ?? title ?? name).replace(/[\r\n\t]+/g, " ").replace(INVISIBLE, "");
  return whole.length <= MAX_DESCRIPTION_CHARS ? whole : `${whole.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()}…`;
}
