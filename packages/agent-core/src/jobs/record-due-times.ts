// due times up to now → one run each, in the store
import { dueTimes, nextDue } from "./due-times.ts";
import { LEASE_MS } from "./job-runner.ts";
import type { JobStore, StoredJob, StoredRun } from "./job-store.ts";

/** More missed times than this are recorded as one. */
const MAX_RECORDED = 500;

/** The id follows from the due time: the same one cannot be there twice. */
export function newRun(jobId: string, id: string | undefined, dueMs: number): StoredRun {
  const dueAt = new Date(dueMs).toISOString();
  return { id: id ?? `${jobId}@${dueAt}`, jobId, state: "scheduled", dueAt, attempt: 1, revision: 0 };
}

/** Asked at every look, found anew only when the job was changed or covered. */
const foundNext = new WeakMap<StoredJob, number>();

/** First due time that has no run yet. Infinity when there is none. */
export function nextUncovered(job: StoredJob): number {
  const found = foundNext.get(job) ?? nextDue(job.spec.trigger, job.coveredUntilMs) ?? Number.POSITIVE_INFINITY;
  foundNext.set(job, found);
  return found;
}

/** Invariant 10: every due time since the last look gets its run, and none gets two, however the clock moved. */
export async function recordDueTimes(store: JobStore, job: StoredJob, nowMs: number): Promise<void> {
  if (nextUncovered(job) > nowMs) return;
  const { spec, coveredUntilMs } = job;
  const { timesMs, omittedFromMs } = dueTimes(spec.trigger, coveredUntilMs, nowMs, MAX_RECORDED);
  const newestMs = timesMs.at(-1);
  if (newestMs === undefined) return;
  const runs = timesMs.map((dueMs) => newRun(spec.id, undefined, dueMs));
  const omitted = omittedFromMs === undefined ? [] : [toOmitted(newRun(spec.id, undefined, omittedFromMs), nowMs)];
  await store.addRuns(spec.id, [...omitted, ...runs], newestMs);
}

function toOmitted(first: StoredRun, nowMs: number): StoredRun {
  const reason = `missed, with all others before the newest ${MAX_RECORDED}`;
  return { ...first, state: "skipped", endedAt: new Date(nowMs).toISOString(), reason };
}

/** Whether nobody renews the lease any more. */
export function isExpired({ lease }: StoredRun, nowMs: number): boolean {
  // A lease that ends later than any could was made before the clock was set back.
  return lease === undefined || lease.untilMs <= nowMs || lease.untilMs > nowMs + LEASE_MS;
}

/** Whether it is too late for an answer. */
export function isUnanswered({ pause }: StoredRun, nowMs: number): boolean {
  return Date.parse(pause?.expiresAt ?? "") <= nowMs;
}
