import { type BudgetLedger, createBudgetLedger, createMemoryLedgerStore } from "@vision-agent/agent-core";
import { createFakeClock } from "@vision-agent/agent-core/testing";
import type { SpendingLimit } from "@vision-agent/protocol";
import type { SpendingLimits } from "../agent/spending-limits.ts";
import type { MoneyToolParts } from "../tools/money-tools.ts";

/** Limits that are kept nowhere. */
export function fakeLimits(start: SpendingLimit = { daily_usd: 10, monthly_usd: null }): SpendingLimits {
  let limit = start;
  return {
    current: async () => limit,
    async change({ daily_usd = limit.daily_usd, monthly_usd = limit.monthly_usd }) {
      limit = { daily_usd, monthly_usd };
      return limit;
    },
  };
}

/** Nothing is spent. */
export function fakeMoney(
  parts: Partial<Pick<MoneyToolParts, "usage">> = {},
): MoneyToolParts & { ledger: BudgetLedger } {
  return {
    usage: { byPurpose: () => [] },
    ledger: createBudgetLedger({
      limits: { day: 10_000_000 },
      timeZone: "UTC",
      clock: createFakeClock(),
      store: createMemoryLedgerStore(),
    }),
    spendingLimits: fakeLimits(),
    ...parts,
  };
}
