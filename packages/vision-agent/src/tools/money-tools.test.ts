import { describe, expect, it } from "vitest";
import { fakeContext as context, textOf } from "../testing/fake-app.ts";
import { fakeLimits, fakeMoney } from "../testing/fake-limits.ts";
import { getUsageTool, setLimitTool } from "./money-tools.ts";

describe("get_usage", () => {
  it("tells money and tokens of today and of the month, by purpose, and the limits", async () => {
    const talk = {
      purpose: "conversation",
      calls: 3,
      inputTokens: 900,
      outputTokens: 40,
      costMicroUsd: 200_000,
    } as const;
    const task = { ...talk, purpose: "task", costMicroUsd: 1_000_000 } as const;
    const money = fakeMoney({ usage: { byPurpose: (period) => (period === "today" ? [talk] : [task, talk]) } });
    const reserved = { scopes: ["day"], worstMicroUsd: 250_000, priority: "alert" } as const;
    await (await money.ledger.reserve(reserved)).settle(250_000);
    expect(textOf(await getUsageTool(money).execute({}, context()))).toBe(
      [
        "Spent today: 0.25 USD. At most 10.00 USD a day, no limit a month.",
        "Today: conversations 0.20 USD (3 calls, 900 tokens in, 40 out).",
        "Watches that ask a model, and turns that go on: 0.05 USD.",
        "This month: tasks 1.00 USD (3 calls, 900 tokens in, 40 out); conversations 0.20 USD (3 calls, 900 tokens in, 40 out).",
        "Watching, counting and alerts cost nothing.",
      ].join("\n"),
    );
  });
});

describe("set_limit", () => {
  it("sets one limit, leaves the other, and says what was before", async () => {
    const spendingLimits = fakeLimits({ daily_usd: 10, monthly_usd: 100 });
    const { data, text } = await setLimitTool({ spendingLimits }).execute({ daily_usd: 5 }, context());
    expect(await spendingLimits.current()).toEqual({ daily_usd: 5, monthly_usd: 100 });
    expect(text).toBe(
      "At most 5.00 USD a day, 100.00 USD a month. Before: At most 10.00 USD a day, 100.00 USD a month.",
    );
    expect(data).toMatchObject({
      before: { daily_usd: 10 },
      effects: [{ kind: "changed", what: "limit", link: "/cost" }],
    });
  });

  it("needs a person's yes on every level to raise one", async () => {
    const tool = setLimitTool({ spendingLimits: fakeLimits({ daily_usd: 10, monthly_usd: 100 }) });
    const asksAlways = async (args: Parameters<typeof tool.gradeOf>[0]) => (await tool.gradeOf(args, context())).always;
    expect(await asksAlways({ daily_usd: 11 })).toBe(true);
    expect(await asksAlways({ monthly_usd: null })).toBe(true);
    expect(await asksAlways({ daily_usd: 5, monthly_usd: 101 })).toBe(true);
    expect(await asksAlways({ daily_usd: 5, monthly_usd: 50 })).toBe(false);
  });

  it("wants to be told which", async () => {
    await expect(setLimitTool({ spendingLimits: fakeLimits() }).execute({}, context())).rejects.toThrow("daily_usd or");
  });
});
