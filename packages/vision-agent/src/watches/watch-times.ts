// hours, days, dates, modes → whether a watch tells now, or the reason why not
import { type Watch, weekdaySchema } from "@vision-agent/protocol";
import { type EarthLocation, sunTimes } from "./sun-times.ts";

export interface TimeContext {
  /** IANA name. */
  readonly timeZone: string;
  /** For sunrise and sunset. */
  readonly location?: EarthLocation | undefined;
}

type Hours = NonNullable<Watch["active_hours"]>;
type WatchTimes = Partial<Pick<Watch, "active_hours" | "days" | "dates" | "modes">>;
type Weekday = NonNullable<Watch["days"]>[number];

/** Which part of its times says no, and in words. */
export interface QuietReason {
  readonly gate: "hours" | "days" | "dates" | "mode";
  readonly text: string;
}

/** Undefined while it tells. */
export function quietReason(
  { active_hours: hours, days, dates, modes }: WatchTimes,
  ms: number,
  context: TimeContext & { readonly mode: string },
): QuietReason | undefined {
  if (modes && !modes.includes(context.mode)) {
    return { gate: "mode", text: `only in the mode ${modes.join(" or ")}, and it is ${context.mode}` };
  }
  if (hours && !isAwake(hours, ms, context)) {
    return { gate: "hours", text: `only between ${hours.from} and ${hours.to}` };
  }
  const day = hours ? dayOf(hours, ms, context) : localDay(ms, context.timeZone);
  if (days && !days.includes(weekdayOf(day))) return { gate: "days", text: `only on ${days.join(", ")}` };
  const { from = day, to = day } = dates ?? {};
  if (day < from || day > to) {
    const span = [...(dates?.from ? [`from ${dates.from}`] : []), ...(dates?.to ? [`until ${dates.to}`] : [])];
    return { gate: "dates", text: `only ${span.join(" ")}` };
  }
  return undefined;
}

/** Between two times of the day. Equal times mean the whole day. */
export function isAwake(hours: Hours, ms: number, context: TimeContext): boolean {
  const { from, to } = onClock(hours, localDay(ms, context.timeZone), context);
  if (from === to) return true;
  const now = localTime(ms, context.timeZone);
  // From later than to: over midnight.
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** Hours over midnight belong to the day on which they begin. */
function dayOf(hours: Hours, ms: number, context: TimeContext): string {
  const today = localDay(ms, context.timeZone);
  const { from, to } = onClock(hours, today, context);
  return from > to && localTime(ms, context.timeZone) < to ? localDay(ms - 86_400_000, context.timeZone) : today;
}

function onClock({ from, to }: Hours, day: string, context: TimeContext): Hours {
  return { from: toClock(from, day, context), to: toClock(to, day, context) };
}

/** `22:30`, `sunset`, `sunrise+30` → two digits each, so that times sort as text. */
export function toClock(written: string, day: string, { timeZone, location }: TimeContext): string {
  const [, event, offset = "0"] = /^(sunrise|sunset)([+-]\d+)?$/.exec(written) ?? [];
  if (event === undefined) return written;
  // Without a place there is no night; an alert too many is better than none.
  const sun = location ? sunTimes(day, location) : "always_down";
  const isRise = event === "sunrise";
  if (sun === "always_up") return isRise ? "00:00" : "24:00";
  if (sun === "always_down") return isRise ? "24:00" : "00:00";
  return localTime((isRise ? sun.sunriseMs : sun.sunsetMs) + Number(offset) * 60_000, timeZone);
}

/** `22:30` */
export function localTime(ms: number, timeZone: string): string {
  return localMoment(ms, timeZone).slice(11, 16);
}

/** `2026-05-20` */
export function localDay(ms: number, timeZone: string): string {
  return localMoment(ms, timeZone).slice(0, 10);
}

/** Making one takes a thousand times as long as using it, and watches ask with every event. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-05-20T22:30:00`, as the clocks of the zone show it. */
export function localMoment(ms: number, timeZone: string): string {
  // Swedes write dates as ISO 8601 does.
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  return format.format(ms).replace(" ", "T");
}

export function weekdayOf(day: string): Weekday {
  const name = new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", { weekday: "short", timeZone: "UTC" });
  return weekdaySchema.parse(name.slice(0, 3).toLowerCase());
}

/** Whether it needs to know where the cameras are. */
export function needsSun({ active_hours: hours }: WatchTimes): boolean {
  return hours !== undefined && [hours.from, hours.to].some(isSunTime);
}

export function isSunTime(time: string): boolean {
  return time.startsWith("sun");
}

export const NO_LOCATION =
  "Sunrise and sunset need to know where this is: set location (latitude, longitude) in config.yaml, or give times such as 22:00.";

/** `from 22:00 to 06:00 on sat, sun in the mode away`; "always" without limits. */
export function timesInWords({ active_hours: hours, days, dates, modes }: WatchTimes): string {
  const parts = [
    ...(hours ? [`from ${hours.from} to ${hours.to}`] : []),
    ...(days ? [`on ${days.join(", ")}`] : []),
    ...(dates?.from ? [`since ${dates.from}`] : []),
    ...(dates?.to ? [`until ${dates.to}`] : []),
    ...(modes ? [`in the mode ${modes.join(" or ")}`] : []),
  ];
  return parts.join(" ") || "always";
}
