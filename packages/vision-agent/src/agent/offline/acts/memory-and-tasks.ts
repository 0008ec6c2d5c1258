// remember, recall, and what is to be done later
import type { Act, Timing } from "../intent.ts";
import { DURATION, toSeconds } from "../slots/amounts.ts";
import { hasAny } from "../slots/fill-slots.ts";
import type { Weekday } from "../slots/find-days.ts";
import { TIME, toTimeOfDay } from "../slots/find-hours.ts";
import { momentOf } from "../slots/find-period.ts";
import { isQuestion, MOMENT, type Reading, type Rule, TELLS } from "./reading.ts";

const REMEMBER =
  /^(?:please |and |also |can you |could you )*(?:remember|don't forget|do not forget|note|make a note|keep in mind|take (?:a )?note|memori[sz]e|for your info(?:rmation)?|for the record|fyi|just so (?:that )?you know|write down|store|save)\b(?: that| this|:| of)*\s*(.+)$/is;
const PREFERENCE =
  /\b(?:i (?:like|prefer|want|hate|dislike|don't like|always|never)|my preference|call me|please (?:always|never)|always|never)\b/i;

export const readRemember: Rule = ({ words, text }) => {
  const content = REMEMBER.exec(words.trim())?.[1]
    ?.trim()
    .replace(/^[:,]\s*/, "");
  if (content === undefined || content === "" || isQuestion(text)) return undefined;
  // "Make a note whenever a dog comes" waits for the dog.
  // … and what is to be done is no note.
  if (/^(?:to|me|how many|the number of|whenever|when|every time|each time|if|as soon as)\b/i.test(content))
    return undefined;
  return { kind: "remember", content, category: PREFERENCE.test(content) ? "preference" : "knowledge" };
};

const WEEKDAYS = "sunday|monday|tuesday|wednesday|thursday|friday|saturday";
/** Notes are asked for, or what no camera sees and somebody must have told: an owner, a habit, a number. */
const RECALLS: readonly RegExp[] = [
  /\bwhat (?:do|did|can) you (?:know|remember|recall)(?: about| of| on)?\s*(.*)$/,
  /\b(?:do you (?:remember|know|recall)|recall)(?: about| what| when| that| anything about)?\s*(.*)$/,
  /\bwhat (?:have |did )?i (?:told|tell|said|say)(?: to)?(?: you)?(?: about)?\s*(.*)$/,
  /\bnotes? (?:about|on|of|for|that (?:says|mentions))\s+(.+)$/,
  new RegExp(
    `^(?:and |so )?(?:who|what|when|where|which|whose)\\b(?!.*\\byou\\b)(.*\\b(?:(?:${WEEKDAYS})s|(?:every|each) (?:${WEEKDAYS}|day|week|month)|usually|normally|again|owns?|owner|belongs?)\\b.*)$`,
  ),
  /^(?:and |so )?whose\b(.*)$/,
  /^(?:and |so )?what(?:'s| is| was) ((?!.*\b(?:person|people|man|woman|guy|visitors?|number of)\b).*\b(?:name|number|code|pin|address|birthday|combination)\b.*)$/,
  /^(?:when|what time|which day|what day|how often|where) (?:do|does) (?!you\b|i\b|.*\bruns?\b)(.*)$/,
];

export const readRecall: Rule = ({ text }) => {
  if (/^(?:please )?forget\b/.test(text)) return undefined;
  const query = RECALLS.map((pattern) => pattern.exec(text)?.[1]).find((words) => words !== undefined);
  return query === undefined ? undefined : { kind: "recall", query: toQuery(query) };
};

/** A question that no rule reads may still be one that a note answers. */
export function recallOf(question: string): Extract<Act, { kind: "recall" }> {
  const query = toQuery(question.replace(/^(?:and |so )?(?:what|who|when|where|which|whose|how)\b/, ""));
  return { kind: "recall", query };
}

function toQuery(words: string): string {
  const query = words
    .replace(/^'s\b|\b(?:again|it|that|was|is|did|does|do)\b/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return query.replace(/^(?:the|my|our) /, "") || NO_QUERY;
}

/** Stands for a question of which nothing is left: "whose is that?" */
export const NO_QUERY = "notes";

const KEEPS =
  /^(.{8,}?[.!;,]?)\s+(?:and |so |please )*(?:(?:keep|bear) (?:that|this|it) in mind|remember (?:that|this|it)|(?:make|take) (?:a )?note(?: of (?:that|this|it))?|note (?:that|this|it)(?: down)?|(?:write|jot) (?:that|this|it) down|don['’]?t forget(?: that| this| it)?|(?:just )?so (?:that )?you know|for (?:the record|future reference)|save (?:that|this|it)|store (?:that|this|it))(?:,? please)?[.! ]*$/is;

/** "The code is 4711. Keep that in mind.": what is to be kept stands before it. Undefined when the words want something else. */
export function keptBefore(text: string): string | undefined {
  const content = KEEPS.exec(text.trim())?.[1]?.trim().replace(/[,;]$/, "");
  const begins = content?.toLowerCase() ?? "";
  return begins === "" || isQuestion(begins) || COMMANDS.test(begins) ? undefined : content;
}

const COMMANDS =
  /^(?:please )?(?:count|watch|monitor|tell|alert|notify|stop|start|pause|resume|show|run|use|list|detect|track|look|describe|summari)/;

const TIMED = `(${TIME})`;
/** Parts of a day, with the time that is meant where nobody says one. */
const PARTS: Readonly<Record<string, string>> = {
  day: "08:00",
  morning: "08:00",
  afternoon: "15:00",
  evening: "20:00",
  night: "22:00",
};
const EVERY_DAY = new RegExp(
  `\\b(?:every|each) (${Object.keys(PARTS).join("|")}|weekday|weekend|${WEEKDAYS})s?(?: at ${TIMED})?\\b`,
);
const DAILY = new RegExp(
  `\\bdaily(?: at ${TIMED})?\\b|\\b(?:at )?${TIMED} (?:every|each) (?:day|morning|evening|night)\\b|\\bonce (?:a|per) day(?: at ${TIMED})?\\b`,
);
const EVERY_SPAN = new RegExp(`\\b(?:every|each) (${DURATION}|hour|minute)\\b|\\b(hourly)\\b`);
const LATER = new RegExp(`\\bin (${DURATION})\\b`);
const AT = new RegExp(
  `\\b(?:(?:tomorrow|tonight|today)(?: (?:morning|evening))? )?at ${TIMED}(?: (?:tomorrow|today|tonight))?\\b`,
);
/** Words that are nothing to do: "every day, please". */
const NO_TASK =
  /^(?:(?:please|make it|make that|do it|do that|then|now|just|ok|okay|and|no|but|actually|from now on)\b\s?)*$/;
/** Before a time these make an order of it. */
const ORDERS = /^(?:remind|please remind|tomorrow|tonight|today|tell|at|give|send|look|stop|pause|resume|start)\b/;

export const readSchedule: Rule = (reading) => {
  const { text, slots } = reading;
  if (hasAny(slots, "cooldownSeconds", "againSeconds") || /^(?:please )?(?:stop|cancel|remove|delete|end)\b/.test(text))
    return undefined;
  const watches = /\b(?:watch|monitor|guard|keep an eye|count)\b/.test(text) || (TELLS.test(text) && MOMENT.test(text));
  if (watches && !/\bremind me\b/.test(text)) return undefined;
  const found = findTiming(reading);
  if (found === undefined) return undefined;
  const task = toTask(text, found.phrases);
  // A complaint or a remark is no instruction: "I get one every minute".
  const isRemark = /^(?:this|it|that|i|you|there|we|they|he|she|is|are|was|will|would|should)\b/.test(task);
  return NO_TASK.test(task) || isRemark
    ? undefined
    : {
        kind: "schedule",
        task,
        timing: found.timing,
        spoken: found.spoken,
        ...(found.daily && { daily: found.daily }),
      };
};

interface TimingFound {
  readonly timing: Timing;
  /** The words that say it. */
  readonly phrases: readonly string[];
  readonly spoken: string;
  readonly daily?: Extract<Act, { kind: "schedule" }>["daily"];
}

function findTiming({ text, clock }: Reading): TimingFound | undefined {
  const daily = EVERY_DAY.exec(text) ?? DAILY.exec(text);
  if (daily !== null) return dailyTiming(text, daily);
  const span = EVERY_SPAN.exec(text);
  if (span !== null) {
    const minutes = Math.max(1, Math.round(toSeconds(span[1] ?? "hour") / 60));
    return { timing: { every_minutes: minutes }, phrases: [span[0]], spoken: `every ${minutes} minutes` };
  }
  // A question with a time in it asks about the past.
  if (isQuestion(text)) return undefined;
  const [later, length = ""] = LATER.exec(text) ?? [];
  if (later !== undefined) return atMoment(clock.nowMs + toSeconds(length) * 1000, later);
  const [at, said = ""] = AT.exec(text) ?? [];
  if (at === undefined || !ORDERS.test(text)) return undefined;
  const tomorrow = at.includes("tomorrow");
  const isLate = /\b(?:tonight|evening)\b/.test(at);
  // "At five" is the next time that the clock shows five.
  const halves = isLate || tomorrow ? [isLate ? "evening" : ""] : ["", "evening"];
  const times = halves.flatMap((half) => toTimeOfDay(withHalf(said, half)) ?? []);
  if (times.length === 0) return undefined;
  return atMoment(Math.min(...times.map((time) => momentOf({ time, tomorrow }, clock))), at);
}

const WEEK = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
const ONLY_DAYS: Readonly<Record<string, readonly Weekday[]>> = { weekday: WEEK.slice(1, 6), weekend: ["sat", "sun"] };

function dailyTiming(text: string, match: RegExpExecArray): TimingFound {
  const part = /\b(?:every|each) (\w+?)s?\b/.exec(match[0])?.[1] ?? "day";
  const said = match.slice(1).find((group) => group !== undefined && toTimeOfDay(group) !== undefined);
  const [elsewhere, other = ""] = said === undefined ? (new RegExp(`\\bat ${TIMED}\\b`).exec(text) ?? []) : [];
  const time = toTimeOfDay(withHalf(said ?? other, part)) ?? PARTS[part] ?? "08:00";
  const [hours, minutes] = time.split(":").map(Number);
  const weekday = WEEKDAYS.split("|").indexOf(part);
  const days = { weekday: "1-5", weekend: "6,0" }[part] ?? (weekday < 0 ? "*" : String(weekday));
  const names = ONLY_DAYS[part] ?? (weekday < 0 ? undefined : WEEK.slice(weekday, weekday + 1));
  return {
    daily: { at: time, ...(names && { days: names }) },
    timing: { cron: `${minutes} ${hours} * * ${days}` },
    phrases: [match[0], elsewhere ?? []].flat(),
    spoken: `every ${part in PARTS ? "day" : part} at ${time}`,
  };
}

/** At seven in the evening it is 19:00. */
function withHalf(time: string, part: string): string {
  const hour = Number.parseInt(time, 10);
  const isLate = part === "evening" || part === "afternoon" || (part === "night" && hour > 5);
  return isLate && hour < 12 && !/am|pm/.test(time) ? `${time.replace(/ ?o'clock$/, "")} pm` : time;
}

function atMoment(ms: number, phrase: string): TimingFound {
  const at = new Date(ms).toISOString();
  return { timing: { at }, phrases: [phrase], spoken: `at ${at}` };
}

/** What is left is said again when the time has come, so it must be an instruction of its own: in this order. */
const TO_TASK: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:please |can you |could you |i |we |would )*(?:tell|let|give|send|remind|report|want|need|like|get|show) (?:me |us |to )*(?:know |get |have |see |hear )*/,
    "",
  ],
  [/^(?:to|and|that|of|a) /, ""],
  // "a little report of what happened", "the daily summary for the dock".
  [
    /^(?:an? |the |my |our )?(?:[a-z]+ )?(?:report|summary|overview|digest|update|recap)\b(?: (?:of|on|about|for|over|with))?/,
    "summarize",
  ],
  [/^summarize (?=(?:what|who|how)\b)/, ""],
  // At eight in the morning nobody means the hours since midnight.
  [/^(what (?:has )?happened)(?: today)?$/, "$1 in the last 24 hours"],
  [/^(summari[sz]e)(?: today)?$/, "$1 the last 24 hours"],
];

function toTask(text: string, phrases: readonly string[]): string {
  const rest = phrases.reduce((left, phrase) => left.replace(phrase, " "), text);
  return TO_TASK.reduce((task, [words, by]) => task.replace(words, by), rest.replace(/\s+/g, " ").trim());
}
