// times as a model writes and reads them ⇄ instants

const WALL_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?$/;

/** ISO 8601; without an offset, and for a day (YYYY-MM-DD, which begins at midnight), in the time zone. Throws a sentence. */
export function parseEventTime(written: string, timeZone: string): string {
  const wall = WALL_TIME.exec(written.trim());
  const utc = wall === null ? Date.parse(written) : Date.parse(`${wall[1]}T${wall[2] ?? "00:00"}Z`);
  if (Number.isNaN(utc)) throw new Error(`"${written}" is not a time: write 2026-01-31 or 2026-01-31T14:05.`);
  if (wall === null) return new Date(utc).toISOString();
  const offsetAt = (ms: number): number => Date.parse(`${formatLocalTime(ms, timeZone).replace(" ", "T")}Z`) - ms;
  // The second pass is for times beside a change of the clocks.
  const near = utc - offsetAt(utc);
  return new Date(utc - offsetAt(near)).toISOString();
}

/** e.g. `2026-01-31 14:05:00` */
export function formatLocalTime(instant: string | number, timeZone: string): string {
  // Swedes write dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return format.format(new Date(instant));
}
