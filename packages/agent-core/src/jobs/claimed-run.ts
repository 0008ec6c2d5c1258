import { AgentError } from "../types/errors.ts";
import type { JobStore, StoredRun } from "./job-store.ts";

/** A run that this process holds. Its changes go one after the other: each needs the revision of the one before. */
export class ClaimedRun {
  readonly #store: JobStore;
  #run: StoredRun;
  #last: Promise<void> = Promise.resolve();

  constructor(store: JobStore, run: StoredRun) {
    this.#store = store;
    this.#run = run;
  }

  get run(): StoredRun {
    return this.#run;
  }

  /** Throws `AgentError` kind `cancelled`, code `lease_lost` when somebody else has it now. */
  change(change: Partial<StoredRun>): Promise<void> {
    const changed = this.#last.then(async () => {
      const next = await this.#store.swapRun({ ...this.#run, ...change });
      if (!next) throw leaseLost(this.#run.id);
      this.#run = next;
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }
}

function leaseLost(id: string): AgentError {
  return new AgentError({
    kind: "cancelled",
    code: "lease_lost",
    message: `Somebody else has the job run "${id}" now.`,
  });
}
