// words + the clock → a stretch of the past
import { addDays, createLocalTime, dayNumber } from "../../../memory/local-time.ts";
import { DURATION, toSeconds } from "./amounts.ts";
import { isClockTime, TIME, toTimeOfDay, withHalves } from "./find-hours.ts";

export interface Period {
  /** ISO 8601; inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  /** For the answer: "today", "in the last hour". */
  readonly words: string;
}

/** The time now, where this app is. */
export interface WallClock {
  readonly nowMs: number;
  readonly timeZone: string;
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const PARTS: Readonly<Record<string, readonly [string, string]>> = {
  morning: ["05:00", "12:00"],
  afternoon: ["12:00", "18:00"],
  evening: ["18:00", "23:00"],
};
const AROUND_MS = 15 * 60_000;

/** The first stretch of time that the words name; undefined when they name none. */
export function findPeriod(text: string, clock: WallClock): Period | undefined {
  const wall = createWall(clock);
  return (
    findLast(text, wall) ??
    findAgo(text, wall) ??
    findBetween(text, wall) ??
    findSince(text, wall) ??
    findUntil(text, wall) ??
    findMoment(text, wall) ??
    findPartOfDay(text, wall) ??
    findDay(text, wall)
  );
}

/** From midnight until now. */
export function today(clock: WallClock): Period {
  const wall = createWall(clock);
  return wall.stretch(wall.at(wall.today, "00:00"), wall.nowMs, "today");
}

const LATELY_HOURS = 6;

/** When nobody says when: today, and in its first hours the evening before, too. */
export function lately(clock: WallClock): Period {
  const { at, today: day, nowMs, stretch } = createWall(clock);
  const from = nowMs - LATELY_HOURS * 3_600_000;
  return from < at(day, "00:00") ? stretch(from, nowMs, `in the last ${LATELY_HOURS} hours`) : today(clock);
}

/** The next moment at which the clocks show this time, in milliseconds since 1970. */
export function momentOf(wanted: { readonly time: string; readonly tomorrow: boolean }, clock: WallClock): number {
  const wall = createWall(clock);
  const today = wall.at(wall.today, wanted.time);
  const isLater = !wanted.tomorrow && today > clock.nowMs;
  return isLater ? today : wall.at(addDays(wall.today, 1), wanted.time);
}

interface Wall {
  readonly nowMs: number;
  readonly today: string;
  /** The moment at which the clocks of the app show this. */
  readonly at: (day: string, time: string) => number;
  readonly stretch: (from: number, to: number, words: string) => Period;
}

/** Making one takes longer than all else that is read of a sentence. */
const zones = new Map<string, ReturnType<typeof createLocalTime>>();

function createWall({ nowMs, timeZone }: WallClock): Wall {
  const local = zones.get(timeZone) ?? createLocalTime(timeZone);
  zones.set(timeZone, local);
  const shown = (ms: number): number => {
    const { day, time } = local(ms);
    return Date.parse(`${day}T${time}:00Z`);
  };
  const at = (day: string, time: string): number => {
    const wanted = Date.parse(`${day}T${time}:00Z`);
    const first = wanted - (shown(wanted) - wanted);
    // A second time, because the offset there may be another one.
    return first + (wanted - shown(first));
  };
  const stretch = (from: number, to: number, words: string): Period => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    words,
  });
  return { nowMs, today: local(nowMs).day, at, stretch };
}

function findLast(text: string, { nowMs, stretch }: Wall): Period | undefined {
  const match = new RegExp(`\\b(?:last|past|previous) (${DURATION}|minute|hour|24 hours|day|week)\\b`).exec(text);
  if (match === null) return undefined;
  const span = match[1] ?? "hour";
  return stretch(nowMs - toSeconds(span) * 1000, nowMs, `in the last ${span}`);
}

function findAgo(text: string, { nowMs, stretch }: Wall): Period | undefined {
  const span = new RegExp(`\\b(${DURATION}) ago\\b`).exec(text)?.[1];
  if (span === undefined) return undefined;
  const then = nowMs - toSeconds(span) * 1000;
  const around = (nowMs - then) / 4;
  return stretch(then - around, Math.min(nowMs, then + around), `about ${span} ago`);
}

function findBetween(text: string, wall: Wall): Period | undefined {
  const match = new RegExp(`\\b(?:between|from) (${TIME}) (?:and|to|until|till) (${TIME})\\b`).exec(text);
  const [from, to] = withHalves(match?.[1] ?? "", match?.[2] ?? "");
  if (from === undefined || to === undefined) return undefined;
  const named = dayOf(text, wall);
  const day = named?.day ?? latestDayWith(wall, to);
  const start = wall.at(from < to ? day : addDays(day, -1), from);
  return wall.stretch(start, wall.at(day, to), `${spoken(named)}between ${from} and ${to}`);
}

/** The day before what else is said. */
function spoken(named: NamedDay | undefined): string {
  return named === undefined ? "" : `${named.words} `;
}

/** Today, unless that time is still to come. */
function latestDayWith(wall: Wall, time: string): string {
  return wall.at(wall.today, time) <= wall.nowMs ? wall.today : addDays(wall.today, -1);
}

function findSince(text: string, wall: Wall): Period | undefined {
  const span = new RegExp(`\\bsince (${DURATION})\\b`).exec(text)?.[1];
  if (span !== undefined) return wall.stretch(wall.nowMs - toSeconds(span) * 1000, wall.nowMs, `in the last ${span}`);
  const since = /\b(?:since|after) (.+)$/.exec(text)?.[1]?.replace(/^(?:lunch(?: ?time)?|midday)\b/, "noon");
  if (since === undefined) return undefined;
  const named = dayOf(since, wall);
  const time = toTimeOfDay(new RegExp(`(?:^|\\bat )(${TIME})\\b`).exec(since)?.[1] ?? "");
  if (named === undefined && time === undefined) return undefined;
  const day = named?.day ?? latestDayWith(wall, time ?? "00:00");
  return wall.stretch(
    wall.at(day, time ?? "00:00"),
    wall.nowMs,
    `since ${spoken(named).replace(/^on /, "")}${time ?? ""}`.trim(),
  );
}

const ASKS = /^(?:and |so )?(?:how|did|was|were|has|have|what|who|which|any)/;

/** "by ten yesterday": from midnight. Without a day only a question is about what was. */
function findUntil(text: string, wall: Wall): Period | undefined {
  const time = toTimeOfDay(new RegExp(`\\b(?:before|by|until|till) (${TIME})(?= |$)`).exec(text)?.[1] ?? "");
  const named = dayOf(text, wall);
  if (time === undefined || (named === undefined && !ASKS.test(text))) return undefined;
  const day = named?.day ?? latestDayWith(wall, time);
  const end = Math.min(wall.nowMs, wall.at(day, time));
  return wall.stretch(wall.at(day, "00:00"), end, `${spoken(named)}before ${time}`);
}

function findPartOfDay(text: string, wall: Wall): Period | undefined {
  if (/\b(?:last night|over ?night|the night|at night)\b/.test(text)) {
    const end = Math.min(wall.nowMs, wall.at(wall.today, "06:00"));
    return wall.stretch(wall.at(addDays(wall.today, -1), "22:00"), end, "last night");
  }
  if (/\btonight\b/.test(text)) return wall.stretch(wall.at(wall.today, "18:00"), wall.nowMs, "tonight");
  const part = /\b(morning|afternoon|evening)\b/.exec(text)?.[1];
  const [from, to] = PARTS[part ?? ""] ?? [];
  if (part === undefined || from === undefined || to === undefined) return undefined;
  const named = dayOf(text, wall);
  const day = named?.day ?? wall.today;
  const words = named === undefined || named.words === "today" ? `this ${part}` : `${named.words} ${part}`;
  const isSince = /\bsince\b/.test(text);
  const end = isSince ? wall.nowMs : Math.min(wall.nowMs, wall.at(day, to));
  return wall.stretch(wall.at(day, from), end, isSince ? `since ${words}` : words);
}

function findDay(text: string, wall: Wall): Period | undefined {
  if (/\bthis week\b/.test(text)) {
    return wall.stretch(wall.at(addDays(wall.today, -6), "00:00"), wall.nowMs, "in the last seven days");
  }
  const named = dayOf(text, wall);
  if (named === undefined) return undefined;
  const to = Math.min(wall.nowMs, wall.at(addDays(named.day, 1), "00:00"));
  return wall.stretch(wall.at(named.day, "00:00"), to, named.words);
}

/** A time alone is meant roughly. */
function findMoment(text: string, wall: Wall): Period | undefined {
  const [, said = "", isSure] =
    new RegExp(`\\b(?:at|around|about) (${TIME})($| (?=(?:on|in|this|today|yesterday|last|@c)\\b))?`).exec(text) ?? [];
  const time = isSure !== undefined || isClockTime(said) ? toTimeOfDay(said) : undefined;
  if (time === undefined) return undefined;
  const named = dayOf(text, wall);
  const moment = wall.at(named?.day ?? latestDayWith(wall, time), time);
  return wall.stretch(moment - AROUND_MS, Math.min(wall.nowMs, moment + AROUND_MS), `${spoken(named)}around ${time}`);
}

interface NamedDay {
  readonly day: string;
  readonly words: string;
}

function dayOf(text: string, { today }: Wall): NamedDay | undefined {
  if (/\bday before yesterday\b/.test(text)) return { day: addDays(today, -2), words: "the day before yesterday" };
  if (/\byesterday\b/.test(text)) return { day: addDays(today, -1), words: "yesterday" };
  if (/\btoday\b/.test(text)) return { day: today, words: "today" };
  const date = /\b\d{4}-\d{2}-\d{2}\b/.exec(text)?.[0];
  if (date !== undefined && Number.isFinite(dayNumber(date))) return { day: date, words: `on ${date}` };
  const weekday = WEEKDAYS.findIndex((name) => new RegExp(`\\b${name}\\b`).test(text));
  if (weekday < 0) return undefined;
  const back = (new Date(dayNumber(today) * DAY_MS).getUTCDay() - weekday + 7) % 7 || 7;
  return { day: addDays(today, -back), words: `on ${WEEKDAYS[weekday]}` };
}
