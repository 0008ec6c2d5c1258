// decisions about what watches saw → how much each saw, kept to itself and sent, today and in all
import type { WatchReport } from "@vision-agent/protocol";
import { z } from "zod";
import type { StateSection } from "../pipelines/active-state.ts";
import { localDay } from "../watches/watch-times.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { AlertDecision } from "./alert-decision.ts";

const tallySchema = z.object({
  seen: z.int().nonnegative(),
  suppressed: z.int().nonnegative(),
  sent: z.int().nonnegative(),
});
type Tally = z.infer<typeof tallySchema>;

export const storedCountsSchema = z.object({
  watch_id: z.string(),
  day: z.string(),
  today: tallySchema,
  total: tallySchema,
  /** The event that was counted last. */
  event_id: z.string(),
});
type StoredCounts = z.infer<typeof storedCountsSchema>;

const NONE: Tally = { seen: 0, suppressed: 0, sent: 0 };
/** Of watches that are gone, too; the longest unchanged go first. */
const MOST_WATCHES = 500;

export interface WatchCountsOptions {
  readonly store: StateSection<StoredCounts>;
  readonly timeZone: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Must not throw. */
  readonly onProblem: (message: string) => void;
}

export interface WatchCounts {
  of(watchId: string): WatchReport["counts"];
  note(decision: AlertDecision): void;
  /** Resolves when everything noted is stored. */
  close(): Promise<void>;
}

/** Continues where the last run ended: what was decided and not stored any more is counted from the decisions. */
export async function openWatchCounts(
  options: WatchCountsOptions,
  decisions: readonly AlertDecision[],
): Promise<WatchCounts> {
  const { store, timeZone, now, onProblem } = options;
  const counts = new Map((await store.load()).map((one) => [one.watch_id, one]));
  const today = (): string => localDay(now(), timeZone);
  const add = (decision: AlertDecision): boolean => {
    const { watch_id, kind, event_id, timestamp, alert_id } = decision;
    if (watch_id === undefined || kind !== "condition_true") return false;
    const before = counts.get(watch_id);
    const day = localDay(Date.parse(timestamp), timeZone);
    const plus = (tally: Tally): Tally => ({
      seen: tally.seen + 1,
      suppressed: tally.suppressed + (alert_id === undefined ? 1 : 0),
      sent: tally.sent + (alert_id === undefined ? 0 : 1),
    });
    // Set anew, so that the map is ordered by when each changed.
    counts.delete(watch_id);
    counts.set(watch_id, {
      watch_id,
      event_id,
      day,
      today: plus(before?.day === day ? before.today : NONE),
      total: plus(before?.total ?? NONE),
    });
    return true;
  };
  for (const decision of uncounted(decisions, counts)) add(decision);
  let isDirty = false;
  let saving: Promise<void> | undefined;
  const save = async (): Promise<void> => {
    while (isDirty) {
      isDirty = false;
      await store.save([...counts.values()].slice(-MOST_WATCHES)).catch((error: unknown) => {
        onProblem(`How often watches fired could not be stored: ${reasonOf(error)}`);
      });
    }
    saving = undefined;
  };
  return {
    of(watchId) {
      const found = counts.get(watchId);
      return { today: found?.day === today() ? found.today : NONE, total: found?.total ?? NONE };
    },
    note(decision) {
      if (!add(decision)) return;
      isDirty = true;
      saving ??= save();
    },
    close: async () => saving,
  };
}

/** Those after the one that was counted last. */
function uncounted(
  decisions: readonly AlertDecision[],
  counts: ReadonlyMap<string, StoredCounts>,
): readonly AlertDecision[] {
  const last = new Map([...counts].map(([id, { event_id }]) => [id, event_id]));
  const positions = new Map<string, number>();
  for (const [at, { watch_id = "", event_id }] of decisions.entries()) {
    if (last.get(watch_id) === event_id) positions.set(watch_id, at);
  }
  return decisions.filter(({ watch_id = "" }, at) => {
    if (!last.has(watch_id)) return true;
    const position = positions.get(watch_id);
    return position !== undefined && at > position;
  });
}
