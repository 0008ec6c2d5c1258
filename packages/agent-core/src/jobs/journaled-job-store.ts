// changes of jobs and runs → one after the other → journal, then table
import PQueue from "p-queue";
import { type JsonLines, openJsonLines } from "../files/line-file.ts";
import { isJsonObject, type Json } from "../types/json.ts";
import { hasEnded, type JobRunState, type JobStore, type StoredJob, type StoredRun } from "./job-spec.ts";

/** Where jobs are written. */
export interface FileJobStoreOptions {
  /** e.g. `…/jobs.jsonl`. Its folder is made when it is missing. */
  readonly path: string;
  /** Who writes, for the message that another process reads. */
  readonly owner: string;
  /** Ended runs kept of each job. Default 200. */
  readonly keepRuns?: number | undefined;
}

/**
 * VA-20: jobs and their history survive `kill -9`. Opened at its first use, which throws `AgentError` kind `invalid`,
 * code `log_busy` while another process has it.
 */
export function createFileJobStore({ path, owner, keepRuns = 200 }: FileJobStoreOptions): JobStore {
  const openJournal = (): Promise<JobJournal> => openJsonLines({ path, owner, parse: parseJobRecord });
  return new JournaledJobStore({ openJournal, keepRuns, isExclusive: true });
}

/** Forgets with the process. `keepRuns`: ended runs kept of each job, default 200. */
export function createMemoryJobStore({ keepRuns = 200 }: { readonly keepRuns?: number } = {}): JobStore {
  const nothing = async (): Promise<void> => undefined;
  const journal = { loaded: [], append: nothing, replace: nothing, close: nothing };
  return new JournaledJobStore({ openJournal: async () => journal, keepRuns, isExclusive: false });
}

/** Where the records go. */
type JobJournal = Pick<JsonLines<JobRecord>, "loaded" | "append" | "replace" | "close">;

interface JournaledJobStoreOptions {
  readonly openJournal: () => Promise<JobJournal>;
  readonly keepRuns: number;
  readonly isExclusive: boolean;
}

/** The journal is written anew after so many records. */
const TIDY_AFTER = 2_000;

/** A table in memory, with every change written down before it shows. */
class JournaledJobStore implements JobStore {
  readonly isExclusive: boolean;
  readonly #options: JournaledJobStoreOptions;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #table: JobTable;
  #journal: Promise<JobJournal> | undefined;
  #untidy = 0;

  constructor(options: JournaledJobStoreOptions) {
    this.isExclusive = options.isExclusive;
    this.#options = options;
    this.#table = new JobTable(options.keepRuns);
  }

  async jobs(): Promise<readonly StoredJob[]> {
    await this.#open();
    return [...this.#table.jobs.values()];
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
      const record = { type: "runs_added", job_id: jobId, runs: added, covered_until_ms: coveredUntilMs } as const;
      return { record, result: added };
    });
  }

  swapRun(run: StoredRun): Promise<StoredRun | undefined> {
    return this.#change(({ runs }) => {
      if (runs.get(run.id)?.revision !== run.revision) return { result: undefined };
      const next = { ...run, revision: run.revision + 1 };
      return { record: { type: "run_changed", run: next }, result: next };
    });
  }

  forgetOutputs(goes: (run: StoredRun) => boolean): Promise<number> {
    return this.#queue.add(async () => {
      const journal = await this.#open();
      const found = [...this.#table.runs.values()].filter((run) => run.output && hasEnded(run) && goes(run));
      if (found.length === 0) return 0;
      for (const { output: _, ...run } of found) this.#table.runs.set(run.id, run);
      await journal.replace(this.#table.toRecords());
      return found.length;
    });
  }

  async run(id: string): Promise<StoredRun | undefined> {
    await this.#open();
    return this.#table.runs.get(id);
  }

  async runs(filter: { readonly jobId?: string; readonly states?: readonly JobRunState[] }) {
    const { jobId, states } = filter;
    await this.#open();
    return [...this.#table.runs.values()]
      .filter((run) => (jobId === undefined || run.jobId === jobId) && (!states || states.includes(run.state)))
      .sort(byDueTime);
  }

  async close(): Promise<void> {
    await this.#queue.onIdle();
    await (await this.#journal)?.close();
  }

  /** One at a time, so that what a change saw still holds when it is written. */
  #change<T>(plan: (table: JobTable) => { readonly record?: JobRecord; readonly result: T }): Promise<T> {
    return this.#queue.add(async () => {
      const journal = await this.#open();
      const table = this.#table;
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
  }

  #open(): Promise<JobJournal> {
    this.#journal ??= this.#options.openJournal().then(
      (journal) => {
        for (const record of journal.loaded) this.#table.apply(record);
        this.#untidy = journal.loaded.length;
        return journal;
      },
      (thrown: unknown) => {
        this.#journal = undefined;
        throw thrown;
      },
    );
    return this.#journal;
  }
}

/** One line of the job log. */
type JobRecord =
  | { readonly type: "job"; readonly job: StoredJob }
  | { readonly type: "job_removed"; readonly id: string }
  | {
      readonly type: "runs_added";
      readonly job_id: string;
      readonly runs: readonly StoredRun[];
      readonly covered_until_ms?: number;
    }
  | { readonly type: "run_changed"; readonly run: StoredRun };

/** The same records in the same order give the same table. */
class JobTable {
  readonly jobs = new Map<string, StoredJob>();
  readonly runs = new Map<string, StoredRun>();
  readonly #keepRuns: number;

  /** So many ended runs are kept of each job. */
  constructor(keepRuns: number) {
    this.#keepRuns = keepRuns;
  }

  apply(record: JobRecord): void {
    switch (record.type) {
      case "job":
        this.jobs.set(record.job.spec.id, record.job);
        break;
      case "job_removed":
        this.jobs.delete(record.id);
        for (const run of this.runsOf(record.id)) this.runs.delete(run.id);
        break;
      case "runs_added":
        for (const run of record.runs) this.runs.set(run.id, run);
        this.#cover(record.job_id, record.covered_until_ms ?? 0);
        this.#forgetOld(record.job_id);
        break;
      case "run_changed":
        this.runs.set(record.run.id, record.run);
    }
  }

  runsOf(jobId: string): readonly StoredRun[] {
    return [...this.runs.values()].filter((run) => run.jobId === jobId);
  }

  /** As few records as give the same table. */
  toRecords(): readonly JobRecord[] {
    return [...this.jobs.values()].flatMap((job) => [
      { type: "job", job } as const,
      { type: "runs_added", job_id: job.spec.id, runs: this.runsOf(job.spec.id) } as const,
    ]);
  }

  #cover(jobId: string, untilMs: number): void {
    const job = this.jobs.get(jobId);
    if (job && untilMs > job.coveredUntilMs) this.jobs.set(jobId, { ...job, coveredUntilMs: untilMs });
  }

  #forgetOld(jobId: string): void {
    const ended = this.runsOf(jobId).filter(hasEnded).sort(byDueTime);
    for (const run of ended.slice(0, Math.max(0, ended.length - this.#keepRuns))) this.runs.delete(run.id);
  }
}

function byDueTime(a: StoredRun, b: StoredRun): number {
  if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Undefined for what is not one of our records. */
function parseJobRecord(value: Json): JobRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, job, id, job_id, runs, run } = value;
  const isSound =
    (type === "job" && isJsonObject(job) && isJsonObject(job.spec) && typeof job.coveredUntilMs === "number") ||
    (type === "job_removed" && typeof id === "string") ||
    (type === "runs_added" && typeof job_id === "string" && Array.isArray(runs) && runs.every(isRun)) ||
    (type === "run_changed" && isRun(run));
  return isSound ? (value as unknown as JobRecord) : undefined;
}

function isRun(value: Json | undefined): boolean {
  return isJsonObject(value) && typeof value.id === "string" && typeof value.revision === "number";
}
