// home, away, night and modes of one's own: set by a person, or by the time of the day
import type { Clock } from "@vision-agent/agent-core";
import { type CurrentMode, type ModeChange, modeRuleSchema, weekdaySchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { StateSection } from "../pipelines/active-state.ts";
import { WatchError } from "./watch-error.ts";
import { isSunTime, localDay, localMoment, NO_LOCATION, type TimeContext, toClock, weekdayOf } from "./watch-times.ts";

export const USUAL_MODE = "home";

export const storedModeSchema = z.object({
  mode: z.string(),
  /** Absent when nobody ever set it. */
  since: z.iso.datetime().optional(),
  /** When this was stored. Default: `since`. */
  at: z.iso.datetime().optional(),
  schedule: z.array(modeRuleSchema).default([]),
});
type StoredMode = z.infer<typeof storedModeSchema>;

export interface ModesOptions extends TimeContext {
  /** Every change, oldest first. */
  readonly store: StateSection<StoredMode>;
  readonly clock: Pick<Clock, "now">;
  /** What was before is kept for as long. */
  readonly keepDays: number;
}

/** The one mode that is on. Kept over a restart; needs no timer: what was due last holds. */
export interface Modes {
  current(): CurrentMode;
  /** The mode that was on then, milliseconds since 1970. */
  at(ms: number): string;
  /** What is left out stays. Rejects with `WatchError` kind `invalid`, or with `StoreError`. */
  change(change: ModeChange): Promise<CurrentMode>;
}

export async function openModes(options: ModesOptions): Promise<Modes> {
  const { store, clock, keepDays } = options;
  let history: readonly StoredMode[] = await store.load();
  const at = (ms: number): CurrentMode => {
    const { mode, since, schedule } = history.findLast((one) => timeOf(one) <= ms) ?? {
      mode: USUAL_MODE,
      schedule: [],
    };
    const due = lastDue(schedule, ms, options);
    const isScheduled = due !== undefined && due.atMs > (since === undefined ? 0 : Date.parse(since));
    if (isScheduled) return { mode: due.mode, since: new Date(due.atMs).toISOString(), set_by: "schedule", schedule };
    return { mode, since, set_by: since === undefined ? "default" : "person", schedule };
  };
  const current = (): CurrentMode => at(clock.now());
  return {
    current,
    at: (ms) => at(ms).mode,
    async change({ mode, schedule }) {
      const problem = problemOf({ mode, schedule }, options);
      if (problem !== undefined) throw new WatchError("invalid", problem);
      const now = new Date(clock.now()).toISOString();
      const before = current();
      const next = {
        mode: mode ?? before.mode,
        since: mode === undefined ? before.since : now,
        at: now,
        schedule: schedule ?? before.schedule,
      };
      const kept = [...recent(history, clock.now() - keepDays * 1440 * MINUTE_MS), next];
      await store.save(kept);
      history = kept;
      return current();
    },
  };
}

/** A person who plays with the mode does not fill the file. */
const MOST_CHANGES = 500;

/** Also the one that was in force at that time. */
function recent(history: readonly StoredMode[], fromMs: number): readonly StoredMode[] {
  const first = history.findLastIndex((one) => timeOf(one) <= fromMs);
  return history.slice(Math.max(0, first)).slice(-MOST_CHANGES);
}

function timeOf({ at, since }: StoredMode): number {
  return Date.parse(at ?? since ?? "1970-01-01T00:00:00Z");
}

function problemOf({ mode, schedule }: ModeChange, { location }: TimeContext): string | undefined {
  if (schedule === undefined) return mode === undefined ? "Say which mode, or give a schedule." : undefined;
  if (location === undefined && schedule.some(({ at }) => isSunTime(at))) return NO_LOCATION;
  for (const [index, { at, days = WEEK }] of schedule.entries()) {
    const other = schedule
      .slice(index + 1)
      .find((rule) => rule.at === at && (rule.days ?? WEEK).some((day) => days.includes(day)));
    if (other !== undefined)
      return `The schedule sets the mode twice at ${at}: keep one of the two, or give them different days.`;
  }
  return undefined;
}

const WEEK = weekdaySchema.options;
const DAYS_BACK = 7;
const MINUTE_MS = 60_000;

/** The last time at which one of the rules was due. */
function lastDue(
  rules: StoredMode["schedule"],
  nowMs: number,
  context: TimeContext,
): { readonly mode: string; readonly atMs: number } | undefined {
  if (rules.length === 0) return undefined;
  const days = Array.from({ length: DAYS_BACK + 1 }, (_, back) =>
    localDay(nowMs - back * 1440 * MINUTE_MS, context.timeZone),
  );
  const due = days.flatMap((day) =>
    rules
      .filter((rule) => rule.days === undefined || rule.days.includes(weekdayOf(day)))
      .map(({ mode, at }) => ({ mode, atMs: toInstant(day, toClock(at, day, context), context.timeZone) })),
  );
  return due.filter(({ atMs }) => atMs <= nowMs).toSorted((one, other) => other.atMs - one.atMs)[0];
}

/** A time on the clocks of a zone → the moment; in the hour that a clock skips, an hour later. */
function toInstant(day: string, time: string, timeZone: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const asUtcMs = Date.parse(`${day}T00:00:00Z`) + (hours * 60 + minutes) * MINUTE_MS;
  const offsetAt = (ms: number): number => Date.parse(`${localMoment(ms, timeZone)}Z`) - Math.floor(ms / 1000) * 1000;
  return asUtcMs - offsetAt(asUtcMs - offsetAt(asUtcMs));
}
