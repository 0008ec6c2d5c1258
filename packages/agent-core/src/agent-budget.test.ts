import { describe, expect, it } from "vitest";
import {
  AgentError,
  type AgentErrorOptions,
  type AgentExecutorOptions,
  type BudgetLedger,
  createBudgetLedger,
  createMemoryLedgerStore,
  type Price,
  systemClock,
} from "./index.ts";
import {
  createFakeClock,
  createTestAgent,
  type ScriptStep,
  scriptedModel,
  type TestAgent,
  testTool,
} from "./testing.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};
const USAGE = { inputTokens: 100, outputTokens: 50 };
/** At most 100 tokens of answer, so that the worst case stays small. */
const CONFIG = { maxTokens: 100 };

describe("money", () => {
  it("VA-22 X15 is set aside before a call and settled with what the provider reports", async () => {
    const ledger = createLedger(100_000);
    const { outcome } = await build([{ text: "ok", usage: USAGE }], ledger).talk("Hi", { config: CONFIG });
    expect(outcome.metrics.costMicroUsd).toBe(150);
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 150, reservedMicroUsd: 0 });
  });

  it("VA-22 ends the run before a call that might go over the limit", async () => {
    const ledger = createLedger(100);
    const agent = build([{ text: "never" }], ledger);
    const { outcome, events } = await agent.talk("Hi", { config: CONFIG });
    expect(outcome).toMatchObject({ status: "stopped", reason: "budget" });
    expect(events.find(({ type }) => type === "budget")).toMatchObject({
      level: "stop",
      scope: "day",
      limitMicroUsd: 100,
    });
    expect(agent.llm.requests).toHaveLength(0);
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 0 });
  });

  it("VA-22 pauses instead where the host wants that, and goes on when a person says so", async () => {
    let isEmpty = true;
    const ledger = methodsOf(createLedger(1_000_000), () => {
      if (isEmpty) throw new AgentError({ kind: "budget", code: "daily_limit", message: "Nothing is left for today." });
    });
    const agent = build([{ text: "ok" }], ledger, { budget: { ledger, onLimit: "pause" } });
    const { outcome } = await agent.talk("Hi", { config: CONFIG });
    if (outcome.status !== "paused") throw new Error(outcome.status);
    expect(outcome.pause).toMatchObject({ kind: "budget", calls: [], remaining: { iterations: 20 } });
    isEmpty = false;
    const { id, token } = outcome.pause;
    const run = agent.executor.resume(id, { token, kind: "approve" }, { principal: { userId: "ada" } });
    expect(await run.outcome).toMatchObject({ status: "finished", text: "ok" });
  });

  it("tells at one half and at four fifths of the day, once each", async () => {
    const agent = build(() => ({ text: "ok", usage: { inputTokens: 200, outputTokens: 0 } }), createLedger(1_000));
    const levels: number[] = [];
    for (let message = 0; message < 5; message++) {
      const { events } = await agent.talk("Hi", { config: CONFIG });
      for (const event of events)
        if (event.type === "budget" && event.level === "warn") levels.push(event.spentMicroUsd);
    }
    expect(levels).toEqual([600, 800]);
  });

  it("tells a person in words, once for all who share the ledger, and not again after a restart", async () => {
    const store = createMemoryLedgerStore();
    const step = () => ({ text: "ok", usage: { inputTokens: 200, outputTokens: 0 } });
    const warnings: string[] = [];
    const talk = async (agent: TestAgent, origin: "human" | "job" = "human"): Promise<void> => {
      const { outcome } = await agent.talk("Hi", { config: CONFIG, origin });
      warnings.push(`${origin}: ${outcome.warnings.map(({ code, message }) => `${code}: ${message}`).join()}`);
    };
    const before = createLedger(2_000, store);
    const [one, other] = [build(step, before), build(step, before)];
    for (let message = 0; message < 4; message++) await talk(one);
    await talk(one, "job");
    await talk(other);
    await talk(one);
    const after = build(step, createLedger(2_000, store));
    await talk(after);
    await talk(after);
    expect(warnings.filter((warning) => !warning.endsWith(": "))).toEqual([
      "human: budget: 50 % of the limit of today is used: 0.001 USD of 0.002 USD.",
      "human: budget: 80 % of the limit of today is used: 0.0016 USD of 0.002 USD.",
    ]);
  });

  it("counts what an attempt had shown before it failed, and gives the rest back", async () => {
    const reset: AgentErrorOptions = { kind: "network", code: "reset", message: "gone", retryable: true };
    const ledger = createLedger(100_000);
    const agent = build(
      [
        { text: "a".repeat(30), error: reset },
        { text: "ok", usage: USAGE },
      ],
      ledger,
      {
        clock: systemClock,
        random: () => 0,
      },
    );
    const { outcome } = await agent.talk("Hi", { config: CONFIG });
    expect(outcome.metrics.costMicroUsd).toBeGreaterThan(160);
    expect(await ledger.state("day")).toMatchObject({
      spentMicroUsd: outcome.metrics.costMicroUsd,
      reservedMicroUsd: 0,
    });
  });

  it("gives all of it back when nothing came", async () => {
    const ledger = createLedger(100_000);
    await build([{ error: { kind: "invalid", code: "auth", message: "no" } }], ledger).talk("Hi", { config: CONFIG });
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 0 });
  });

  it("leaves the last of the day to people: a background run is refused first", async () => {
    const worst = await worstOfOneCall();
    const agent = build([{ text: "ok" }], createLedger(Math.ceil(worst / 0.85)));
    const background = await agent.talk("Hi", { config: CONFIG, origin: "job" });
    expect(background.outcome).toMatchObject({ status: "stopped", reason: "budget" });
    expect(background.events[0]).toMatchObject({ type: "run_started", trigger: "job" });
    const person = await agent.talk("Hi", { config: CONFIG, sessionId: "s2" });
    expect(person.outcome).toMatchObject({ status: "finished" });
  });

  it("refuses a model whose price nobody knows, unless one is assumed", async () => {
    const ledger = createLedger(100_000);
    const unpriced = createTestAgent([{ text: "ok" }], { budget: { ledger } });
    expect((await unpriced.talk("Hi")).outcome).toMatchObject({ status: "failed", error: { code: "unknown_price" } });
    const assumed = createTestAgent([{ text: "ok", usage: USAGE }], { budget: { ledger, assumePrice: PRICE } });
    expect((await assumed.talk("Hi")).outcome).toMatchObject({ metrics: { costMicroUsd: 150 } });
  });

  it("ends a run at its own limit, without a ledger", async () => {
    const llm = scriptedModel((_, number) => ({ toolCalls: [{ name: "look", args: { number } }], usage: USAGE }), {
      price: PRICE,
    });
    const agent = createTestAgent([], { llm, tools: [testTool("look", async () => "quiet")] });
    const { outcome, events } = await agent.talk("Hi", { config: CONFIG, stop: { maxCostMicroUsd: 500 } });
    expect(outcome).toMatchObject({ status: "stopped", reason: "budget" });
    expect(outcome.metrics.costMicroUsd).toBeGreaterThan(100);
    expect(outcome.metrics.costMicroUsd).toBeLessThanOrEqual(500);
    expect(events.find(({ type }) => type === "budget")).toMatchObject({
      level: "stop",
      scope: "run",
      limitMicroUsd: 500,
    });
  });
});

function createLedger(limit: number, store = createMemoryLedgerStore()): BudgetLedger {
  return createBudgetLedger({
    limits: { day: limit },
    timeZone: "UTC",
    clock: createFakeClock(),
    store,
  });
}

async function worstOfOneCall(): Promise<number> {
  const open = createLedger(1_000_000);
  let worst = 0;
  const ledger = methodsOf(open, (request) => {
    worst = request.worstMicroUsd;
  });
  await build([{ text: "ok" }], ledger).talk("Hi", { config: CONFIG });
  return worst;
}

type Reserve = BudgetLedger["reserve"];

function methodsOf(ledger: BudgetLedger, look: (request: Parameters<Reserve>[0]) => void): BudgetLedger {
  return {
    reserve: (request) => {
      look(request);
      return ledger.reserve(request);
    },
    state: (scope) => ledger.state(scope),
    takePassed: (scopes) => ledger.takePassed(scopes),
    close: () => ledger.close(),
  };
}

function build(
  script: readonly ScriptStep[] | (() => ScriptStep),
  ledger: BudgetLedger,
  parts: Partial<AgentExecutorOptions> = {},
): TestAgent {
  const llm = scriptedModel(script, { price: PRICE });
  return { ...createTestAgent([], { llm, budget: { ledger }, ...parts }), llm };
}
