// words → the hours of the day in which something counts
import { classesAt } from "../words/class-words.ts";
import { without } from "../words/plain-words.ts";

export interface Hours {
  /** HH:MM, local, or `sunset` and `sunrise`. */
  readonly from: string;
  readonly to: string;
}

interface HoursFound {
  readonly hours?: Hours;
  /** The text without these words. */
  readonly rest: string;
}

/** Source of a pattern for a time of day. */
export const TIME = "(?:\\d{1,2}(?::\\d{2})?(?: ?(?:am|pm|o'clock))?|noon|midnight)";
const OF_CLOCK = /:|am|pm|o'clock|noon|midnight/;
const RANGE = new RegExp(`\\b(?:between|from) (${TIME}) (?:and|to|till|until|til|-) (${TIME})\\b`);
const BARE_RANGE = new RegExp(`\\b(${TIME}) ?(?:to|till|until|til|-) ?(${TIME})\\b`);
const OUTSIDE =
  /\b(?:outside(?: of)?|except|not)(?: during| in| between| at)?(?: the)?\s+$|\bno (?:alerts?|messages?|notifications?|alarms?|warnings?)\s+$|\b(?:don't|do not|doesn't|needn't|no need to|not have to)(?: (?:need|want|care|bother|tell|alert|notify|disturb|wake|have|to|it|that|this|them|me|us|about|any|alerts?|be|told|for|hear))*\s+$/;
const AFTER = new RegExp(`\\b(?:after|from|starting at|past) (${TIME})(?: on| onwards)?\\b`);
const BEFORE = new RegExp(`\\b(?:before|until|till|by) (${TIME})\\b`);
const PARTS_OF_DAY: readonly (readonly [RegExp, Hours])[] = [
  [
    /\b(?:after|from|since|between) (?:sunset|sundown|dusk)(?: (?:to|until|till|and) (?:sunrise|sun-?up|dawn|the morning|morning))?\b|\b(?:before|until|till) (?:sunrise|sun-?up|dawn)\b/,
    { from: "sunset", to: "sunrise" },
  ],
  [
    /\b(?:after|from|since|between) (?:sunrise|sun-?up|dawn)(?: (?:to|until|till|and) (?:sunset|sundown|dusk))?\b|\b(?:before|until|till) (?:sunset|sundown|dusk)\b/,
    { from: "sunrise", to: "sunset" },
  ],
  [
    /\b(?:at|by|during the|in the|every|each|over|through the|to the|for the) ?nights?\b|\bover ?night\b|\bnight ?times?\b|\b(?:after|when it(?:'s| is| gets)) (?:dark|nightfall)\b|\bin the dark\b|\bnight(?= (?:alerts?|alarms?|watch|only)\b)|\bnights\b/,
    { from: "22:00", to: "06:00" },
  ],
  [
    /\b(?:during|in|within)?(?: the| our| my)? ?(?:working|work|business|office|opening) hours\b/,
    { from: "09:00", to: "17:00" },
  ],
  [/\b(?:during|in|by)(?: the)? day(?: ?time)?\b|\bday ?time\b/, { from: "06:00", to: "22:00" }],
  [/\btonight\b|\btomorrow night\b/, { from: "18:00", to: "06:00" }],
  [/\b(?:at|over|during) lunch ?(?:time|break)?\b/, { from: "12:00", to: "14:00" }],
  [/\b(?:in|during|every|each)(?: the)? mornings?\b|\bmornings\b/, { from: "06:00", to: "12:00" }],
  [/\b(?:in|during|every|each)(?: the)? afternoons?\b|\bafternoons\b/, { from: "12:00", to: "18:00" }],
  [/\b(?:in|during|every|each)(?: the)? evenings?\b|\bevenings\b/, { from: "18:00", to: "22:00" }],
];

/** What a person means by "at night" and the like is told back to them, so that they can give other hours. */
export function findHours(text: string): HoursFound {
  return findRange(text) ?? findPartOfDay(text) ?? findOpenRange(text) ?? { rest: text };
}

/** `10 pm` → `22:00`; undefined when it is no time of day. */
export function toTimeOfDay(words: string): string | undefined {
  if (words === "noon") return "12:00";
  if (words === "midnight") return "00:00";
  const match = /^(\d{1,2})(?::(\d{2}))? ?(am|pm)?(?:o'clock)?$/.exec(words.trim());
  if (match === null) return undefined;
  const [, hour = "", minute = "00", half] = match;
  const hours = half === undefined ? Number(hour) % 24 : (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  if (Number(hour) > 24 || Number(minute) > 59) return undefined;
  return `${String(hours).padStart(2, "0")}:${minute}`;
}

type Found = { readonly hours: Hours; readonly rest: string } | undefined;

function findRange(text: string): Found {
  const match = RANGE.exec(text) ?? bareRange(text);
  if (match === null) return undefined;
  const [, start = "", end = ""] = match;
  // "between 3 and 5 people" is a number of them.
  const next = text
    .slice(match.index + match[0].length)
    .trim()
    .split(" ");
  if (classesAt(next, 0).length > 0 && !OF_CLOCK.test(match[0])) return undefined;
  const [from, to] = withHalves(start, end);
  if (from === undefined || to === undefined) return undefined;
  return turned(text, match.index, { pattern: match[0], hours: { from, to } });
}

/** Without "between" it must look like times, so that a score or a range of numbers is not one. */
function bareRange(text: string): RegExpExecArray | null {
  const match = BARE_RANGE.exec(text);
  return match !== null && OF_CLOCK.test(match[0]) ? match : null;
}

/** "from 9 to 5" is the day, "from 10 to 6 am" the night: a missing half is read from the other time. */
export function withHalves(start: string, end: string): readonly (string | undefined)[] {
  const half = /(am|pm)$/.exec(end)?.[1];
  const bare = /^\d{1,2}$/.test(start) && half === "pm" && Number(start) < Number.parseInt(end, 10);
  const isNight = /^(?:[6-9]|1[01])$/.test(start) && half === "am" && Number.parseInt(end, 10) < Number(start);
  const from = toTimeOfDay(bare || isNight ? `${start} pm` : start);
  // Over noon, not through the night.
  const working = /^(?:[6-9]|1[0-2])$/.test(start) && /^[1-6]$/.test(end);
  return [from, toTimeOfDay(working ? `${end} pm` : end)];
}

function findPartOfDay(text: string): Found {
  for (const [pattern, hours] of PARTS_OF_DAY) {
    const match = pattern.exec(text);
    if (match !== null) return turned(text, match.index, { pattern: match[0], hours });
  }
  return undefined;
}

/** "after 22:00" is taken to last until morning, "before 7" to begin at midnight; "after 22:00 or before 5" says both. */
function findOpenRange(text: string): Found {
  const [from, to] = [AFTER, BEFORE].map((pattern) => {
    const found = pattern.exec(text);
    return found !== null && isClockTime(found[0]) ? toTimeOfDay(found[1] ?? "") : undefined;
  });
  if (from === undefined && to === undefined) return undefined;
  const end = from !== undefined && from >= "05:00" && from < "12:00" ? "00:00" : "06:00";
  const taken = from === undefined ? text : without(text, AFTER);
  return { hours: { from: from ?? "00:00", to: to ?? end }, rest: to === undefined ? taken : without(taken, BEFORE) };
}

/** It looks like a time of day, not like a number of things. */
export function isClockTime(words: string): boolean {
  return OF_CLOCK.test(words) || /\b(?:after|before|until|till) \d{1,2}$/.test(words);
}

/** "outside working hours" is the rest of the day. */
function turned(text: string, at: number, found: { readonly pattern: string; readonly hours: Hours }): Found {
  const before = text.slice(0, at).replace(/\s*$/, " ");
  const outside = OUTSIDE.exec(before);
  const { from, to } = found.hours;
  const head = outside === null ? before : before.slice(0, outside.index);
  const rest = without(`${head} ${text.slice(at + found.pattern.length)}`, /\bonly\s*$/);
  return { hours: outside === null ? { from, to } : { from: to, to: from }, rest };
}
