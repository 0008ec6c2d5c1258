import {
  type BudgetWarning,
  createBudgetLedger,
  createMemoryLedgerStore,
  type ModelProfile,
} from "@vision-agent/agent-core";
import { createFakeClock } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { describeBudgetWarning, openBudgetView } from "./budget-view.ts";
import { toRequestConfig } from "./open-model.ts";

describe("thinking and length by configuration", () => {
  const thinking = { enabled: true, budgetTokens: 2_000 };

  it.each<[string, readonly ("adaptive" | "budget" | "off")[], boolean, object]>([
    ["a budget, beside the answer", ["budget", "off"], true, { maxTokens: 6_000, reasoning: { budgetTokens: 2_000 } }],
    ["the model's own way where it takes no budget", ["adaptive", "off"], true, { maxTokens: 4_000 }],
    ["none", ["adaptive", "off"], false, { maxTokens: 4_000, reasoning: "off" }],
    ["what the model always does", ["adaptive"], false, { maxTokens: 4_000 }],
    ["nothing for a model that cannot think", [], true, { maxTokens: 4_000 }],
  ])("gives %s", (_, modes, enabled, expected) => {
    const profile = toProfile(modes);
    expect(toRequestConfig({ maxTokens: 4_000, thinking: { ...thinking, enabled } }, profile)).toEqual(expected);
  });

  it("never asks for more than the model gives", () => {
    const settings = { maxTokens: 99_000, thinking: { enabled: true, budgetTokens: 2_000 } };
    expect(toRequestConfig(settings, toProfile(["budget"])).maxTokens).toBe(10_000);
  });
});

describe("the budget view", () => {
  it("leaves a tenth to alerts and a further one to people, and is full again at midnight", async () => {
    const clock = createFakeClock();
    const warnings: BudgetWarning[] = [];
    const ledger = createBudgetLedger({
      limits: { day: 1_000_000 },
      timeZone: "UTC",
      clock,
      store: createMemoryLedgerStore(),
      onWarning: (warning) => warnings.push(warning),
    });
    const budgetView = await openBudgetView({ ledger, clock });
    const rooms = () => [budgetView.room("alert"), budgetView.room("user"), budgetView.room("background")];
    expect(rooms()).toEqual([1_000_000, 900_000, 800_000]);
    const reservation = await ledger.reserve({ scopes: ["day"], worstMicroUsd: 850_000, priority: "user" });
    await reservation.settle(850_000);
    await budgetView.refresh();
    expect(rooms()).toEqual([150_000, 50_000, 0]);
    expect(warnings.map(describeBudgetWarning)).toEqual([
      "50 % of the money for today is used: 0.85 USD of 1.00 USD.",
      "80 % of the money for today is used: 0.85 USD of 1.00 USD.",
    ]);
    await clock.advance(24 * 3_600_000);
    expect(rooms()).toEqual([1_000_000, 900_000, 800_000]);
  });
});

function toProfile(modes: readonly ("adaptive" | "budget" | "off")[]): ModelProfile {
  return {
    id: "m",
    provider: "p",
    contextWindow: 100_000,
    maxOutput: 10_000,
    supportsVision: true,
    supportsTemperature: false,
    reasoning: { modes, efforts: [], prefixBound: false },
  };
}
