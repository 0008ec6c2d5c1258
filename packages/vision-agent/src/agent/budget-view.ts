// ledger → how much is left of the day, without waiting
import type { BudgetLedger, BudgetWarning, Clock, Priority, ScopeState } from "@vision-agent/agent-core";

export interface BudgetViewOptions {
  readonly ledger: Pick<BudgetLedger, "state">;
  readonly clock: Pick<Clock, "now">;
}

/** What the ledger said last. The ledger itself decides; this only foresees it. */
export interface BudgetView {
  /** Millionths of a dollar that a call of this priority may still reserve. */
  room(priority: Priority): number;
  state(): ScopeState;
  /** To be called after money moved. */
  refresh(): Promise<void>;
}

export async function openBudgetView(options: BudgetViewOptions): Promise<BudgetView> {
  const { ledger, clock } = options;
  let last = await ledger.state("day");
  const current = (): ScopeState =>
    clock.now() < Date.parse(last.resetsAt) ? last : { ...last, spentMicroUsd: 0, reservedMicroUsd: 0 };
  return {
    state: current,
    room(priority) {
      const { ceilings, spentMicroUsd, reservedMicroUsd } = current();
      return Math.max(0, ceilings[priority] - spentMicroUsd - reservedMicroUsd);
    },
    async refresh() {
      last = await ledger.state("day");
    },
  };
}

/** For people. */
export function describeBudgetWarning(warning: BudgetWarning): string {
  switch (warning.kind) {
    case "share_used":
      return `${Math.round(warning.share * 100)} % of the money for today is used: ${toDollars(warning.spentMicroUsd)} of ${toDollars(warning.limitMicroUsd)}.`;
    case "left_behind":
      return `${warning.reservations} calls were cut off when the program ended last time; ${toDollars(warning.microUsd)} count as spent.`;
    case "records_lost":
      return `${warning.records} records of what was spent could not be read; the sums may be too low.`;
  }
}

export function toDollars(microUsd: number): string {
  return `${(microUsd / 1e6).toFixed(2)} USD`;
}
