// job records → jobs and runs as they are now
import type { Json } from "../types/json.ts";
import { hasEnded, type StoredJob, type StoredRun } from "./job-store.ts";

/** One line of the job log. */
export type JobRecord =
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
export class JobTable {
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
        this.#cover(record.job_id, record.covered_until_ms);
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

  #cover(jobId: string, untilMs: number | undefined): void {
    const job = this.jobs.get(jobId);
    if (!job || untilMs === undefined) return;
    this.jobs.set(jobId, { ...job, coveredUntilMs: Math.max(job.coveredUntilMs, untilMs) });
  }

  #forgetOld(jobId: string): void {
    const ended = this.runsOf(jobId).filter(hasEnded).sort(byDueTime);
    for (const run of ended.slice(0, Math.max(0, ended.length - this.#keepRuns))) this.runs.delete(run.id);
  }
}

export function byDueTime(a: StoredRun, b: StoredRun): number {
  if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Undefined for what is not one of our records. */
export function parseJobRecord(value: Json): JobRecord | undefined {
  if (!isObject(value)) return undefined;
  const { type, job, id, job_id, runs, run } = value;
  const isSound =
    (type === "job" && isObject(job) && isObject(job.spec) && typeof job.coveredUntilMs === "number") ||
    (type === "job_removed" && typeof id === "string") ||
    (type === "runs_added" && typeof job_id === "string" && Array.isArray(runs) && runs.every(isRun)) ||
    (type === "run_changed" && isRun(run));
  return isSound ? (value as unknown as JobRecord) : undefined;
}

function isRun(value: Json | undefined): boolean {
  return isObject(value) && typeof value.id === "string" && typeof value.revision === "number";
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
