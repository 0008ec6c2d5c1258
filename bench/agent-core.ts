// what the library costs: beside the bare SDK, for long sessions, for many runs, and for the provider's cache
import { join } from "node:path";
import {
  type AgentExecutor,
  type ContextBudget,
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  createRedactor,
  defineTool,
  type LLMClient,
  randomIds,
  systemClock,
  type Usage,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";
import {
  type AnthropicLoopback,
  type LoopbackReply,
  startAnthropicLoopback,
  type WireRequest,
} from "@vision-agent/agent-core/testing";
import { compareLibraries } from "./agent-core/comparison.ts";
import { measureContext, measureLongSession, measureToolOutput } from "./agent-core/size.ts";
import { type Benchmark, type Figure, round } from "./figure.ts";

const RUNS = 50;
const TURNS = 60;

/** What the loop adds to the bare SDK, and how it holds up with long sessions and many runs. */
export const agentCore: Benchmark = {
  about: "what the agent library costs beside the bare SDK, in long sessions and in many runs",
  async run({ signal, say }) {
    const parts: readonly { name: string; measure: () => Promise<readonly Figure[]> }[] = [
      { name: "beside the bare SDK and the AI SDK", measure: () => measureComparison(say) },
      { name: "context of 2,000 messages", measure: () => measureContext(2_000, 20) },
      { name: "context of 10,000 messages", measure: () => measureContext(10_000, 50) },
      { name: "turns of a session of 10,000 messages", measure: measureLongSession },
      { name: "50 MB of tool output", measure: measureToolOutput },
      { name: "2,000 secrets in a million characters", measure: async () => measureSecrets() },
      { name: `${RUNS} runs at once`, measure: measureRuns },
      { name: `cache over ${TURNS} turns`, measure: measureCache },
    ];
    const figures: Figure[] = [];
    for (const { name, measure } of parts) {
      signal.throwIfAborted();
      say(`${name} …`);
      figures.push(...(await measure()));
    }
    return figures;
  },
};

/** The table is for people: it goes beside the figures. */
async function measureComparison(say: (line: string) => void): Promise<readonly Figure[]> {
  const { figures, table } = await compareLibraries(join(import.meta.dirname, ".."));
  say(table);
  return figures;
}

async function askOurs(executor: AgentExecutor, sessionId: string, text = "Well?"): Promise<Usage[]> {
  const run = executor.execute({ sessionId, text, principal: { userId: "bench" } });
  const usages: Usage[] = [];
  for await (const event of run) if (event.type === "message" && event.usage) usages.push(event.usage);
  const outcome = await run.outcome;
  if (outcome.status !== "finished") throw new Error(`A run ended ${outcome.status}: ${JSON.stringify(outcome)}`);
  return usages;
}

/** Once the automaton is built, time grows with the text and not with the secrets. */
function measureSecrets(): readonly Figure[] {
  const secrets = Array.from({ length: 2_000 }, (_, at) => `secret#number/${at}-${at * 7}`);
  const { display } = createRedactor({ secrets });
  const text = "words and words, some secret#numb ".repeat(30_000);
  display("built");
  const startedAt = performance.now();
  display(text);
  const ms = performance.now() - startedAt;
  return [{ name: "redaction_2000_secrets_1mb", value: round(ms), unit: "ms", goal: "at most 200 ms", met: ms <= 200 }];
}

/** Two model calls and a tool each, all at once. */
async function measureRuns(): Promise<readonly Figure[]> {
  const api = await startAnthropicLoopback({ script: lookThenAnswer });
  const executor = createExecutor(clientOf(api));
  let finished = 0;
  const wallMs = await timed(async () => {
    const runs = Array.from({ length: RUNS }, (_, n) => askOurs(executor, `s${n}`));
    const ends = await Promise.allSettled(runs);
    finished = ends.filter(({ status }) => status === "fulfilled").length;
  });
  await executor.close();
  await api.close();
  return [
    { name: "concurrent_runs_finished", value: finished, unit: "runs", goal: `all ${RUNS}`, met: finished === RUNS },
    { name: "concurrent_runs_wall", value: round(wallMs), unit: "ms", goal: "at most 5 s", met: wallMs <= 5_000 },
  ];
}

/** Once with room for all, once in a window so small that old results are cleared, which costs the cache. */
async function measureCache(): Promise<readonly Figure[]> {
  const whole = await cacheShare({});
  const tight = await cacheShare({ window: 24_000, reserveOutput: 2_000 });
  const goal = "at least 90 % of cacheable tokens";
  return [
    { name: "cache_hits_60_turns", value: round(whole, 1), unit: "%", goal, met: whole >= 90 },
    { name: "cache_hits_60_turns_24k_window", value: round(tight, 1), unit: "%", goal, met: tight >= 90 },
  ];
}

/** Of what an earlier request had sent already, how much the cache served. Percent. */
async function cacheShare(budget: Partial<ContextBudget>): Promise<number> {
  const api = await startAnthropicLoopback({
    script: lookThenAnswer,
    cache: { clock: systemClock },
  });
  const executor = createExecutor(clientOf(api), budget);
  const usages: Usage[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    usages.push(...(await askOurs(executor, "long", `Question ${turn}: ${"what about this? ".repeat(20)}`)));
  }
  await executor.close();
  await api.close();
  const prompts = usages.map((usage) => usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens);
  const cacheable = prompts.slice(0, -1).reduce((sum, tokens) => sum + tokens, 0);
  const served = usages.slice(1).reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
  return (100 * served) / cacheable;
}

const look = defineTool({
  name: "look",
  description: `Looks something up. ${"It knows a lot about many things. ".repeat(40)}`,
  parameters: { type: "object", properties: { at: { type: "integer" } }, additionalProperties: false },
  annotations: { readOnly: true },
  execute: async ({ at = 0 }) => `Entry ${at}: ${"it is so and so. ".repeat(30)}`,
});

function createExecutor(llm: LLMClient, budget: Partial<ContextBudget> = {}): AgentExecutor {
  return createAgentExecutor({
    llm,
    model: DEFAULT_ANTHROPIC_MODEL,
    tools: [look],
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    context: { budget },
    prompt: {
      system: async () => [{ id: "who", text: "You are measured. ".repeat(50), stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
}

function clientOf(api: AnthropicLoopback): LLMClient {
  return createAnthropicClient({ apiKey: api.apiKey, baseURL: api.url, refreshProfiles: false });
}

/** A call after a person's words, an answer after a result. */
function lookThenAnswer({ messages }: WireRequest): LoopbackReply {
  const isAnswered = JSON.stringify(messages.at(-1)).includes('"tool_result"');
  if (isAnswered) return { blocks: [{ type: "text", text: "It is so." }] };
  return { blocks: [{ type: "tool_use", name: "look", input: { at: messages.length } }] };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
