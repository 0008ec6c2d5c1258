// ANTHROPIC_API_KEY=… node examples/mcp-tool.ts "What is 2 + 3?" → an agent that uses the tools of an MCP server
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createAgent, createToolRegistry, type LanguageModel, systemClock } from "@vision-agent/agent-core";
import { anthropic } from "@vision-agent/agent-core/anthropic";
import { connectMcp, type McpServerConfig } from "@vision-agent/agent-core/mcp";

/** The tools come into the registry as `server__tool` and leave it when the connection is closed. */
export async function askWithMcp(options: {
  model: LanguageModel;
  server: McpServerConfig;
  question: string;
}): Promise<string> {
  const { model, server, question } = options;
  const registry = createToolRegistry();
  const connection = await connectMcp(server, { registry, clock: systemClock });
  try {
    await using agent = createAgent({ model, tools: registry, instructions: "Use your tools." });
    return (await agent.run(question)).text;
  } finally {
    await connection.close();
  }
}

/** The reference server, as a process of its own. `get-sum` changes nothing, so it needs no approval. */
export function everythingServer(): McpServerConfig {
  const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json");
  const args = [join(dirname(manifest), "dist/index.js"), "stdio"];
  return { name: "every", transport: "stdio", command: process.execPath, args, readOnly: ["get-sum"] };
}

if (import.meta.main) {
  const question = process.argv[2] ?? "What is 2 + 3? Use your tool.";
  console.log(await askWithMcp({ model: anthropic(), server: everythingServer(), question }));
}
