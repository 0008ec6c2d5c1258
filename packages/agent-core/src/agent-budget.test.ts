import { describe, expect, it } from "vitest";
import {
  AgentError,
  type AgentErrorOptions,
  type AgentExecutorOptions,
  type BudgetLedger,
  createAskUserTool,
  createBudgetLedger,
  createLlmSummarizer,
  createMemoryLedgerStore,
  createMemorySessionStore,
  type ExecutionOutcome,
  type LLMClient,
  type Price,
  type Resolution,
  randomIds,
  systemClock,
} from "./index.ts";
import { createOpenAIClient } from "./openai.ts";
import {
  createFakeClock,
  createTestAgent,
  type ScriptStep,
  scriptedModel,
  startOpenAILoopback,
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

  it.each(["the run", "the ledger"])("VA-22 holds the limit of %s over attempts that were cut", async (whose) => {
    const cut: AgentErrorOptions = { kind: "network", code: "truncated_stream", message: "cut", retryable: true };
    const limit = 300_000;
    // A dollar per thousand tokens of answer; each attempt may take 160 of them.
    const [tier] = PRICE.tiers;
    const price = { ...PRICE, tiers: [{ ...tier!, output: 1_000 }] };
    const llm = scriptedModel(() => ({ thinking: "t".repeat(500), error: cut }), { price });
    const ledger = createLedger(whose === "the ledger" ? limit : limit * 1_000);
    const agent = createTestAgent([], { llm, budget: { ledger }, clock: systemClock, random: () => 0 });
    const stop = whose === "the run" ? { maxCostMicroUsd: limit } : {};
    const { outcome } = await agent.talk("Hi", { config: { maxTokens: 160 }, stop });
    expect(llm.requests.length).toBe(1);
    expect(outcome).toMatchObject({ status: "stopped", reason: "budget" });
    expect(outcome.metrics.costMicroUsd).toBeGreaterThanOrEqual(160_000);
    expect(outcome.metrics.costMicroUsd).toBeLessThanOrEqual(limit);
    const { spentMicroUsd, reservedMicroUsd } = await ledger.state("day");
    expect([spentMicroUsd, reservedMicroUsd]).toEqual([outcome.metrics.costMicroUsd, 0]);
  });

  it("charges a priced model whose server does not report its usage", async () => {
    const ledger = createLedger(100_000);
    const usage = { inputTokens: 0, outputTokens: 0, estimated: true };
    const { outcome } = await build([{ text: "a".repeat(90), usage }], ledger).talk("Hi", { config: CONFIG });
    expect(outcome.metrics.totalOutputTokens).toBe(30);
    expect(outcome.metrics.costMicroUsd).toBeGreaterThan(30);
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: outcome.metrics.costMicroUsd });
  });

  it("VA-22 lets runs wait for what others hold: 64 at once under a dollar finish", async () => {
    const [tier] = PRICE.tiers;
    // The worst case is about 0.16, what it costs 0.001.
    const price = { ...PRICE, tiers: [{ ...tier!, output: 10 }] };
    const llm = scriptedModel(() => ({ text: "ok", usage: { inputTokens: 0, outputTokens: 100 } }), {
      price,
      maxOutput: 16_000,
    });
    const ledger = createLedger(1_000_000);
    const agent = createTestAgent([], { llm, budget: { ledger } });
    const runs = Array.from({ length: 64 }, (_, at) => agent.talk("Hi", { sessionId: `s${at}` }));
    const ends = (await Promise.all(runs)).map(({ outcome }) => outcome.status);
    expect(ends).toEqual(Array.from({ length: 64 }, () => "finished"));
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 64_000, reservedMicroUsd: 0 });
  });

  it("refuses a limit of its own with a model whose price nobody knows, before it is asked", async () => {
    const agent = createTestAgent([{ text: "never" }]);
    const { outcome } = await agent.talk("Hi", { stop: { maxCostMicroUsd: 1_000_000 } });
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "budget", code: "unknown_price" } });
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining('price: "free"') } });
    expect(agent.llm.requests).toEqual([]);
  });

  it("knows a model that is declared free, and any without a price on this machine", async () => {
    const stop = { maxCostMicroUsd: 0 };
    const declared = createTestAgent([], { llm: scriptedModel([{ text: "ok" }], { price: "free" }) });
    expect((await declared.talk("Hi", { stop })).outcome).toMatchObject({
      status: "finished",
      metrics: { costMicroUsd: 0 },
    });
    const server = await startOpenAILoopback({
      api: "chat",
      script: [{ blocks: [{ type: "text", text: "ok" }] }],
      models: ["local"],
      lenient: true,
    });
    const llm = createOpenAIClient({ apiKey: server.apiKey, baseURL: server.url });
    const local = createTestAgent([], { llm, model: "local", clock: systemClock });
    expect((await local.talk("Hi", { stop })).outcome).toMatchObject({
      status: "finished",
      metrics: { costMicroUsd: 0 },
    });
    await server.close();
  });

  it("AF-23 asks nobody for a summary that might go over the limit of the run, and counts one that fits", async () => {
    const summaries: string[] = [];
    const summaryOf = (price: Price) =>
      scriptedModel(
        ({ model }) => {
          summaries.push(model);
          return { text: "They met.", usage: { inputTokens: 7, outputTokens: 0 } };
        },
        { price },
      );
    const talk = async (summaryPrice: Price, maxCostMicroUsd?: number) => {
      summaries.length = 0;
      let billed = 0;
      const llm = scriptedModel(
        ({ messages }) => {
          const inputTokens = Math.ceil(JSON.stringify(messages).length / 4);
          billed += inputTokens;
          return { text: "word ".repeat(200), usage: { inputTokens, outputTokens: 0 } };
        },
        { price: PRICE, contextWindow: 3_000, maxOutput: 500 },
      );
      const summarizer = createLlmSummarizer({ llm: summaryOf(summaryPrice), model: "small", clock: systemClock });
      const agent = createTestAgent([], { llm, context: { summarizer } });
      const outcomes: ExecutionOutcome[] = [];
      for (let turn = 0; turn < 10; turn++) {
        const stop = maxCostMicroUsd === undefined ? {} : { maxCostMicroUsd };
        outcomes.push((await agent.talk(`${turn} ${"word ".repeat(50)}`, { config: { maxTokens: 50 }, stop })).outcome);
      }
      const compactions = outcomes.reduce((sum, { metrics }) => sum + metrics.compactions, 0);
      const cost = outcomes.reduce((sum, { metrics }) => sum + metrics.costMicroUsd, 0);
      return { compactions, costOfSummaries: cost - billed };
    };
    const cheap = await talk(PRICE);
    expect(cheap.compactions).toBeGreaterThan(0);
    expect(summaries).toHaveLength(cheap.compactions);
    expect(cheap.costOfSummaries).toBe(7 * cheap.compactions);
    const [tier] = PRICE.tiers;
    const dear = await talk({ ...PRICE, tiers: [{ ...tier!, output: 1_000 }] }, 20_000);
    expect(dear.compactions).toBeGreaterThan(0);
    expect(summaries).toEqual([]);
    expect(dear.costOfSummaries).toBe(0);
  });

  it("VA-22 holds the limits of the run for a tool that asks a model itself", async () => {
    const inner = scriptedModel(() => ({ text: "A ladder.", usage: USAGE }), { price: PRICE });
    const request = { model: "inner", system: [], messages: [], tools: [], config: CONFIG };
    const look = testTool("look", async (_, { pay, signal }) => {
      const timers = { firstEventMs: 1_000, idleMs: 1_000, attemptMs: 1_000 };
      const { content } = await pay(inner).run(request, { signal, clock: systemClock, messageId: "m1", timers });
      return content;
    });
    const script = [
      { toolCalls: [{ name: "look" }], usage: USAGE },
      { text: "ok", usage: USAGE },
    ];
    const ledger = createLedger(100_000);
    const { outcome } = await build(script, ledger, { tools: [look] }).talk("Hi", { config: CONFIG });
    expect(outcome).toMatchObject({ status: "finished", metrics: { costMicroUsd: 450 } });
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 450, reservedMicroUsd: 0 });
    const stop = { maxCostMicroUsd: 200 };
    const asked = inner.requests.length;
    const poor = await build(script, createLedger(100_000), { tools: [look] }).talk("Hi", { config: CONFIG, stop });
    expect(inner.requests).toHaveLength(asked);
    expect(poor.outcome.metrics.costMicroUsd).toBeLessThanOrEqual(200);
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

  it("VA-22 keeps a limit that a run leaves undefined, and every other default", async () => {
    for (const stop of [{ maxCostMicroUsd: undefined }, { maxIterations: undefined }] as object[]) {
      const { outcome } = await busyAgent({ stop: { maxCostMicroUsd: 500 } }).talk("Hi", { config: CONFIG, stop });
      expect(outcome).toMatchObject({ status: "stopped", reason: "budget" });
      expect(outcome.metrics.costMicroUsd).toBeGreaterThan(100);
    }
  });

  it("VA-22 refuses limits that are none before anything runs", async () => {
    for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY, "50" as unknown as number]) {
      const agent = busyAgent({});
      for (const input of [
        { stop: { maxCostMicroUsd: value } },
        { stop: { maxIterations: value } },
        { config: { maxTokens: value } },
        { config: { reasoning: { budgetTokens: value } } },
        { config: { providerOptions: { max_tokens: value } } },
      ]) {
        const { outcome } = await agent.talk("Hi", input);
        expect(outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "bad_options" } });
      }
      expect(agent.llm.requests).toEqual([]);
      expect(() => busyAgent({ stop: { maxWallMs: value } })).toThrow(/stop\.maxWallMs/);
    }
  });

  it("VA-22 books a usage that cannot be true as the worst case, says so, and gives nothing up as reserved", async () => {
    const ledger = createLedger(100_000);
    for (const outputTokens of [1e308, Number.NaN, -5_000]) {
      const before = await ledger.state("day");
      const { outcome } = await build([{ text: "ok", usage: { inputTokens: 100, outputTokens } }], ledger).talk("Hi", {
        config: CONFIG,
      });
      expect(outcome).toMatchObject({ status: "finished", warnings: [{ code: "usage_doubtful" }] });
      const { spentMicroUsd, reservedMicroUsd } = await ledger.state("day");
      expect(reservedMicroUsd).toBe(0);
      expect(spentMicroUsd - before.spentMicroUsd).toBe(outcome.metrics.costMicroUsd);
      expect(outcome.metrics.costMicroUsd).toBeGreaterThan(100);
      expect(outcome.metrics.totalOutputTokens).toBe(100);
    }
  });

  it("VA-22 goes on after a pause at the run's limit with what the answer grants, and never asks twice for nothing", async () => {
    const ledger = createLedger(1_000_000);
    const agent = busyAgent({ budget: { ledger, onLimit: "pause" }, stop: { maxCostMicroUsd: 500 } });
    const paused = await agent.talk("Hi", { config: CONFIG });
    const principal = { userId: "ada" };
    const again = await agent.executor.resume(...answerTo(paused.outcome, 400), { principal }).outcome;
    expect(again).toMatchObject({ status: "paused", pause: { kind: "budget" } });
    expect(again.metrics.costMicroUsd).toBeGreaterThan(0);
    expect(paused.outcome.metrics.costMicroUsd + again.metrics.costMicroUsd).toBeLessThanOrEqual(900);
    const bad = await agent.executor.resume(...answerTo(again, -1), { principal }).outcome;
    expect(bad).toMatchObject({ status: "failed", error: { code: "bad_resolution" } });
    const vain = await agent.executor.resume(...answerTo(again, true), { principal }).outcome;
    expect(vain).toMatchObject({ status: "stopped", reason: "budget", metrics: { costMicroUsd: 0 } });
  });

  it("VA-22 counts on what a tool paid while another question of the same run waited", async () => {
    const paying = scriptedModel(() => ({ text: "seen", usage: USAGE }), { price: PRICE });
    const tools = [
      testTool(
        "dear",
        async (_, { pay }) => {
          for (let n = 0; n < 2; n++) await askOnce(pay(paying));
          return "paid";
        },
        { approval: "always" },
      ),
      createAskUserTool(),
    ];
    const llm = scriptedModel(
      [
        { toolCalls: [{ name: "dear" }, { name: "ask_user", args: { question: "Where?" } }], usage: USAGE },
        ...Array.from({ length: 9 }, (_, number) => ({
          toolCalls: [{ name: "dear", args: { number } }],
          usage: USAGE,
        })),
      ],
      { price: PRICE },
    );
    const worst = await worstOfOneCall();
    const agent = createTestAgent([], { llm, tools, stop: { maxCostMicroUsd: worst + 400 } });
    const { outcome } = await agent.talk("Hi", { config: CONFIG });
    const principal = { userId: "ada" };
    const second = await agent.executor.resume(...answerTo(outcome, true), { principal }).outcome;
    if (second.status !== "paused") throw new Error(second.status);
    const answer = { kind: "answer", token: second.pause.token, value: "Oslo" } as const;
    const third = await agent.executor.resume(second.pause.id, answer, { principal }).outcome;
    expect(third).toMatchObject({ status: "stopped", reason: "budget", metrics: { costMicroUsd: 0 } });
  });

  it("VA-22 goes on after a crash with what is left of the run's limits", async () => {
    const sessions = createMemorySessionStore();
    const worst = await worstOfOneCall();
    const started = (): TestAgent => {
      const llm = scriptedModel((_, number) => ({ toolCalls: [{ name: "look", args: { number } }], usage: USAGE }), {
        price: PRICE,
      });
      const tools = [testTool("look", async () => "quiet")];
      return createTestAgent([], { llm, tools, sessions, ids: randomIds, stop: { maxCostMicroUsd: worst + 300 } });
    };
    const first = await started().talk("Hi", { config: CONFIG, dedupeKey: "k" });
    expect(first.outcome.metrics.costMicroUsd).toBeGreaterThan(150);
    // The same lines without their end: the process died.
    const lines = (await sessions.read("s1")).filter(({ type }) => type !== "run_ended");
    await sessions.delete("s1");
    const session = await sessions.open("s1");
    for (const line of lines) await session.append(line);
    await session.close();
    const again = await started().talk("Hi", { config: CONFIG, dedupeKey: "k" });
    expect(again.outcome).toMatchObject({ status: "stopped", reason: "budget", metrics: { costMicroUsd: 0 } });
  });

  it("keeps what was said and counted before a pause for money", async () => {
    // Enough for the first call.
    const maxCostMicroUsd = (await worstOfOneCall()) + 100;
    const agentOf = (steps: readonly ScriptStep[]): TestAgent => {
      const llm = scriptedModel(
        steps.map((step) => ({ ...step, usage: USAGE })),
        { price: PRICE },
      );
      const budget = { ledger: createLedger(1_000_000), onLimit: "pause" } as const;
      return { ...createTestAgent([], { llm, budget, stop: { maxCostMicroUsd, maxContinuations: 1 } }), llm };
    };
    const principal = { userId: "ada" };
    const cut = { text: "First half, ", stop: "max_tokens" } as const;
    const goOn = async (steps: readonly ScriptStep[]): Promise<ExecutionOutcome> => {
      const agent = agentOf(steps);
      const { outcome } = await agent.talk("Hi", { config: CONFIG });
      return agent.executor.resume(...answerTo(outcome, 100_000), { principal }).outcome;
    };
    expect(await goOn([cut, { text: "second half." }])).toMatchObject({ text: "First half, second half." });
    expect(await goOn([cut, cut])).toMatchObject({ status: "stopped", reason: "max_output_tokens" });
    expect(await goOn([{ text: "" }, { text: "" }])).toMatchObject({ status: "stopped", reason: "empty_answer" });
  });

  it("stops at the limit when a person denies more money", async () => {
    const budget = { ledger: createLedger(1_000_000), onLimit: "pause" } as const;
    const agent = busyAgent({ budget, stop: { maxCostMicroUsd: 500 } });
    const { outcome } = await agent.talk("Hi", { config: CONFIG });
    const denied = agent.executor.resume(...answerTo(outcome, false), { principal: { userId: "ada" } });
    expect(await denied.outcome).toMatchObject({ status: "stopped", reason: "budget" });
  });

  it("says what the next call may cost, what is left and what helps; used up is only what is", async () => {
    const ledger = createLedger(10_000);
    const dear = { tiers: [{ ...PRICE.tiers[0], output: 10 }], asOf: "2026-01-01" } as Price;
    const llm = scriptedModel([], { price: dear, maxOutput: 64_000 });
    const byDay = await createTestAgent([], { llm, budget: { ledger } }).talk("Hi");
    expect(byDay.outcome).toMatchObject({
      message: expect.stringMatching(
        /up to 0\.16 USD; 0\.009 USD of the 0\.01 USD a day.* Lower config\.maxTokens \(now 16,000\) or raise the limit\./,
      ),
    });
    const byRun = await createTestAgent([], { llm }).talk("Hi", { stop: { maxCostMicroUsd: 10_000 } });
    expect(byRun.outcome).toMatchObject({
      message: expect.stringMatching(/up to 0\.16 USD; 0\.01 USD of its 0\.01 USD/),
    });
    const none = await createTestAgent([], { llm }).talk("Hi", { stop: { maxCostMicroUsd: 0 } });
    expect(none.outcome).toMatchObject({ message: expect.stringContaining("its 0 USD are used up") });
  });
});

async function askOnce(client: LLMClient): Promise<void> {
  const request = { model: "m", system: [], tools: [], messages: [], config: CONFIG };
  const timers = { firstEventMs: 1_000, idleMs: 1_000, attemptMs: 1_000 };
  const signal = new AbortController().signal;
  const stream = client.stream(request, { signal, clock: systemClock, messageId: "m", timers } as never);
  for await (const _ of stream);
  await stream.result();
}

/** Calls a tool for ever; each step costs 150. */
function busyAgent(options: Partial<AgentExecutorOptions>): TestAgent {
  const llm = scriptedModel((_, number) => ({ toolCalls: [{ name: "look", args: { number } }], usage: USAGE }), {
    price: PRICE,
  });
  const agent = createTestAgent([], { llm, tools: [testTool("look", async () => "quiet")], ...options });
  return { ...agent, llm };
}

function answerTo(outcome: ExecutionOutcome, answer: boolean | number): [string, Resolution] {
  if (outcome.status !== "paused") throw new Error(outcome.status);
  const { id, token } = outcome.pause;
  if (typeof answer === "number") return [id, { token, kind: "answer", value: answer }];
  return [id, { token, kind: answer ? "approve" : "deny" }];
}

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
    setLimit: (scope, change) => ledger.setLimit(scope, change),
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
