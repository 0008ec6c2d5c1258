const RELATIVE = /^-(\d+(?:\.\d+)?)([smhd])$/;
const NAMED = /^(today|yesterday|-\d+d) (\d{2}):(\d{2})$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Whether `toMoment` reads it. */
export function isMoment(text: string): boolean {
  return RELATIVE.test(text) || NAMED.test(text) || !Number.isNaN(Date.parse(text));
}

/** `-3h`, `yesterday 14:10`, `-2d 09:00` (local time) or ISO 8601 → milliseconds since 1970. */
export function toMoment(text: string, nowMs: number): number {
  const [, amount, unit = ""] = RELATIVE.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * UNIT_MS[unit]!;
  const [, day, hours, minutes] = NAMED.exec(text) ?? [];
  if (day === undefined) return Date.parse(text);
  const moment = new Date(nowMs);
  moment.setDate(moment.getDate() - daysBack(day));
  return moment.setHours(Number(hours), Number(minutes), 0, 0);
}

function daysBack(day: string): number {
  if (day === "today") return 0;
  return day === "yesterday" ? 1 : Number(day.slice(1, -1));
}
