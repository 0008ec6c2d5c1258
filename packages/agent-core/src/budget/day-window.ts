// an instant and a time zone → the calendar day there, and when it ends

/** A calendar day of a time zone: 23, 24 or 25 hours, whatever the clocks do. */
export interface DayWindow {
  /** `2026-03-29` */
  readonly day: string;
  /** First millisecond of the next day. */
  readonly endsAtMs: number;
}

/** Longer than any day between two changes of the clocks. */
const LONGEST_DAY_MS = 49 * 3_600_000;

/** Throws `RangeError` for a zone that there is not. The last answer is kept: a day is asked for often. */
export function createDayWindows(timeZone: string): (nowMs: number) => DayWindow {
  // Swedes write the day as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const dayOf = (ms: number): string => format.format(ms);
  let last: DayWindow & { readonly fromMs: number } = { day: "", endsAtMs: 0, fromMs: 0 };
  return (nowMs) => {
    if (nowMs < last.fromMs || nowMs >= last.endsAtMs) {
      const day = dayOf(nowMs);
      last = { day, endsAtMs: findEnd(nowMs, day, dayOf), fromMs: nowMs };
    }
    return last;
  };
}

/** Names of days grow with time, also where an hour happens twice: so their change can be searched for. */
function findEnd(nowMs: number, day: string, dayOf: (ms: number) => string): number {
  let inside = nowMs;
  let outside = nowMs + LONGEST_DAY_MS;
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (dayOf(middle) === day) inside = middle;
    else outside = middle;
  }
  return outside;
}
