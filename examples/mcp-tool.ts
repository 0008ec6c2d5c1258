// ANTHROPIC_API_KEY=… node examples/mcp-tool.ts "What is 2 + 3?" → an agent that uses the tools of an MCP server
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  createToolRegistry,
  type LLMClient,
  randomIds,
  systemClock,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";
import { connectMcp, type McpServerConfig } from "@vision-agent/agent-core/mcp";

/** The tools come into the registry as `server__tool` and leave it when the connection is closed. */
export async function askWithMcp(options: {
  llm: LLMClient;
  model: string;
  server: McpServerConfig;
  question: string;
}): Promise<string> {
  const { llm, model, server, question } = options;
  const registry = createToolRegistry();
  const connection = await connectMcp(server, { registry, clock: systemClock });
  const executor = createAgentExecutor({
    llm,
    model,
    tools: registry,
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    prompt: {
      system: async () => [{ id: "who", text: "Use your tools.", stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
  try {
    const outcome = await executor.execute({ sessionId: "mcp", text: question, principal: { userId: "you" } }).outcome;
    return outcome.status === "finished" ? outcome.text : outcome.status;
  } finally {
    await executor.close();
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
  const apiKey = process.env.ANTHROPIC_API_KEY;
  if (apiKey === undefined) throw new Error("Set ANTHROPIC_API_KEY to run this example.");
  const llm = createAnthropicClient({ apiKey });
  const question = process.argv[2] ?? "What is 2 + 3? Use your tool.";
  console.log(await askWithMcp({ llm, model: DEFAULT_ANTHROPIC_MODEL, server: everythingServer(), question }));
}
