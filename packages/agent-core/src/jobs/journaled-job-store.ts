// changes of jobs and runs → one after the other → journal, then table
import type { JsonLines } from "../files/json-lines.ts";
import type { JobRunState } from "./job-spec.ts";
import type { JobStore, StoredJob, StoredRun } from "./job-store.ts";
import { byDueTime, type JobRecord, JobTable } from "./job-table.ts";

/** Where the records go. */
export type JobJournal = Pick<JsonLines<JobRecord>, "loaded" | "append" | "replace" | "close">;

export interface JournaledJobStoreOptions {
  readonly openJournal: () => Promise<JobJournal>;
  readonly keepRuns: number;
  readonly isExclusive: boolean;
}

/** The journal is written anew after so many records. */
const TIDY_AFTER = 2_000;

interface OpenStore {
  readonly journal: JobJournal;
  readonly table: JobTable;
}

/** A table in memory, with every change written down before it shows. */
export class JournaledJobStore implements JobStore {
  readonly isExclusive: boolean;
  readonly #options: JournaledJobStoreOptions;
  #opened: Promise<OpenStore> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #untidy = 0;

  constructor(options: JournaledJobStoreOptions) {
    this.isExclusive = options.isExclusive;
    this.#options = options;
  }

  async jobs(): Promise<readonly StoredJob[]> {
    return [...(await this.#table()).jobs.values()];
  }

  putJob(job: StoredJob): Promise<void> {
    return this.#change(() => ({ record: { type: "job", job }, result: undefined }));
  }

  removeJob(id: string): Promise<boolean> {
    return this.#change(({ jobs }) =>
      jobs.has(id) ? { record: { type: "job_removed", id }, result: true } : { result: false },
    );
  }

  addRuns(jobId: string, runs: readonly StoredRun[], coveredUntilMs?: number): Promise<readonly StoredRun[]> {
    return this.#change((table) => {
      if (!table.jobs.has(jobId)) return { result: [] };
      const added = runs.filter(({ id }) => !table.runs.has(id));
      const covered = coveredUntilMs === undefined ? {} : { covered_until_ms: coveredUntilMs };
      return { record: { type: "runs_added", job_id: jobId, runs: added, ...covered }, result: added };
    });
  }

  swapRun(run: StoredRun): Promise<StoredRun | undefined> {
    return this.#change(({ runs }) => {
      if (runs.get(run.id)?.revision !== run.revision) return { result: undefined };
      const next = { ...run, revision: run.revision + 1 };
      return { record: { type: "run_changed", run: next }, result: next };
    });
  }

  async run(id: string): Promise<StoredRun | undefined> {
    return (await this.#table()).runs.get(id);
  }

  async runs(filter: { readonly jobId?: string; readonly states?: readonly JobRunState[] }) {
    const { jobId, states } = filter;
    const { runs } = await this.#table();
    return [...runs.values()]
      .filter((run) => (jobId === undefined || run.jobId === jobId) && (!states || states.includes(run.state)))
      .sort(byDueTime);
  }

  async close(): Promise<void> {
    await this.#last;
    await (await this.#opened)?.journal.close();
  }

  /** One at a time, so that what a change saw still holds when it is written. */
  #change<T>(plan: (table: JobTable) => { readonly record?: JobRecord; readonly result: T }): Promise<T> {
    const changed = this.#last.then(async () => {
      const { journal, table } = await this.#open();
      const { record, result } = plan(table);
      if (!record) return result;
      await journal.append(record);
      table.apply(record);
      if (++this.#untidy >= TIDY_AFTER) {
        this.#untidy = 0;
        await journal.replace(table.toRecords());
      }
      return result;
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }

  async #table(): Promise<JobTable> {
    return (await this.#open()).table;
  }

  #open(): Promise<OpenStore> {
    this.#opened ??= this.#load().catch((thrown: unknown) => {
      this.#opened = undefined;
      throw thrown;
    });
    return this.#opened;
  }

  async #load(): Promise<OpenStore> {
    const journal = await this.#options.openJournal();
    const table = new JobTable(this.#options.keepRuns);
    for (const record of journal.loaded) table.apply(record);
    this.#untidy = journal.loaded.length;
    return { journal, table };
  }
}
