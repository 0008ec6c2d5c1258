import { describe, expect, it } from "vitest";
import {
  type AgentExecutorOptions,
  createBudgetLedger,
  createMemoryLedgerStore,
  createMemorySessionStore,
  type ExecutionOutcome,
  type LLMClient,
  type Price,
  type Resolution,
  randomIds,
  type SessionStore,
  systemClock,
} from "./index.ts";
import { createFakeClock, createTestAgent, scriptedModel, type TestAgent, testTool } from "./testing.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};
const DEAR = { inputTokens: 100, outputTokens: 9_000 };
const CHEAP = { inputTokens: 100, outputTokens: 100 };
const GO = { dedupeKey: "k" };
const principal = { userId: "ada" };

describe("the limits of a run whose program died", () => {
  it("VA-22 count what a tool had paid", async () => {
    const inner = model(() => ({ text: "seen", usage: DEAR }), 9_000);
    let sessions = createMemorySessionStore();
    for (let life = 0; life < 5; life++) {
      let left = sessions;
      const dear = testTool("dear", async (_, { pay, signal }) => {
        await askOnce(pay(inner), signal);
        left = await copyOf(sessions);
        return "paid";
      });
      const llm = model(
        [
          { toolCalls: [{ name: "dear", args: { life } }], usage: CHEAP },
          { text: "lost", usage: CHEAP },
        ],
        100,
      );
      const stop = { maxCostMicroUsd: 30_000 };
      await createTestAgent([], { llm, tools: [dear], sessions, ids: randomIds, stop }).talk("Hi", GO);
      sessions = left;
    }
    expect(inner.requests).toHaveLength(3);
  });

  it("VA-22 count what an attempt had cost that failed", async () => {
    const error = { kind: "network", code: "reset", message: "cut", retryable: true } as const;
    const llm = model(
      [
        { text: "Half of", error },
        { text: "ok", usage: CHEAP },
      ],
      100,
    );
    const agent = createTestAgent([], { llm, clock: systemClock, random: () => 0 });
    const { outcome } = await agent.talk("Hi");
    const lines = await agent.options.sessions.read("s1");
    const paid = lines.flatMap((line) => (line.type === "usage" || line.type === "paid" ? [line.costMicroUsd] : []));
    expect(paid).toHaveLength(2);
    expect(paid.reduce((sum, cost) => sum + cost, 0)).toBe(outcome.metrics.costMicroUsd);
  });

  it.each<[string, AgentExecutorOptions["stop"]]>([
    ["cost", { maxCostMicroUsd: 30_000 }],
    ["model calls", { maxIterations: 3 }],
    ["tool calls", { maxToolCalls: 2 }],
  ])("VA-22 count what came before a pause that was answered: %s", async (_, stop) => {
    const sessions = createMemorySessionStore();
    const { outcome } = await program({ sessions, stop, first: "act" }).talk("Hi", GO);
    const left = await dieAfter(outcome, true, { sessions, stop });
    const restarted = program({ sessions: left, stop });
    await restarted.executor.recover();
    const again = await restarted.talk("Hi", GO);
    expect(again.outcome).toMatchObject({ status: "stopped", metrics: { invocations: 1 } });
  });

  it("VA-22 count what people had granted", async () => {
    const sessions = createMemorySessionStore();
    const limits = { day: 1_000_000 };
    const ledger = createBudgetLedger({
      limits,
      timeZone: "UTC",
      clock: createFakeClock(),
      store: createMemoryLedgerStore(),
    });
    const given = { stop: { maxCostMicroUsd: 10_000 }, budget: { ledger, onLimit: "pause" } } as const;
    const { outcome } = await program({ sessions, ...given }).talk("Hi", GO);
    const left = await dieAfter(outcome, 20_000, { sessions, ...given });
    const again = await program({ sessions: left, ...given }).talk("Hi", GO);
    expect(again.outcome).toMatchObject({ status: "paused", pause: { kind: "budget" }, metrics: { invocations: 1 } });
  });
});

interface Program extends Pick<Partial<AgentExecutorOptions>, "stop" | "budget"> {
  readonly sessions: SessionStore;
  /** The tool of its first call. */
  readonly first?: "act" | "look";
  onLook?(): Promise<void>;
}

/** Calls tools for ever; each answer costs 9,100. */
function program({ onLook, first = "look", ...options }: Program): TestAgent {
  const tools = [
    testTool("act", async () => "done", { approval: "always" }),
    testTool("look", async () => {
      await onLook?.();
      return "quiet";
    }),
  ];
  const llm = model(
    (_, number) => ({ toolCalls: [{ name: number === 1 ? first : "look", args: { at: Math.random() } }], usage: DEAR }),
    9_000,
  );
  return createTestAgent([], { llm, tools, ids: randomIds, ...options });
}

/** What is on disk when the resumed run dies in its first look. */
async function dieAfter(outcome: ExecutionOutcome, answer: true | number, given: Program): Promise<SessionStore> {
  if (outcome.status !== "paused") throw new Error(outcome.status);
  const { id, token } = outcome.pause;
  let left: SessionStore | undefined;
  const onLook = async (): Promise<void> => {
    left ??= await copyOf(given.sessions);
  };
  const resolution: Resolution =
    answer === true ? { token, kind: "approve" } : { token, kind: "answer", value: answer };
  await program({ ...given, onLook }).executor.resume(id, resolution, { principal }).outcome;
  if (!left) throw new Error("It did not look.");
  return left;
}

function model(script: Parameters<typeof scriptedModel>[0], maxOutput: number): ReturnType<typeof scriptedModel> {
  return scriptedModel(script, { price: PRICE, maxOutput });
}

async function askOnce(client: LLMClient, signal: AbortSignal): Promise<void> {
  const timers = { firstEventMs: 1_000, idleMs: 1_000, attemptMs: 1_000 };
  const request = { model: "inner", system: [], messages: [], tools: [] };
  await client.run(request, { signal, clock: systemClock, messageId: "m1", timers });
}

async function copyOf(sessions: SessionStore): Promise<SessionStore> {
  const copy = createMemorySessionStore();
  const session = await copy.open("s1");
  for (const entry of await sessions.read("s1")) await session.append(entry);
  await session.close();
  return copy;
}
