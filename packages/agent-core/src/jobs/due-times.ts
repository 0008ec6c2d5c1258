// trigger → the times at which it is due
import { Cron } from "croner";
import type { JobSpec, Trigger } from "./job-spec.ts";

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
      const anchorMs = toAnchorMs(trigger);
      return anchorMs + (Math.floor((afterMs - anchorMs) / trigger.ms) + 1) * trigger.ms;
    }
    case "cron":
      return toCron(trigger).nextRun(new Date(afterMs))?.getTime();
  }
}

export interface DueTimes {
  /** Oldest first; the newest so many when there are more. */
  readonly timesMs: readonly number[];
  /** First of those that were left out. */
  readonly omittedFromMs?: number;
}

/** Due times after `afterMs`, up to and including `untilMs`. */
export function dueTimes(trigger: Trigger, afterMs: number, untilMs: number, max: number): DueTimes {
  const timesMs: number[] = [];
  let dueMs = nextDue(trigger, afterMs);
  while (dueMs !== undefined && dueMs <= untilMs && timesMs.length <= max) {
    timesMs.push(dueMs);
    dueMs = nextDue(trigger, dueMs);
  }
  if (timesMs.length <= max) return { timesMs };
  return { timesMs: newestDue(trigger, untilMs, max), omittedFromMs: timesMs[0] };
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
  const preview: Date[] = [];
  let dueMs = nextDue(spec.trigger, from.getTime() - 1);
  while (dueMs !== undefined && dueMs < to.getTime() && preview.length < 1_000) {
    preview.push(new Date(dueMs));
    dueMs = nextDue(spec.trigger, dueMs);
  }
  return preview;
}

/** What is wrong with it, in words; undefined when nothing is. */
export function triggerMistake(trigger: Trigger): string | undefined {
  if (trigger.type === "at") return isTime(trigger.time) ? undefined : `"${trigger.time}" is not a time in ISO 8601`;
  if (trigger.type === "every") {
    if (!Number.isSafeInteger(trigger.ms) || trigger.ms < 1_000) return "an interval has at least 1000 whole ms";
    return isTime(trigger.anchor ?? "1970-01-01") ? undefined : `"${trigger.anchor}" is not a time in ISO 8601`;
  }
  if (trigger.type !== "cron") return undefined;
  try {
    nextDue(trigger, 0);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function toAnchorMs({ anchor }: Extract<Trigger, { type: "every" }>): number {
  return anchor === undefined ? 0 : Date.parse(anchor);
}

type CronTrigger = Extract<Trigger, { type: "cron" }>;

/** Parsed once: a trigger is asked again and again. */
const parsed = new WeakMap<CronTrigger, Cron>();

function toCron(trigger: CronTrigger): Cron {
  const cron = parsed.get(trigger) ?? new Cron(trigger.expression, { timezone: trigger.timeZone, mode: "5-part" });
  parsed.set(trigger, cron);
  return cron;
}
