// trigger → the times at which it is due → a run for each → those that begin
import { Cron } from "croner";
import { messageOf } from "../types/errors.ts";
import type { JobSpec, JobStore, StoredJob, StoredRun, Trigger } from "./job-spec.ts";

/** More missed times than this are recorded as one. */
const MAX_RECORDED = 500;
/** A start that is later than this counts as missed. Above the scheduler's longest nap, which a clock jump may hide in. */
const ON_TIME_MS = 90_000;

/** First due time after this one; undefined when there is none. Throws for a trigger that cannot be read. */
export function nextDue(trigger: Trigger, afterMs: number): number | undefined {
  switch (trigger.type) {
    case "manual":
      return undefined;
    case "at": {
      const dueMs = Date.parse(trigger.time);
      return dueMs > afterMs ? dueMs : undefined;
    }
    case "every": {
      const anchorMs = trigger.anchor === undefined ? 0 : Date.parse(trigger.anchor);
      return anchorMs + (Math.floor((afterMs - anchorMs) / trigger.ms) + 1) * trigger.ms;
    }
    case "cron":
      return toCron(trigger).nextRun(new Date(afterMs))?.getTime();
  }
}

/**
 * Due times after `afterMs`, up to and including `untilMs`, oldest first: the newest so many when there are more, and then
 * the first of those that were left out.
 */
export function dueTimes(
  trigger: Trigger,
  afterMs: number,
  untilMs: number,
  max: number,
): { readonly timesMs: readonly number[]; readonly omittedFromMs?: number } {
  const timesMs = firstDue(trigger, afterMs, untilMs, max + 1);
  if (timesMs.length <= max) return { timesMs };
  return { timesMs: newestDue(trigger, untilMs, max), omittedFromMs: timesMs[0] };
}

function firstDue(trigger: Trigger, afterMs: number, untilMs: number, max: number): readonly number[] {
  const timesMs: number[] = [];
  let dueMs = nextDue(trigger, afterMs);
  while (dueMs !== undefined && dueMs <= untilMs && timesMs.length < max) {
    timesMs.push(dueMs);
    dueMs = nextDue(trigger, dueMs);
  }
  return timesMs;
}

/** Found backwards: a year of minutes is not walked through. */
function newestDue(trigger: Trigger, untilMs: number, max: number): readonly number[] {
  if (trigger.type === "every") {
    const newestMs = (nextDue(trigger, untilMs) ?? 0) - trigger.ms;
    return Array.from({ length: max }, (_, index) => newestMs - (max - 1 - index) * trigger.ms);
  }
  if (trigger.type !== "cron") return [];
  // Whole seconds count there, and the reference itself does not.
  const reference = new Date((Math.floor(untilMs / 1000) + 1) * 1000);
  return toCron(trigger)
    .previousRuns(max, reference)
    .map((date) => date.getTime())
    .sort((a, b) => a - b);
}

/**
 * When the job would run, without running anything: due times from `from`, before `to`, the first 1 000 at most.
 * A fixed time that the clocks leave out is due when they have moved on; one that happens twice is due the first time.
 * Times that come by interval (`*\\/30`, lists, ranges) are due whenever the clock shows them.
 */
export function previewSchedule(spec: Pick<JobSpec, "trigger">, from: Date, to: Date): readonly Date[] {
  return firstDue(spec.trigger, from.getTime() - 1, to.getTime() - 1, 1_000).map((dueMs) => new Date(dueMs));
}

/** What is wrong with it, in words; undefined when nothing is. */
export function triggerMistake(trigger: Trigger): string | undefined {
  if (trigger.type === "at") return timeMistake(trigger.time);
  if (trigger.type === "every") {
    if (!Number.isSafeInteger(trigger.ms) || trigger.ms < 1_000) return "an interval has at least 1000 whole ms";
    return trigger.anchor === undefined ? undefined : timeMistake(trigger.anchor);
  }
  if (trigger.type !== "cron") return undefined;
  if (!isTimeZone(trigger.timeZone)) return `"${trigger.timeZone}" is not an IANA time zone, such as Europe/Oslo`;
  try {
    nextDue(trigger, 0);
    return undefined;
  } catch (thrown) {
    const why = messageOf(thrown).replace(/^Cron(?:Pattern|Date)?: */, "");
    return `"${trigger.expression}" is not five fields of cron, such as "0 8 * * 1-5": ${why}`;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** A moment without its offset is another one on every machine, and "tomorrow" on every day: both are refused. */
function timeMistake(text: string): string | undefined {
  const [, year, month, day] = TIME.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (isReal && !Number.isNaN(Date.parse(text))) return undefined;
  return `"${text}" is not a time: write ISO 8601 with an offset, such as 2026-06-01T13:00:00Z or 2026-06-01T15:00:00+02:00`;
}

type CronTrigger = Extract<Trigger, { type: "cron" }>;

/** Parsed once: a trigger is asked again and again. */
const parsed = new WeakMap<CronTrigger, Cron>();

function toCron(trigger: CronTrigger): Cron {
  const cron = parsed.get(trigger) ?? new Cron(trigger.expression, { timezone: trigger.timeZone, mode: "5-part" });
  parsed.set(trigger, cron);
  return cron;
}

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
  if (omittedFromMs !== undefined) {
    const reason = `missed, with all others before the newest ${MAX_RECORDED}`;
    const endedAt = new Date(nowMs).toISOString();
    runs.unshift({ ...newRun(spec.id, undefined, omittedFromMs), state: "skipped", endedAt, reason });
  }
  await store.addRuns(spec.id, runs, newestMs);
}

/** `due` is sorted, oldest first; so are those to start, of which there is more than one only when catching up. */
export function planRuns<R extends { readonly dueAt: string }>(
  due: readonly R[],
  misfire: JobSpec["misfire"],
  nowMs: number,
): { readonly start: readonly R[]; readonly skip: readonly R[] } {
  const { policy, graceMs, maxCatchUp } = misfire;
  const lateMs = (run: R): number => nowMs - Date.parse(run.dueAt);
  const onTime = due.filter((run) => lateMs(run) <= ON_TIME_MS);
  const missed = due.filter((run) => lateMs(run) > ON_TIME_MS && lateMs(run) <= graceMs);
  let chosen = onTime.slice(-1);
  if (policy === "catch_up") chosen = [...(maxCatchUp > 0 ? missed.slice(-maxCatchUp) : []), ...onTime];
  if (policy === "run_once") chosen = [...missed, ...onTime].slice(-1);
  return { start: chosen, skip: due.filter((run) => !chosen.includes(run)) };
}
