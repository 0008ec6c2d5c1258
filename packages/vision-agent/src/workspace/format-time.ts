// an instant → the time as people write it: `14:05`, `yesterday 14:05`, `9 Mar 14:05`

const DAY_MS = 86_400_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const formats = new Map<string, Intl.DateTimeFormat>();

interface TimeParts {
  readonly day: string;
  readonly time: string;
}

/** In the zone, with no more of the date than is needed now. Throws `RangeError` for a zone that does not exist. */
export function formatTime(
  instant: string | number,
  { nowMs, timeZone }: { readonly nowMs: number; readonly timeZone: string },
): string {
  const { day, time } = partsOf(new Date(instant).getTime(), timeZone);
  const today = partsOf(nowMs, timeZone).day;
  const ahead = (Date.parse(day) - Date.parse(today)) / DAY_MS;
  if (ahead === 0) return time;
  if (ahead === -1) return `yesterday ${time}`;
  if (ahead === 1) return `tomorrow ${time}`;
  return `${dateInWords(day, day.slice(0, 4) !== today.slice(0, 4))} ${time}`;
}

/** For what is kept and read later: `9 Mar 2026 14:05`. */
export function formatDateTime(instant: string | number, timeZone: string): string {
  const { day, time } = partsOf(new Date(instant).getTime(), timeZone);
  return `${dateInWords(day, true)} ${time}`;
}

function dateInWords(day: string, hasYear: boolean): string {
  const [month, date] = [Number(day.slice(5, 7)), Number(day.slice(8))];
  return `${date} ${MONTHS[month - 1]}${hasYear ? ` ${day.slice(0, 4)}` : ""}`;
}

/** The same for a sentence: `at 14:05`, `yesterday at 14:05`. */
export function formatMoment(instant: string | number, now: Parameters<typeof formatTime>[1]): string {
  return formatTime(instant, now).replace(/(?=\d\d:\d\d$)/, "at ");
}

function partsOf(ms: number, timeZone: string): TimeParts {
  // Swedes write dates as ISO 8601 does.
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  formats.set(timeZone, format);
  const [day = "", time = ""] = format.format(ms).split(" ");
  return { day, time };
}
