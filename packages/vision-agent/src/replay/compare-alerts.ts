// alerts of a watch as it is, and as it would be → what a change gains, loses and moves
import type { AlertDifference, ReplayedAlert } from "@vision-agent/protocol";

/** On the clock of the footage, which begins in 1970 where nobody said when that was. */
export type TimedAlert = ReplayedAlert & { readonly at: string };
export type TimedDifference = AlertDifference & { readonly alert: TimedAlert };

/** Alerts about nobody in particular are the same thing when they are so close. */
const SAME_THING_MS = 60_000;

/** In the order of time. */
export function compareAlerts(before: readonly TimedAlert[], after: readonly TimedAlert[]): readonly TimedDifference[] {
  const isSame = (one: TimedAlert, other: TimedAlert): boolean =>
    one.camera === other.camera && one.at === other.at && one.visit_id === other.visit_id;
  const left = before.filter((one) => !after.some((other) => isSame(one, other)));
  const told = after.map((alert): TimedDifference => {
    if (before.some((one) => isSame(one, alert))) return { change: "same", alert };
    const moved = left.findIndex((one) => isMoved(one, alert));
    if (moved === -1) return { change: "gained", alert };
    const [earlier] = left.splice(moved, 1);
    return { change: "moved", alert, before: earlier!.at };
  });
  const lost = left.map((alert): TimedDifference => ({ change: "lost", alert }));
  return [...told, ...lost].sort((a, b) => compare(a.alert, b.alert) || a.change.localeCompare(b.change));
}

function isMoved(before: TimedAlert, after: TimedAlert): boolean {
  if (before.camera !== after.camera) return false;
  if (before.visit_id !== undefined) return before.visit_id === after.visit_id;
  return after.visit_id === undefined && Math.abs(Date.parse(before.at) - Date.parse(after.at)) <= SAME_THING_MS;
}

function compare(a: TimedAlert, b: TimedAlert): number {
  return a.at.localeCompare(b.at) || a.camera.localeCompare(b.camera) || a.text.localeCompare(b.text);
}
