// ANTHROPIC_API_KEY=… node examples/small-context.ts → a long talk in 4 000 tokens of context
import {
  type AgentExecutor,
  createAgentExecutor,
  createCharCounter,
  createMemoryArtifactStore,
  createMemorySessionStore,
  defineTool,
  type LLMClient,
  randomIds,
  systemClock,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";

const readPage = defineTool({
  name: "read_page",
  description: "A page of the book, by its number.",
  parameters: {
    type: "object",
    properties: { number: { type: "integer" } },
    required: ["number"],
    additionalProperties: false,
  },
  annotations: { readOnly: true },
  execute: async ({ number }) => `Page ${number}. ${"And so it went on. ".repeat(100)}`,
});

/** Four characters count as one token; what no longer fits is cleared, then summarised. */
export function createSmallAgent(options: { llm: LLMClient; model: string }): AgentExecutor {
  return createAgentExecutor({
    ...options,
    tools: [readPage],
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    context: {
      budget: { window: 4_000, reserveOutput: 500 },
      counter: createCharCounter({ charsPerToken: 4 }),
    },
    prompt: {
      system: async () => [{ id: "who", text: "You read a book to the end.", stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
}

if (import.meta.main) {
  const apiKey = process.env.ANTHROPIC_API_KEY;
  if (apiKey === undefined) throw new Error("Set ANTHROPIC_API_KEY to run this example.");
  const agent = createSmallAgent({ llm: createAnthropicClient({ apiKey }), model: DEFAULT_ANTHROPIC_MODEL });
  const run = agent.execute({ sessionId: "book", text: "Read pages 1 to 12.", principal: { userId: "you" } });
  for await (const event of run) {
    if (event.type === "request") console.log(`${event.context.tokens.total} tokens`);
    if (event.type === "context") console.log(`${event.action}: ${event.before} → ${event.after} tokens`);
  }
  await agent.close();
}
