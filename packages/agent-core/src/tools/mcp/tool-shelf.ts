// the list of a server → its tools in the registry

import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { ToolDefinition } from "../../llm/llm-client.ts";
import type { Warn } from "../../types/events.ts";
import type { Json } from "../../types/json.ts";
import { sha256Of } from "../canonical-json.ts";
import type { ToolRegistry } from "../tool-registry.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { type SendCall, toTool } from "./to-tool.ts";
import { toToolNames } from "./tool-names.ts";

/** A schema above this would fill the model's window by itself. */
const MAX_SCHEMA_CHARS = 32_000;

export interface ToolShelf {
  /** Adds what is new, removes what is gone, and leaves alone what is the same. */
  put(offered: readonly McpTool[]): void;
  list(): readonly ToolDefinition[];
  clear(): void;
}

export function createToolShelf(options: {
  readonly config: McpServerConfig;
  readonly registry: ToolRegistry;
  readonly send: SendCall;
  readonly warn: Warn;
}): ToolShelf {
  const { config, registry } = options;
  /** What each of our tools was made of, by name. */
  const shelf = new Map<string, string>();
  const leaveOut = ({ name }: McpTool, why: string): void =>
    options.warn("mcp_tool_left_out", `"${name}" of "${config.name}": ${why}`);
  const isWanted = (tool: McpTool): boolean => {
    if (config.deny?.includes(tool.name) || !(config.allow?.includes(tool.name) ?? true)) return false;
    const isSmall = JSON.stringify(tool.inputSchema).length <= MAX_SCHEMA_CHARS;
    if (!isSmall) leaveOut(tool, "its schema is too large.");
    return isSmall;
  };
  const remove = (name: string): void => {
    shelf.delete(name);
    registry.removeTool(name);
  };
  const add = (name: string, offered: McpTool): void => {
    // Before the registry tells its listeners, who may look here.
    shelf.set(name, digest(offered));
    try {
      registry.addTool(toTool(name, offered, config, options.send));
    } catch (thrown) {
      shelf.delete(name);
      leaveOut(offered, String(thrown));
    }
  };
  return {
    put(offered) {
      const wanted = new Map(offered.filter(isWanted).map((tool) => [tool.name, tool]));
      const isTaken = (name: string): boolean => !shelf.has(name) && registry.get(name) !== undefined;
      const names = toToolNames(config.name, [...wanted.keys()], isTaken);
      const made = new Map([...wanted].map(([tool, given]) => [names.get(tool) ?? tool, given]));
      for (const [name, was] of [...shelf]) {
        const given = made.get(name);
        if (!given || was !== digest(given)) remove(name);
      }
      for (const [name, given] of made) if (!shelf.has(name)) add(name, given);
    },
    list: () => registry.listTools().filter(({ name }) => shelf.has(name)),
    clear() {
      for (const name of [...shelf.keys()]) remove(name);
    },
  };
}

function digest(tool: McpTool): string {
  return sha256Of(tool as unknown as Json);
}
