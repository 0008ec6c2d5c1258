// words + the clock → until when something lasts
import { addDays, dayNumber } from "../../../memory/local-time.ts";
import { without } from "../words/plain-words.ts";
import { DURATION, inWords, toSeconds } from "./amounts.ts";
import { TIME, toTimeOfDay } from "./find-hours.ts";
import { createWall, momentOf, type WallClock, WEEKDAYS } from "./find-period.ts";

export interface End {
  /** ISO 8601. */
  readonly at: string;
  /** As it was said: "until friday", "for the next 2 hours". */
  readonly words: string;
  /** What is meant begins only later: "this weekend", on a Tuesday. */
  readonly isLater?: true;
}

interface EndFound {
  readonly end?: End;
  readonly rest: string;
}

/** When the day begins for who wants no word until then. */
const MORNING = "06:00";
const PARTS: Readonly<Record<string, string>> = {
  morning: "08:00",
  noon: "12:00",
  lunch: "12:00",
  afternoon: "15:00",
  evening: "18:00",
  night: "22:00",
};
const DAY_NAME = `(?:next )?(${WEEKDAYS.join("|")})`;
const PART = `(?: (${Object.keys(PARTS).join("|")}))?`;
const NEXT = new RegExp(`\\b(?:for )?the (?:next|coming) (${DURATION}|minute|hour|day|week)\\b`);
const UNTIL_DAY = new RegExp(`\\b(?:until|till|til|before) (?:the end of )?(?:(tomorrow)|${DAY_NAME})${PART}\\b`);
const REST_OF_DAY = /\b(?:(?:for |only |just )?(?:today|the rest of the day)(?: only)?)\b/;
const WEEK = /\b(?:for )?(?:this week|the rest of the week)\b/;
const WEEKEND = /\b(?:for |over |during )?this weekend\b/;
const TONIGHT = /\b(?:for )?tonight\b/;

/**
 * Days and lengths of time. `isQuiet`: nothing is told until then, so that it ends at the beginning of the day that is
 * named; else at its end. Either way rather more is told than less.
 */
export function findEnd(text: string, clock: WallClock, isQuiet = false): EndFound {
  const wall = createWall(clock);
  const { nowMs, today, at } = wall;
  const weekday = new Date(dayNumber(today) * DAY_MS).getUTCDay();
  const upTo = (day: number, time = "00:00"): number => at(addDays(today, day), time);
  const toDay = (name: number): number => (name - weekday + 7) % 7 || 7;
  const found = (match: RegExpExecArray, ms: number, isLater = false): EndFound => ({
    end: { at: new Date(ms).toISOString(), words: match[0].trim(), ...(isLater && { isLater: true as const }) },
    rest: without(text, match[0]),
  });
  const next = NEXT.exec(text);
  if (next !== null) return found(next, nowMs + toSeconds(next[1] ?? "") * 1000);
  const day = UNTIL_DAY.exec(text);
  if (day !== null) {
    const [, tomorrow, name = "", part = ""] = day;
    const ahead = tomorrow === undefined ? toDay(WEEKDAYS.indexOf(name)) : 1;
    const isBefore = isQuiet || day[0].startsWith("before");
    if (part in PARTS) return found(day, upTo(ahead, PARTS[part]));
    return found(day, isBefore ? upTo(ahead, MORNING) : upTo(ahead + 1));
  }
  const night = TONIGHT.exec(text);
  if (night !== null) return found(night, upTo(1, MORNING), nowMs < at(today, "18:00"));
  const weekend = WEEKEND.exec(text);
  const monday = toDay(1);
  if (weekend !== null) return found(weekend, upTo(monday), monday > 2);
  const week = WEEK.exec(text);
  if (week !== null) return found(week, upTo(monday));
  const rest = REST_OF_DAY.exec(text);
  return rest === null ? { rest: text } : found(rest, upTo(1));
}

const SAYS_NOTHING = /^(?:(?:only|just|but|and|please|ok|okay|so|then|it|do it|keep it|make it|no|though|thanks) ?)*$/;

/** It says until when, and nothing else. */
export function isTimeOnly(text: string, clock: WallClock): boolean {
  const { end, rest } = findQuietEnd(text, clock);
  return end !== undefined && SAYS_NOTHING.test(rest);
}

const DAY_MS = 86_400_000;
const UNTIL_TIME = new RegExp(`\\b(?:until|till|til|before) (${TIME})\\b`);
const FOR = new RegExp(`\\b(?:for )?(${DURATION})\\b`);

/** As `findEnd`, and times of the clock: "until 8" is when the clock next shows eight. */
export function findLastMoment(text: string, clock: WallClock, isQuiet = false): EndFound {
  const { end, rest } = findEnd(text, clock, isQuiet);
  const until = UNTIL_TIME.exec(text);
  if (end !== undefined || until === null) return { end, rest };
  const said = until[1] ?? "";
  const isHour = /^\d{1,2}(?::\d{2})?$/.test(said) && Number.parseInt(said, 10) < 12;
  const times = [said, ...(isHour ? [`${said} pm`] : [])].flatMap((time) => toTimeOfDay(time) ?? []);
  const ms = Math.min(...times.map((time) => momentOf({ time, tomorrow: false }, clock)));
  if (!Number.isFinite(ms)) return { rest: text };
  return { end: { at: new Date(ms).toISOString(), words: until[0] }, rest: without(text, until[0]) };
}

const DAYS = WEEKDAYS.join("|");
const UNTIL_THEN = new RegExp(
  `\\b(?:until|till|til|before)(?: (?:the end of|next|tomorrow|${DAYS}|${Object.keys(PARTS).join("|")}))*(?: at)?(?: ${TIME})?`,
  "g",
);
const LATER = new RegExp(
  [
    `\\b(?:every|each) (?:other )?(?:day|week|weekday|weekend|morning|noon|afternoon|evening|night|hour|${DAYS})s?\\b`,
    `\\b(?:daily|nightly|later|tomorrow|at (?:night|lunch)|in the (?:morning|afternoon|evening))\\b`,
    `\\b(?:on|from|next) (?:weekdays?|weekends?|${DAYS})\\b|\\b(?:${DAYS}|weekend|weekday|night)s\\b`,
    `\\b(?:at|from|after|between|starting) ${TIME}\\b`,
    `\\b(?:in|after) ${DURATION}\\b`,
  ].join("|"),
);

/** Quiet that begins later, or again and again: "at 7 pm for an hour", "every night". */
export function beginsLater(text: string): boolean {
  return LATER.test(text.replace(UNTIL_THEN, " "));
}

/** As `findLastMoment`, and lengths of time. */
export function findQuietEnd(text: string, clock: WallClock): EndFound {
  const until = findLastMoment(text, clock, true);
  if (until.end !== undefined) return until;
  const span = FOR.exec(text);
  if (span === null) return { rest: text };
  const seconds = toSeconds(span[1] ?? "");
  const at = new Date(clock.nowMs + seconds * 1000).toISOString();
  return { end: { at, words: `for ${inWords(seconds)}` }, rest: without(text, span[0]) };
}
