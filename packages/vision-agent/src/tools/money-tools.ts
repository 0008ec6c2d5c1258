// what was used and paid, and what may be paid
import type { BudgetLedger } from "@vision-agent/agent-core";
import type { LimitChange, SpendingLimit, ToolDataOf } from "@vision-agent/protocol";
import { limitEffect } from "./effects.ts";
import { visionTool } from "./graded-tool.ts";

/** Totals of some turns. */
export interface UsedTokens {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number;
}

/** What the turns of one purpose used. */
export interface PurposeUse extends UsedTokens {
  readonly purpose: "conversation" | "task" | "heartbeat";
}

export interface MoneyToolParts {
  readonly usage: { byPurpose(period: "today" | "month"): readonly PurposeUse[] };
  readonly ledger: Pick<BudgetLedger, "state">;
  readonly spendingLimits: {
    current(): Promise<SpendingLimit>;
    change(change: LimitChange): Promise<SpendingLimit>;
  };
}

type UsageData = ToolDataOf<"get_usage">;

export function getUsageTool({ usage, ledger, spendingLimits }: MoneyToolParts) {
  return visionTool({
    name: "get_usage",
    deferLoading: true,
    description: "Money and tokens used today and this month, by purpose, and the limits.",
    properties: {},
    annotations: { readOnly: true },
    async run() {
      const { spentMicroUsd } = await ledger.state("day");
      const today = usage.byPurpose("today").map(toPurpose);
      const logged = today.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
      return {
        data: {
          limit: await spendingLimits.current(),
          today,
          month: usage.byPurpose("month").map(toPurpose),
          spent_today_usd: spentMicroUsd / 1e6,
          other_today_usd: Math.max(0, Math.round(spentMicroUsd - logged * 1e6) / 1e6),
        },
      };
    },
    render: ({ limit, today, month, spent_today_usd, other_today_usd }) =>
      [
        `Spent today: ${dollars(spent_today_usd)}. ${limitInWords(limit)}`,
        `Today: ${inWords(today)}.`,
        ...(other_today_usd > 0
          ? [`Watches that ask a model, and turns that go on: ${dollars(other_today_usd)}.`]
          : []),
        `This month: ${inWords(month)}.`,
        "Watching, counting and alerts cost nothing.",
      ].join("\n"),
  });
}

function toPurpose({
  purpose,
  calls,
  inputTokens,
  outputTokens,
  costMicroUsd,
}: PurposeUse): UsageData["today"][number] {
  return { purpose, calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costMicroUsd / 1e6 };
}

function inWords(uses: UsageData["today"]): string {
  if (uses.length === 0) return "no model was asked";
  return uses
    .map(
      ({ purpose, calls, input_tokens, output_tokens, cost_usd }) =>
        `${purpose}s ${dollars(cost_usd)} (${calls} calls, ${input_tokens} tokens in, ${output_tokens} out)`,
    )
    .join("; ");
}

export function setLimitTool({ spendingLimits }: Pick<MoneyToolParts, "spendingLimits">) {
  return visionTool({
    name: "set_limit",
    deferLoading: true,
    description: "Set how many dollars models may cost a day or a month, a hard stop.",
    properties: {
      daily_usd: { type: "number", minimum: 0, maximum: 100_000 },
      monthly_usd: { type: ["number", "null"], minimum: 0, maximum: 1_000_000, description: "null: no limit." },
    },
    annotations: { idempotent: true },
    async gradeOf(change) {
      const before = await spendingLimits.current();
      const after = { ...before, ...change };
      const isRaised = after.daily_usd > before.daily_usd || monthly(after) > monthly(before);
      const question = `May I change what models may cost? Now: ${limitInWords(before)} Then: ${limitInWords(after)}`;
      return { grade: "change", always: isRaised, question };
    },
    async run(change) {
      if (change.daily_usd === undefined && change.monthly_usd === undefined) {
        throw new Error("Give daily_usd or monthly_usd.");
      }
      const before = await spendingLimits.current();
      const limit = await spendingLimits.change(change);
      return { data: { limit, before, effects: [limitEffect(limitInWords(limit))] } };
    },
    render: ({ limit, before }) => `${limitInWords(limit)} Before: ${limitInWords(before)}`,
  });
}

function monthly({ monthly_usd }: SpendingLimit): number {
  return monthly_usd ?? Number.POSITIVE_INFINITY;
}

/** e.g. `At most 10.00 USD a day and 50.00 USD a month.` */
export function limitInWords({ daily_usd, monthly_usd }: SpendingLimit): string {
  const month = monthly_usd === null ? "no limit a month" : `${dollars(monthly_usd)} a month`;
  return `At most ${dollars(daily_usd)} a day, ${month}.`;
}

function dollars(usd: number): string {
  return `${usd.toFixed(2)} USD`;
}
