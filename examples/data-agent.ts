// ANTHROPIC_API_KEY=… node examples/data-agent.ts sales.csv "Which month was best?" → an agent that learns about data
import { readFile } from "node:fs/promises";
import {
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  defineTool,
  type LLMClient,
  randomIds,
  systemClock,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";
import {
  createReducerRegistry,
  type Environment,
  type Reducer,
  replayEnvironment,
} from "@vision-agent/agent-core/environment";

/** Under `datasets` in the environment, by name. */
export type Dataset = { rows: number; columns: string[] };

/** `describe_dataset` has a reducer of its own; `read_csv` has none, so its result stands in knowledge under its name. */
const describeDataset: Reducer = (result) => {
  const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const { name, ...dataset } = JSON.parse(text) as Dataset & { name: string };
  return [{ op: "set", path: `/extensions/datasets/${name}`, value: dataset }];
};

function toolsFor(csv: string) {
  const [header = "", ...rows] = csv.trim().split("\n");
  const columns = header.split(",");
  const none = { type: "object", properties: {}, additionalProperties: false } as const;
  return [
    defineTool({
      name: "describe_dataset",
      description: "How many rows and which columns there are.",
      parameters: none,
      annotations: { readOnly: true },
      execute: async () => ({ name: "sales", rows: rows.length, columns }),
    }),
    defineTool({
      name: "read_csv",
      description: "The rows, as they are.",
      parameters: none,
      annotations: { readOnly: true },
      execute: async () => rows.map((row) => row.split(",")),
    }),
  ];
}

/** Answers one question about a table. */
export async function askAboutData(options: {
  llm: LLMClient;
  model: string;
  csv: string;
  question: string;
}): Promise<{ answer: string; environment: Environment }> {
  const { llm, model, csv, question } = options;
  const environment = {
    initial: { extensions: { datasets: {} } },
    reducers: createReducerRegistry({ describe_dataset: describeDataset }),
  };
  const sessions = createMemorySessionStore();
  const executor = createAgentExecutor({
    llm,
    model,
    tools: toolsFor(csv),
    sessions,
    artifacts: createMemoryArtifactStore(),
    environment,
    prompt: {
      system: async () => [{ id: "who", text: "Look at the data before you answer.", stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
  const outcome = await executor.execute({ sessionId: "data", text: question, principal: { userId: "you" } }).outcome;
  await executor.close();
  return {
    answer: outcome.status === "finished" ? outcome.text : outcome.status,
    environment: replayEnvironment(await sessions.read("data"), environment),
  };
}

if (import.meta.main) {
  const [path, question = "What is in this table?"] = process.argv.slice(2);
  const apiKey = process.env.ANTHROPIC_API_KEY;
  if (apiKey === undefined || path === undefined) throw new Error("Set ANTHROPIC_API_KEY and name a CSV file.");
  const llm = createAnthropicClient({ apiKey });
  const csv = await readFile(path, "utf8");
  console.log((await askAboutData({ llm, model: DEFAULT_ANTHROPIC_MODEL, csv, question })).answer);
}
