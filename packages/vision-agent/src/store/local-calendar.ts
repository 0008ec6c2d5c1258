// instants → days and hours as the clocks of a time zone show them

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
/** Offsets are asked for again and again; so many are remembered. */
const MOST_REMEMBERED = 10_000;

export interface LocalCalendar {
  readonly timeZone: string;
  /** An hour, or a quarter of one where the clocks are not whole hours from UTC. */
  readonly unitMs: number;
  /** Number of the unit of an instant, counted in UTC: it lies in one local day and one local hour. */
  unitAt(ms: number): number;
  /** Local days since 1970. */
  dayAt(ms: number): number;
  /** e.g. `2026-01-31` */
  dayLabel(day: number): string;
  /** e.g. `2026-01-31T14:00` */
  hourLabel(unit: number): string;
}

/** Throws `RangeError` for a zone that does not exist. */
export function createLocalCalendar(timeZone: string): LocalCalendar {
  // Swedes write dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const offsets = new Map<number, number>();
  const offsetAt = (ms: number): number => {
    const quarter = Math.floor(ms / QUARTER_MS);
    const start = quarter * QUARTER_MS;
    const known = offsets.get(quarter) ?? Date.parse(`${format.format(start).replace(" ", "T")}Z`) - start;
    if (offsets.size >= MOST_REMEMBERED) offsets.clear();
    offsets.set(quarter, known);
    return known;
  };
  // In winter and in summer.
  const isWhole = [Date.UTC(2026, 0), Date.UTC(2026, 6)].every((ms) => offsetAt(ms) % HOUR_MS === 0);
  const unitMs = isWhole ? HOUR_MS : QUARTER_MS;
  return {
    timeZone,
    unitMs,
    unitAt: (ms) => Math.floor(ms / unitMs),
    dayAt: (ms) => Math.floor((ms + offsetAt(ms)) / DAY_MS),
    dayLabel: (day) => new Date(day * DAY_MS).toISOString().slice(0, 10),
    hourLabel(unit) {
      const ms = unit * unitMs;
      return `${new Date(ms + offsetAt(ms)).toISOString().slice(0, 13)}:00`;
    },
  };
}
