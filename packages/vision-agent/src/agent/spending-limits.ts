// another limit → config.yaml, then the ledger
import type { BudgetLedger } from "@vision-agent/agent-core";
import type { LimitChange, SpendingLimit } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { withValue } from "../config/with-setting.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { KindedError } from "../workspace/kinded-error.ts";

export interface SpendingLimitsOptions {
  readonly ledger: Pick<BudgetLedger, "state" | "setLimit">;
  readonly files: Pick<FilePort, "readText" | "writeAtomic">;
  /** Absolute path of config.yaml. */
  readonly path: string;
  /** Called when a limit holds. Rejects when what is foreseen of the day could not be read again. */
  readonly onChange: () => Promise<void>;
}

/** What may be spent on models. */
export interface SpendingLimits {
  current(): Promise<SpendingLimit>;
  /** Resolves when it is in config.yaml and in force. Rejects with `LimitError`. */
  change(change: LimitChange): Promise<SpendingLimit>;
}

/** The limit cannot be written down. */
export class LimitError extends KindedError<"invalid"> {}

export function createSpendingLimits({ ledger, files, path, onChange }: SpendingLimitsOptions): SpendingLimits {
  const queue = new PQueue({ concurrency: 1 });
  const current = async (): Promise<SpendingLimit> => {
    const { limitMicroUsd, month } = await ledger.state("day");
    return { daily_usd: limitMicroUsd / 1e6, monthly_usd: month === undefined ? null : month.limitMicroUsd / 1e6 };
  };
  return {
    current,
    change: ({ daily_usd, monthly_usd }) =>
      queue.add(async () => {
        let text = (await files.readText(path)) ?? "";
        for (const [key, value] of Object.entries({ cost_limit_daily: daily_usd, cost_limit_monthly: monthly_usd })) {
          if (value !== undefined) text = mustWrite(withValue(text, { group: "llm", key, value }), key);
        }
        await files.writeAtomic(path, text);
        ledger.setLimit("day", {
          dayMicroUsd: daily_usd === undefined ? undefined : toMicroUsd(daily_usd),
          monthMicroUsd: typeof monthly_usd === "number" ? toMicroUsd(monthly_usd) : monthly_usd,
        });
        await onChange();
        return current();
      }),
  };
}

export function toMicroUsd(usd: number): number {
  return Math.round(usd * 1e6);
}

function mustWrite(text: string | undefined, key: string): string {
  if (text !== undefined) return text;
  throw new LimitError(
    "invalid",
    `The group llm of config.yaml has an unusual form. Set llm.${key} there by hand, and start again.`,
  );
}
