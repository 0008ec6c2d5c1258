import { createBudgetLedger, createMemoryLedgerStore, type Price } from "@vision-agent/agent-core";
import { createFakeClock, createTestAgent, scriptedModel } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { createSpendingNews } from "./spending-news.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};

describe("money that is spent in the background", () => {
  it("is told once when a share is passed, unless a person heard of it in their own turn", async () => {
    const told: string[] = [];
    const ledger = createBudgetLedger({
      limits: { day: 100_000 },
      timeZone: "UTC",
      clock: createFakeClock(),
      store: createMemoryLedgerStore(),
    });
    const app = createTestAgent([], {
      llm: scriptedModel(() => ({ text: "ok", usage: { inputTokens: 30_000, outputTokens: 0 } }), { price: PRICE }),
      budget: { ledger },
      onEvent: createSpendingNews({ ledger, tell: ({ text, severity }) => told.push(`${severity}: ${text}`) }),
    });
    const talk = (origin: "human" | "job") => app.talk("Hi", { origin, config: { maxTokens: 100 } });
    await talk("job");
    await talk("job");
    const { outcome } = await talk("human");
    expect(told).toEqual(["info: 50 % of the money for today is used: 0.06 USD of 0.10 USD."]);
    expect(outcome.warnings).toEqual([
      { code: "budget", message: "80 % of the limit of today is used: 0.09 USD of 0.1 USD." },
    ]);
  });
});
