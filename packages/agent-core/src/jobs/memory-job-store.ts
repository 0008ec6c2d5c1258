import type { JobStore } from "./job-store.ts";
import { JournaledJobStore } from "./journaled-job-store.ts";

/** Forgets with the process. `keepRuns`: ended runs kept of each job, default 200. */
export function createMemoryJobStore({ keepRuns = 200 }: { readonly keepRuns?: number } = {}): JobStore {
  const nothing = async (): Promise<void> => undefined;
  const journal = { loaded: [], append: nothing, replace: nothing, close: nothing };
  return new JournaledJobStore({ openJournal: async () => journal, keepRuns, isExclusive: false });
}
