import type { JobRun, JobRunState, JobSpec } from "./job-spec.ts";

export interface StoredJob {
  readonly spec: JobSpec;
  readonly createdAtMs: number;
  /** Every due time up to here has its run. */
  readonly coveredUntilMs: number;
  /** An agent asked for it: it counts for the day's limit. */
  readonly byAgent: boolean;
}

export interface StoredRun extends JobRun {
  /** Grows with every change: who changes an old one comes too late. */
  readonly revision: number;
  /** Who runs it, and until when nobody else may. */
  readonly lease?: { readonly owner: string; readonly untilMs: number };
}

/** Jobs and their runs. Every change is on disk when it resolves, where there is a disk. */
export interface JobStore {
  /** One process at a time has it: a run that another one holds is that of a dead process, whatever its lease says. */
  readonly isExclusive: boolean;
  jobs(): Promise<readonly StoredJob[]>;
  putJob(job: StoredJob): Promise<void>;
  /** With its runs. False when there was none. */
  removeJob(id: string): Promise<boolean>;
  /** Adds those whose ids are new and moves `coveredUntilMs` on, both or neither. Gives those that it added. */
  addRuns(jobId: string, runs: readonly StoredRun[], coveredUntilMs?: number): Promise<readonly StoredRun[]>;
  /** Compare and swap by `revision`: the run as it is now, or undefined when somebody else changed it first. */
  swapRun(run: StoredRun): Promise<StoredRun | undefined>;
  run(id: string): Promise<StoredRun | undefined>;
  /** By due time, oldest first. */
  runs(filter: { readonly jobId?: string; readonly states?: readonly JobRunState[] }): Promise<readonly StoredRun[]>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** What others see of a run. */
export function toJobRun({ revision: _, lease: __, ...run }: StoredRun): JobRun {
  return run;
}

/** States from which a run does not change any more. */
export function hasEnded({ state }: Pick<JobRun, "state">): boolean {
  return state !== "scheduled" && state !== "claimed" && state !== "running" && state !== "paused";
}

/** A lease that is not renewed for so long is that of a dead process. */
export const LEASE_MS = 60_000;

/** Whether nobody renews the lease any more. */
export function isExpired({ lease }: StoredRun, nowMs: number): boolean {
  // A lease that ends later than any could was made before the clock was set back.
  return lease === undefined || lease.untilMs <= nowMs || lease.untilMs > nowMs + LEASE_MS;
}

/** Whether it is too late for an answer. */
export function isUnanswered({ pause }: StoredRun, nowMs: number): boolean {
  return Date.parse(pause?.expiresAt ?? "") <= nowMs;
}
