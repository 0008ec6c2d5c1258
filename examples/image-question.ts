// ANTHROPIC_API_KEY=… node examples/image-question.ts photo.jpg "What is this?" → an answer about a picture
import {
  type ArtifactStore,
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  type LLMClient,
  randomIds,
  systemClock,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";

/** The bytes are read from the store when the request is built; until then there is only a reference. */
export async function askAboutPicture(options: {
  llm: LLMClient;
  model: string;
  artifacts: ArtifactStore;
  path: string;
  question: string;
  /** Told word by word. */
  write: (text: string) => void;
}): Promise<string> {
  const { path, question, write, ...agent } = options;
  const executor = createAgentExecutor({
    ...agent,
    tools: [],
    sessions: createMemorySessionStore(),
    prompt: {
      system: async () => [{ id: "who", text: "Say what you see, briefly.", stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
  const run = executor.execute({
    sessionId: "picture",
    text: question,
    images: [{ path }],
    principal: { userId: "you" },
  });
  for await (const event of run) if (event.type === "text_delta") write(event.text);
  const outcome = await run.outcome;
  await executor.close();
  if (outcome.status === "failed") throw new Error(outcome.error.message);
  return outcome.status === "finished" ? outcome.text : outcome.status;
}

if (import.meta.main) {
  const [path, question = "What is in this picture?"] = process.argv.slice(2);
  const apiKey = process.env.ANTHROPIC_API_KEY;
  if (apiKey === undefined || path === undefined) throw new Error("Set ANTHROPIC_API_KEY and name a picture.");
  const artifacts = createMemoryArtifactStore();
  const llm = createAnthropicClient({ apiKey });
  const write = (text: string): void => void process.stdout.write(text);
  await askAboutPicture({ llm, model: DEFAULT_ANTHROPIC_MODEL, artifacts, path, question, write });
}
