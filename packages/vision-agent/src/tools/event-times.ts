/** ISO 8601, or a day (YYYY-MM-DD), which begins at midnight here. Throws a sentence. */
export function parseEventTime(written: string): string {
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(written.trim());
  const time = day ? new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : new Date(written);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new Error(`"${written}" is no time: write 2026-01-31 or 2026-01-31T14:05.`);
}
