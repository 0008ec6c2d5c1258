// ANTHROPIC_API_KEY=… node examples/tool-loop.ts "How warm is it in Oslo?" → an agent with one tool
import {
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  type LLMClient,
  randomIds,
  systemClock,
  type Tool,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";

const thermometer: Tool<{ city: string }> = {
  name: "read_thermometer",
  description: "The temperature in a city, in degrees Celsius.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  annotations: { readOnly: true },
  execute: async ({ city }) => `${city}: ${city.length} °C`,
};

/** Asks once and writes what happens, as it happens. */
export async function askWithTool(options: {
  llm: LLMClient;
  model: string;
  question: string;
  write: (text: string) => void;
}): Promise<string> {
  const { llm, model, question, write } = options;
  const executor = createAgentExecutor({
    llm,
    model,
    tools: [thermometer],
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    prompt: {
      system: async () => [{ id: "identity", text: "Answer with what the thermometer says.", stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
  const run = executor.execute({ sessionId: "example", text: question, principal: { userId: "you" } });
  for await (const event of run) {
    if (event.type === "text_delta") write(event.text);
    if (event.type === "tool_call") write(`[${event.call.toolName} ${JSON.stringify(event.call.arguments)}]\n`);
  }
  const outcome = await run.outcome;
  await executor.close();
  return outcome.status === "finished" ? outcome.text : outcome.status;
}

if (import.meta.main) {
  const apiKey = process.env.ANTHROPIC_API_KEY;
  if (apiKey === undefined) throw new Error("Set ANTHROPIC_API_KEY to run this example.");
  const llm = createAnthropicClient({ apiKey });
  const question = process.argv[2] ?? "How warm is it in Oslo?";
  await askWithTool({ llm, model: DEFAULT_ANTHROPIC_MODEL, question, write: (text) => process.stdout.write(text) });
}
