// words → days of the week, and whether somebody is at home
import type { WatchRequest } from "@vision-agent/protocol";
import { without } from "../words/plain-words.ts";

export type Weekday = NonNullable<WatchRequest["days"]>[number];

const WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const DAY =
  "(?:(?:the )?week ?ends?|(?:week|work|working|school|business) ?days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)";
/** Too short to be sure of, where no other stands beside. */
const SHORT_DAY = "(?:mon|tues?|wed|thu(?:rs)?|fri|sat|sun)";
const NEXT_DAY = `(?: ?- ?| (?:to|through|till|until|and|or) | )(?:on )?(?:${DAY}|${SHORT_DAY})`;
const DAYS = new RegExp(
  `\\b(?:(?:only|just|except|but not|not|never) )*(?:(?:on|at|over|during|from) )?(?:(?:every|each) )?(?:${DAY}(?:${NEXT_DAY})*|${SHORT_DAY}(?:${NEXT_DAY})+)\\b`,
);
const RANGE = new RegExp(`(${SHORT_DAY})\\w*(?: ?- ?| (?:to|through|till|until) )(${SHORT_DAY})`);

interface DaysFound {
  readonly days?: readonly Weekday[];
  /** One day is named and may be meant once: "on Friday". */
  readonly isOneDay?: true;
  /** They were said to be left out. */
  readonly daysOff?: readonly Weekday[];
  readonly rest: string;
}

export function findDays(text: string): DaysFound {
  const phrase = DAYS.exec(text)?.[0];
  if (phrase === undefined) return { rest: text };
  const named = daysIn(phrase);
  const isNot = /\b(?:except|not|never)\b/.test(phrase);
  const days = WEEK.filter((day) => named.includes(day) !== isNot);
  const isRegular = /\b(?:every|each|only|just)\b|days\b|\bweek|,|-| (?:to|through) /.test(phrase) || named.length > 1;
  return {
    days,
    ...(!isRegular && { isOneDay: true as const }),
    ...(isNot && { daysOff: WEEK.filter((day) => named.includes(day)) }),
    rest: without(text, phrase),
  };
}

function daysIn(phrase: string): readonly Weekday[] {
  const [, first = "", last = ""] = RANGE.exec(phrase) ?? [];
  if (first !== "") {
    const [from, to] = [indexOf(first), indexOf(last)];
    return WEEK.filter((_, at) => (from <= to ? at >= from && at <= to : at >= from || at <= to));
  }
  const single = [...phrase.matchAll(new RegExp(`\\b${SHORT_DAY}(?=(?:s|nes|rs|ur)?(?:days?)?\\b)`, "g"))];
  return [
    ...(/\b(?:week|work|working|school|business) ?days?\b/.test(phrase) ? WEEK.slice(0, 5) : []),
    ...(/\bweek ?ends?\b/.test(phrase) ? WEEK.slice(5) : []),
    ...single.flatMap(([word]) => WEEK[indexOf(word)] ?? []),
  ];
}

function indexOf(day: string): number {
  return WEEK.findIndex((name) => day.startsWith(name));
}

/** `mon, tue` → "on Mondays and Tuesdays" in short: "on weekdays". */
export function daysInWords(days: readonly Weekday[]): string {
  const names = {
    mon: "Monday",
    tue: "Tuesday",
    wed: "Wednesday",
    thu: "Thursday",
    fri: "Friday",
    sat: "Saturday",
    sun: "Sunday",
  };
  const key = WEEK.filter((day) => days.includes(day)).join();
  if (key === WEEK.slice(0, 5).join()) return "on weekdays";
  if (key === WEEK.slice(5).join()) return "at weekends";
  const left = WEEK.filter((day) => !days.includes(day));
  const [only] = left;
  if (left.length === 1 && only !== undefined) return `not on ${names[only]}s`;
  return `on ${days.map((day) => `${names[day]}s`).join(" and ")}`;
}

export const MODES = ["home", "away", "night"] as const;
const MODE = `(${MODES.join("|")})`;
const IS_THERE =
  /\b(?:(?:but )?only |just )?(?:when(?:ever)?|while|if) (?:i|we|everyone|everybody)(?: am| are| is)?(?: all)? (away|out|gone|not (?:at )?home|(?:at )?home|asleep|sleeping|in bed)(?= |$)(?! of\b)/;
const IN_MODE = new RegExp(
  `\\b(?:(?:but )?only )?(?:in|during|on|for|while in|when in)(?: the)? ${MODE}(?: (?:and|or)(?: in)? ${MODE})? ?-?modes?\\b|\\b(?:when(?:ever)?|while|if)(?: the)? mode is ${MODE}\\b`,
);

/** "Only when we are away", "in night mode". */
export function findModes(text: string): { readonly modes?: readonly string[]; readonly rest: string } {
  const there = IS_THERE.exec(text);
  if (there !== null) return { modes: [modeOf(there[1] ?? "")], rest: without(text, there[0]) };
  const named = IN_MODE.exec(text);
  if (named === null) return { rest: text };
  return { modes: named.slice(1).filter((mode) => mode !== undefined), rest: without(text, named[0]) };
}

export function modeOf(words: string): string {
  if (/\b(?:asleep|sleep\w*|bed|night)\b/.test(words)) return "night";
  return /\bhome$/.test(words) && !words.startsWith("not") ? "home" : "away";
}
