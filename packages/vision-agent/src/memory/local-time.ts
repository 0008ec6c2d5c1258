/** A moment in local time. */
export interface LocalTime {
  /** YYYY-MM-DD */
  readonly day: string;
  /** HH:MM */
  readonly time: string;
}

const DAY_MS = 86_400_000;

/** Throws `RangeError` for a zone that there is not. */
export function createLocalTime(timeZone: string): (ms: number) => LocalTime {
  // Swedes write dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return (ms) => {
    const [day = "", time = ""] = format.format(ms).split(" ");
    return { day, time };
  };
}

/** Days since 1970 of YYYY-MM-DD; NaN when it is no day of the calendar. */
export function dayNumber(day: string): number {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) / DAY_MS : Number.NaN;
}

/** The day so many days later; negative for earlier. */
export function addDays(day: string, count: number): string {
  return new Date((dayNumber(day) + count) * DAY_MS).toISOString().slice(0, 10);
}
