// ANTHROPIC_API_KEY=… node examples/chat-server.ts → POST /chat {"conversation", "message"} → events while the agent works
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type AgentExecutor,
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  type LLMClient,
  type RunHandle,
  randomIds,
  systemClock,
  type Tool,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";
import { encodeSse, SSE_HEADERS, SSE_KEEP_ALIVE, toSimpleSse } from "@vision-agent/agent-core/protocols";

const MAX_BODY = 64 * 1024;
/** SC-13: of one answer, thinking included. */
const MAX_OUTPUT_TOKENS = 2_048;

/** System prompt, tools and history are the server's: a browser brings a message and its token, and nothing else counts. */
export function createChatServer(options: {
  llm: LLMClient;
  model: string;
  tools: readonly Tool[];
  /** Token → who it belongs to. */
  users: ReadonlyMap<string, string>;
  /** Between comments that keep a quiet connection open. Default 15 000. */
  keepAliveMs?: number;
}): { server: Server; executor: AgentExecutor } {
  const { users, keepAliveMs = 15_000, ...agent } = options;
  const executor = createAgentExecutor({
    ...agent,
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    prompt: {
      system: async () => [{ id: "who", text: "You are a helpful colleague.", stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400, { "content-type": "text/plain" });
      response.end(error instanceof Error ? error.message : "failed");
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const userId = users.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    if (userId === undefined) return void response.writeHead(401).end();
    if (request.method !== "POST" || request.url !== "/chat") return void response.writeHead(404).end();
    const { conversation, message } = await readBody(request);
    const config = { maxTokens: MAX_OUTPUT_TOKENS };
    const run = executor.execute({ sessionId: conversation, text: message, principal: { userId }, config });
    response.writeHead(200, SSE_HEADERS);
    const alive = setInterval(() => response.write(SSE_KEEP_ALIVE), keepAliveMs);
    response.once("close", () => clearInterval(alive));
    await send(run, response);
  }
  return { server, executor };
}

async function readBody(request: IncomingMessage): Promise<{ conversation: string; message: string }> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) {
    text += piece;
    if (text.length > MAX_BODY) throw new Error("The message is too long.");
  }
  const { conversation, message } = JSON.parse(text) as Record<string, unknown>;
  if (typeof conversation !== "string" || typeof message !== "string") {
    throw new Error('Send {"conversation": "…", "message": "…"}.');
  }
  return { conversation, message };
}

/** One who hangs up does not end the run: the answer stands in the conversation when he comes back. */
async function send(run: RunHandle, response: ServerResponse): Promise<void> {
  for await (const event of run) {
    for (const message of toSimpleSse(event)) {
      if (response.destroyed) return;
      if (!response.write(encodeSse(message))) await Promise.race([once(response, "drain"), once(response, "close")]);
    }
  }
  response.end();
}

if (import.meta.main) {
  const apiKey = process.env.ANTHROPIC_API_KEY;
  if (apiKey === undefined) throw new Error("Set ANTHROPIC_API_KEY to run this example.");
  const llm = createAnthropicClient({ apiKey });
  const users = new Map([["secret-of-ada", "ada"]]);
  const { server } = createChatServer({ llm, model: DEFAULT_ANTHROPIC_MODEL, tools: [], users });
  server.listen(4800, "127.0.0.1", () => console.log("http://127.0.0.1:4800/chat"));
}
