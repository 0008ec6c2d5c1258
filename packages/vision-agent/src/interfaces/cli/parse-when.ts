// a time as people write it → ISO 8601
import { UsageError } from "./exit-codes.ts";

const FORMS = /^(?:(\d{4})-(\d{2})-(\d{2}))?(?:[T ]?(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** `2026-05-20`, `2026-05-20T14:00`, `14:00` (today), all in local time, or ISO 8601. Throws `UsageError`. */
export function parseWhen(text: string, nowMs: number): string {
  const words = text.trim();
  const [matched, year, month, day, hour, minute, second] = FORMS.exec(words) ?? [];
  if (matched) {
    const today = new Date(nowMs);
    const at = new Date(
      Number(year ?? today.getFullYear()),
      month === undefined ? today.getMonth() : Number(month) - 1,
      Number(day ?? today.getDate()),
      Number(hour ?? 0),
      Number(minute ?? 0),
      Number(second ?? 0),
    );
    if (isSame(at, { month, day, hour })) return at.toISOString();
  }
  const exact = /\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(words) ? Date.parse(words) : Number.NaN;
  if (Number.isNaN(exact)) {
    throw new UsageError(`"${text}" is no time: write 2026-05-20, 2026-05-20T14:00, or 14:00 for today.`);
  }
  return new Date(exact).toISOString();
}

/** `2026-02-31` would otherwise become March. */
function isSame(
  at: Date,
  { month, day, hour }: Readonly<Record<"month" | "day" | "hour", string | undefined>>,
): boolean {
  return (
    (month === undefined || at.getMonth() + 1 === Number(month)) &&
    (day === undefined || at.getDate() === Number(day)) &&
    (hour === undefined || Number(hour) < 24)
  );
}
