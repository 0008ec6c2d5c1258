// half or four fifths of the day's money, spent in the background → told outside any conversation
import type { AgentEvent, BudgetLedger } from "@vision-agent/agent-core";
import type { Severity } from "@vision-agent/protocol";
import { describeBudgetWarning } from "./budget-view.ts";

export interface SpendingNewsOptions {
  readonly ledger: Pick<BudgetLedger, "takePassed">;
  /** Tells a person at once. Must not throw. */
  readonly tell: (news: { readonly text: string; readonly severity: Severity }) => void;
}

/**
 * To be told every event. What a person's own turn passes is told there; nobody reads along with a job or a heartbeat,
 * so what it passed is told when it ends.
 */
export function createSpendingNews({ ledger, tell }: SpendingNewsOptions): (event: AgentEvent) => void {
  const background = new Set<string>();
  return (event) => {
    if (event.type === "run_started" && (event.trigger === "job" || event.trigger === "heartbeat")) {
      background.add(event.runId);
    }
    if (event.type !== "run_ended" || !background.delete(event.runId)) return;
    const passed = ledger.takePassed(["day"]).at(-1);
    if (passed === undefined) return;
    const text = describeBudgetWarning({ kind: "share_used", ...passed });
    tell({ text, severity: passed.share > 0.5 ? "warning" : "info" });
  };
}
