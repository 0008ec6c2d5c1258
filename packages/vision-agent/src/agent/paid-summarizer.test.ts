import {
  createBudgetLedger,
  createMemoryArtifactStore,
  createMemoryLedgerStore,
  createMemorySessionStore,
  type ExecutionOutcome,
  type Price,
} from "@vision-agent/agent-core";
import { createCountingIds, createFakeClock, scriptedModel } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { openBudgetView } from "./budget-view.ts";
import { createVisionAgent } from "./vision-agent.ts";

/** A dollar a million each way: a token costs one. */
const PRICE = priceOf(1);
const LIMIT = 1_000_000;

describe("a conversation that is too long", () => {
  it("VA-16 is summarised by the smaller model after the memory was flushed, and the money is counted once", async () => {
    const app = await build();
    const outcomes = await app.talkLong();
    const compactions = outcomes.reduce((sum, { metrics }) => sum + metrics.compactions, 0);
    expect(compactions).toBeGreaterThan(0);
    expect(app.steps).toEqual(Array.from({ length: compactions }, () => ["flush", "summary by small-1"]).flat());
    expect(app.asked.at(-1)).toContain("The person likes cats.");
    const cost = app.bills.reduce((sum, bill) => sum + bill);
    expect(await app.ledger.state("day")).toMatchObject({ spentMicroUsd: cost, reservedMicroUsd: 0 });
    expect(outcomes.reduce((sum, { metrics }) => sum + metrics.costMicroUsd, 0)).toBe(cost);
  });

  it.each([
    ["the model fails", { fails: true }],
    ["there is no money for it", { summaryPrice: priceOf(LIMIT) }],
  ])("VA-16 becomes an outline when %s", async (_, wanted) => {
    const app = await build(wanted);
    const outcomes = await app.talkLong();
    expect(outcomes.some(({ metrics }) => metrics.compactions > 0)).toBe(true);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["finished"]));
    expect(app.asked.at(-1)).toContain("Summary of the conversation so far");
    expect(app.asked.at(-1)).not.toContain("The person likes cats.");
    expect(app.steps.includes("summary by small-1")).toBe("fails" in wanted);
    const cost = app.bills.reduce((sum, bill) => sum + bill);
    expect(await app.ledger.state("day")).toMatchObject({ spentMicroUsd: cost, reservedMicroUsd: 0 });
  });
});

interface Wanted {
  readonly fails?: boolean;
  readonly summaryPrice?: Price;
}

async function build({ fails = false, summaryPrice = PRICE }: Wanted = {}) {
  const steps: string[] = [];
  const bills: number[] = [];
  const asked: string[] = [];
  const clock = createFakeClock();
  const ledger = createBudgetLedger({
    limits: { day: LIMIT },
    timeZone: "UTC",
    clock,
    store: createMemoryLedgerStore(),
  });
  const model = scriptedModel(
    ({ model: name, system, messages }) => {
      const isSummary = system[0]?.id === "summarizer";
      if (isSummary) steps.push(`summary by ${name}`);
      else asked.push(JSON.stringify(messages));
      if (isSummary && fails) return { error: { kind: "invalid", code: "auth", message: "no" } };
      const inputTokens = Math.ceil(JSON.stringify(messages).length / 4);
      bills.push(inputTokens);
      return {
        text: isSummary ? "The person likes cats." : "word ".repeat(200),
        usage: { inputTokens, outputTokens: 0 },
      };
    },
    { contextWindow: 3_000, maxOutput: 500, price: PRICE },
  );
  const profile = async (name: string) => ({
    ...(await model.profile(name)),
    price: name === "small-1" ? summaryPrice : PRICE,
  });
  const client = { ...model, profile };
  const config = { maxTokens: 50 };
  const { executor } = createVisionAgent({
    speaker: { mode: "model", client, model: "scripted-1", config, price: PRICE, smaller: { model: "small-1" } },
    tools: [],
    prompt: { system: async () => [], state: async () => "" },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    clock,
    ids: createCountingIds(),
    budget: { ledger, budgetView: await openBudgetView({ ledger, clock }) },
    flush: async () => void steps.push("flush"),
  });
  const talk = (turn: number): Promise<ExecutionOutcome> =>
    executor.execute({ sessionId: "s1", text: `${turn} ${"word ".repeat(50)}`, principal: { userId: "owner" } })
      .outcome;
  const talkLong = async (): Promise<readonly ExecutionOutcome[]> => {
    const outcomes: ExecutionOutcome[] = [];
    for (let turn = 0; turn < 10; turn += 1) outcomes.push(await talk(turn));
    return outcomes;
  };
  return { talkLong, ledger, steps, asked, bills };
}

/** Dollars a million tokens each way. */
function priceOf(rate: number): Price {
  const tier = { input: rate, output: rate, cacheRead: rate, cacheWrite5m: rate, cacheWrite1h: rate };
  return { tiers: [{ aboveInputTokens: 0, ...tier }], asOf: "2026-01-01" };
}
