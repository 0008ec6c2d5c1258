// what size costs: long sessions and large tool results
import {
  type AgentExecutor,
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  type LLMClient,
  type Message,
  randomIds,
  systemClock,
  type TranscriptEntry,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";
import { createContextManager } from "@vision-agent/agent-core/context";
import { scriptedModel } from "@vision-agent/agent-core/testing";
import { type Figure, percentile, round } from "../figure.ts";

const MEGABYTE = 1_000_000;
const WARM_UPS = 5;
const ROUNDS = 20;

/** A request out of a long transcript: measured, planned and rendered anew. */
export async function measureContext(messages: number, goalMs: number): Promise<readonly Figure[]> {
  const profile = await createAnthropicClient({ apiKey: "bench", refreshProfiles: false }).profile(
    DEFAULT_ANTHROPIC_MODEL,
  );
  const samples: number[] = [];
  for (let n = 0; n < WARM_UPS + ROUNDS; n += 1) {
    // Entries and a manager of its own each time: nothing that was measured before may help.
    const entries = transcriptOf(messages);
    const manager = createContextManager({ refOf: () => undefined });
    const input = {
      entries,
      system: [{ id: "who", text: "Be brief.", stability: "static" as const }],
      tools: [],
      profile,
      model: DEFAULT_ANTHROPIC_MODEL,
      signal: new AbortController().signal,
      newMessageId: () => randomIds.next("msg"),
      now: () => new Date(0).toISOString(),
    };
    samples.push(await busyMs(() => manager.prepare(input), { warmUps: 0, rounds: 1 }));
  }
  const ms = percentile(samples.slice(WARM_UPS), 0.5);
  const goal = `at most ${goalMs} ms`;
  return [{ name: `context_build_${messages}_messages`, value: round(ms), unit: "ms", goal, met: ms <= goalMs }];
}

/** The same turn in a session of ten messages and in one of ten thousand. */
export async function measureLongSession(): Promise<readonly Figure[]> {
  const sessions = createMemorySessionStore();
  for (const [id, count] of Object.entries({ short: 10, long: 10_000 })) {
    const session = await sessions.open(id);
    for (const entry of transcriptOf(count)) await session.append(entry);
    await session.close();
  }
  const executor = createExecutor(
    scriptedModel(() => ({ text: "Yes." }), { contextWindow: 1_000_000 }),
    sessions,
  );
  const short = await busyMs(() => ask(executor, "short"));
  const long = await busyMs(() => ask(executor, "long"));
  await executor.close();
  const more = long - short;
  const goal = "at most 50 ms above a session of 10";
  return [
    { name: "turn_cost_at_10000_messages", value: round(more), unit: "ms", goal, met: more <= 50 },
    {
      name: "turn_ratio_at_10000_messages",
      value: round(long / short, 1),
      unit: "×",
      goal: "for comparison",
      met: true,
    },
  ];
}

/** How long the event loop stands still, in sum, while 50 MB of a tool become a result. */
export async function measureToolOutput(): Promise<readonly Figure[]> {
  const line = `${"words and numbers 0123456789, ".repeat(33).slice(0, 999)}\n`;
  const output = line.repeat((50 * MEGABYTE) / line.length);
  const model = scriptedModel([{ toolCalls: [{ name: "dump" }] }, { text: "A lot." }]);
  const dump = { name: "dump", description: "Gives a lot.", parameters: { type: "object" }, execute: () => output };
  const executor = createExecutor(model, createMemorySessionStore(), [dump]);
  const blockedMs = await busyMs(() => ask(executor, "dump"), { warmUps: 0, rounds: 1 });
  await executor.close();
  const goal = "at most 500 ms blocked in sum";
  return [{ name: "tool_output_50mb", value: round(blockedMs), unit: "ms", goal, met: blockedMs <= 500 }];
}

function createExecutor(
  llm: LLMClient,
  sessions: ReturnType<typeof createMemorySessionStore>,
  tools: Parameters<typeof createAgentExecutor>[0]["tools"] = [],
): AgentExecutor {
  return createAgentExecutor({
    llm,
    model: "scripted",
    tools,
    sessions,
    artifacts: createMemoryArtifactStore(),
    prompt: { system: async () => [{ id: "who", text: "Be brief.", stability: "static" }], state: async () => "" },
    clock: systemClock,
    ids: randomIds,
  });
}

async function ask(executor: AgentExecutor, sessionId: string): Promise<void> {
  const { outcome } = executor.execute({ sessionId, text: "Well?", principal: { userId: "bench" } });
  const end = await outcome;
  if (end.status !== "finished") throw new Error(`A run ended ${end.status}: ${JSON.stringify(end)}`);
}

/** Questions, calls, results and answers by turns, as they are read from disk. */
function transcriptOf(count: number): readonly TranscriptEntry[] {
  const ts = new Date(0).toISOString();
  const entries = Array.from({ length: count }, (_, n): TranscriptEntry => {
    const id = `m${n}`;
    return { v: 1, id: `e${n}`, ts, type: "message", message: { id, ts, ...messageAt(n) } };
  });
  return JSON.parse(JSON.stringify(entries)) as readonly TranscriptEntry[];
}

function messageAt(n: number): Pick<Message, "role" | "origin" | "parts"> {
  const text = `Message ${n}: ${"words about something. ".repeat(10)}`;
  const call = { id: `call_${n - (n % 4)}`, toolName: "look", arguments: { at: n }, state: "complete" as const };
  switch (n % 4) {
    case 0:
      return { role: "user", origin: "human", parts: [{ type: "text", text }] };
    case 1:
      return { role: "assistant", origin: "model", parts: [{ type: "tool_call", call }] };
    case 2: {
      const content = [{ type: "text" as const, text }];
      const result = {
        type: "tool_result" as const,
        callId: call.id,
        toolName: "look",
        outcome: "ok" as const,
        content,
      };
      return { role: "tool_result", origin: "tool", parts: [result] };
    }
    default:
      return { role: "assistant", origin: "model", parts: [{ type: "text", text }] };
  }
}

/**
 * How long this thread is busy with it, whatever else the machine does: for that long its event loop stands still. The
 * mean of several rounds, because the system counts in milliseconds.
 */
export async function busyMs(
  work: () => Promise<unknown>,
  { warmUps = WARM_UPS, rounds = ROUNDS } = {},
): Promise<number> {
  for (let n = 0; n < warmUps; n += 1) await work();
  const before = process.threadCpuUsage();
  for (let n = 0; n < rounds; n += 1) await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / rounds;
}
