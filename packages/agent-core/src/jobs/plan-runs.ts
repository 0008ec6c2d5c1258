// runs that are due → those that begin, those that are left out
import type { JobSpec } from "./job-spec.ts";

/** A start that is later than this counts as missed. Above the scheduler's longest nap, which a clock jump may hide in. */
export const ON_TIME_MS = 90_000;

export interface RunPlan<R> {
  /** Oldest first. More than one only when catching up. */
  readonly start: readonly R[];
  readonly skip: readonly R[];
}

/** `due` is sorted, oldest first. */
export function planRuns<R extends { readonly dueAt: string }>(
  due: readonly R[],
  misfire: JobSpec["misfire"],
  nowMs: number,
): RunPlan<R> {
  const start = new Set(chooseRuns(due, misfire, (run) => nowMs - Date.parse(run.dueAt)));
  return { start: due.filter((run) => start.has(run)), skip: due.filter((run) => !start.has(run)) };
}

function chooseRuns<R>(
  due: readonly R[],
  { policy, graceMs, maxCatchUp }: JobSpec["misfire"],
  lateMs: (run: R) => number,
): readonly R[] {
  const onTime = due.filter((run) => lateMs(run) <= ON_TIME_MS);
  const missed = due.filter((run) => lateMs(run) > ON_TIME_MS && lateMs(run) <= graceMs);
  if (policy === "catch_up") return [...(maxCatchUp > 0 ? missed.slice(-maxCatchUp) : []), ...onTime];
  if (policy === "run_once") return [...missed, ...onTime].slice(-1);
  return onTime.slice(-1);
}
