import { createBudgetLedger, createMemoryLedgerStore } from "@vision-agent/agent-core";
import { createFakeClock } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { createSpendingLimits } from "./spending-limits.ts";

describe("what models may cost", () => {
  it("is in force and in config.yaml at once, for the day and the month", async () => {
    const app = open("# mine\nllm:\n  cost_limit_daily: 10 # a day\n");
    const limit = { daily_usd: 2.5, monthly_usd: 40 };
    expect(await app.limits.change(limit)).toEqual(limit);
    expect(app.text()).toBe("# mine\nllm:\n  cost_limit_monthly: 40\n  cost_limit_daily: 2.5 # a day\n");
    const configText = app.text();
    expect(loadConfig({ env: {}, configText }).llm).toMatchObject({ costLimitDaily: 2.5, costLimitMonthly: 40 });
    await app.limits.change({ monthly_usd: null });
    expect(await app.limits.current()).toEqual({ daily_usd: 2.5, monthly_usd: null });
    expect(loadConfig({ env: {}, configText: app.text() }).llm.costLimitMonthly ?? null).toBeNull();
  });

  it("stays as it is when it cannot be written down", async () => {
    const app = open("llm:\n");
    await expect(app.limits.change({ daily_usd: 5 })).rejects.toThrow("Set llm.cost_limit_daily there by hand");
    const full = open("", async () => Promise.reject(new Error("no space left")));
    await expect(full.limits.change({ daily_usd: 5 })).rejects.toThrow("no space");
    for (const { limits } of [app, full]) expect(await limits.current()).toMatchObject({ daily_usd: 10 });
  });
});

function open(start: string, write?: () => Promise<void>) {
  let text = start;
  const clock = createFakeClock();
  const ledger = createBudgetLedger({
    limits: { day: 10e6 },
    timeZone: "UTC",
    clock,
    store: createMemoryLedgerStore(),
  });
  const files = {
    readText: async () => text,
    writeAtomic:
      write ??
      (async (_: string, changed: string) => {
        text = changed;
      }),
  };
  const limits = createSpendingLimits({ ledger, files, path: "/config.yaml", onChange: async () => undefined });
  return { limits, text: () => text };
}
