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
  /** Where one minute is named: ISO 8601. */
  readonly at?: string;
}

/** The time now, where this app is. */
export interface WallClock {
  readonly nowMs: number;
  readonly timeZone: string;
}

const DAY_MS = 86_400_000;
export const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const PARTS: Readonly<Record<string, readonly [string, string]>> = {
  morning: ["05:00", "12:00"],
  afternoon: ["12:00", "18:00"],
  evening: ["18:00", "23:00"],
};
const AROUND_MS = 15 * 60_000;

/** The first stretch of time that the words name; undefined when they name none. */
export function findPeriod(text: string, clock: WallClock): Period | undefined {
  const wall = createWall(clock);
  const named = dayOf(text, wall.today);
  const said: Said = { ...wall, text, named, on: named === undefined ? "" : `${named.words} ` };
  for (const find of [findSpan, findBetween, findSince, findUntil, findMoment, findPartOfDay, findDay]) {
    const found = find(said);
    if (found !== undefined) return found;
  }
  return undefined;
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

export interface Wall {
  readonly nowMs: number;
  readonly today: string;
  /** The moment at which the clocks of the app show this. */
  readonly at: (day: string, time: string) => number;
  readonly stretch: (from: number, to: number, words: string) => Period;
}

/** Making one takes longer than all else that is read of a sentence. */
const zones = new Map<string, ReturnType<typeof createLocalTime>>();

export function createWall({ nowMs, timeZone }: WallClock): Wall {
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

/** The words with the day they name. */
interface Said extends Wall {
  readonly text: string;
  readonly named: NamedDay | undefined;
  /** Said of that day before what else is said. */
  readonly on: string;
}

const LAST = new RegExp(`\\b(?:last|past|previous|since) (${DURATION}|minute|hour|day|week)\\b`);
const AGO = new RegExp(`\\b(${DURATION}) ago\\b`);

/** "In the last hour", "two hours ago", which is meant roughly. */
function findSpan({ text, nowMs, stretch }: Said): Period | undefined {
  const ago = AGO.exec(text)?.[1];
  const span = ago ?? LAST.exec(text)?.[1];
  if (span === undefined) return undefined;
  const lengthMs = toSeconds(span) * 1000;
  return ago === undefined
    ? stretch(nowMs - lengthMs, nowMs, `in the last ${span}`)
    : stretch(nowMs - lengthMs * 1.25, nowMs - lengthMs * 0.75, `about ${span} ago`);
}

const BETWEEN = new RegExp(`\\b(?:between|from) (${TIME}) (?:and|to|until|till) (${TIME})\\b`);

function findBetween(said: Said): Period | undefined {
  const [, start = "", end = ""] = BETWEEN.exec(said.text) ?? [];
  const [from, to] = withHalves(start, end);
  if (from === undefined || to === undefined) return undefined;
  const day = dayWith(said, to);
  const begin = said.at(from < to ? day : addDays(day, -1), from);
  return said.stretch(begin, said.at(day, to), `${said.on}between ${from} and ${to}`);
}

/** The day that is named; else today, unless that time is still to come. */
function dayWith({ named, today, at, nowMs }: Said, time: string): string {
  return named?.day ?? (at(today, time) <= nowMs ? today : addDays(today, -1));
}

const SINCE_TIME = new RegExp(`(?:^|\\bat )(${TIME})\\b`);

function findSince(said: Said): Period | undefined {
  const since = /\b(?:since|after) (.+)$/.exec(said.text)?.[1]?.replace(/^(?:lunch(?: ?time)?|midday)\b/, "noon");
  const time = toTimeOfDay(SINCE_TIME.exec(since ?? "")?.[1] ?? "");
  if (since === undefined || (said.named === undefined && time === undefined)) return undefined;
  const begin = said.at(dayWith(said, time ?? "00:00"), time ?? "00:00");
  return said.stretch(begin, said.nowMs, `since ${said.on.replace(/^on /, "")}${time ?? ""}`.trim());
}

const ASKS = /^(?:and |so )?(?:how|did|was|were|has|have|what|who|which|any)/;
const UNTIL = new RegExp(`\\b(?:before|by|until|till) (${TIME})(?= |$)`);

/** "by ten yesterday": from midnight. Without a day only a question is about what was. */
function findUntil(said: Said): Period | undefined {
  const time = toTimeOfDay(UNTIL.exec(said.text)?.[1] ?? "");
  if (time === undefined || (said.named === undefined && !ASKS.test(said.text))) return undefined;
  const day = dayWith(said, time);
  const end = Math.min(said.nowMs, said.at(day, time));
  return said.stretch(said.at(day, "00:00"), end, `${said.on}before ${time}`);
}

const AROUND = new RegExp(`\\b(?:at|around|about) (${TIME})($| (?=(?:on|in|this|today|yesterday|last|@c)\\b))?`);

/** A time alone is meant roughly. */
function findMoment(said: Said): Period | undefined {
  const [, words = "", isSure] = AROUND.exec(said.text) ?? [];
  const time = isSure !== undefined || isClockTime(words) ? toTimeOfDay(words) : undefined;
  if (time === undefined) return undefined;
  const moment = said.at(dayWith(said, time), time);
  const around = said.stretch(moment - AROUND_MS, Math.min(said.nowMs, moment + AROUND_MS), `${said.on}around ${time}`);
  return { ...around, at: new Date(moment).toISOString() };
}

function findPartOfDay({ text, today, nowMs, named, at, stretch }: Said): Period | undefined {
  if (/\b(?:last night|over ?night|the night|at night)\b/.test(text))
    return stretch(at(addDays(today, -1), "22:00"), Math.min(nowMs, at(today, "06:00")), "last night");
  if (/\btonight\b/.test(text)) return stretch(at(today, "18:00"), nowMs, "tonight");
  const part = /\b(morning|afternoon|evening)\b/.exec(text)?.[1] ?? "";
  const [from, to] = PARTS[part] ?? [];
  if (from === undefined || to === undefined) return undefined;
  const day = named?.day ?? today;
  const words = day === today ? `this ${part}` : `${named?.words} ${part}`;
  return /\bsince\b/.test(text)
    ? stretch(at(day, from), nowMs, `since ${words}`)
    : stretch(at(day, from), Math.min(nowMs, at(day, to)), words);
}

function findDay({ text, today, nowMs, named, at, stretch }: Said): Period | undefined {
  if (/\bthis week\b/.test(text)) return stretch(at(addDays(today, -6), "00:00"), nowMs, "in the last seven days");
  if (named === undefined) return undefined;
  return stretch(at(named.day, "00:00"), Math.min(nowMs, at(addDays(named.day, 1), "00:00")), named.words);
}

interface NamedDay {
  readonly day: string;
  readonly words: string;
}

function dayOf(text: string, today: string): NamedDay | undefined {
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
