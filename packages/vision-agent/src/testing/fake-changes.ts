import type { Change } from "@vision-agent/protocol";
import { type ChangeLedger, createChangeLedger } from "../tools/change-ledger.ts";

/** A ledger in memory. */
export function fakeChanges(now: () => number = () => Date.UTC(2026, 0, 1, 10)): ChangeLedger {
  const entries: Change[] = [];
  const log = {
    entries: () => entries,
    unreadable: 0,
    append: async (entry: Change) => void entries.push(entry),
    settled: async () => undefined,
    async rewrite(change: (entry: Change) => Change | undefined) {
      entries.splice(0, entries.length, ...entries.flatMap((entry) => change(entry) ?? []));
    },
  };
  const onProblem = (message: string): never => {
    throw new Error(message);
  };
  return createChangeLedger({ log, now, redact: (text) => text, onProblem });
}
