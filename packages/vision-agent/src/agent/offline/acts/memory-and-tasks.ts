// remember, recall, and what is to be done later
import type { Act, Timing } from "../intent.ts";
import { DURATION, toSeconds } from "../slots/amounts.ts";
import { toTimeOfDay } from "../slots/find-hours.ts";
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

const WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const RECALLS: readonly RegExp[] = [
  /\bwhat (?:do|did|can) you (?:know|remember|recall)(?: about| of| on)?\s*(.*)$/,
  /\b(?:do you (?:remember|know|recall)|recall|search (?:your |the )?(?:memory|notes) for|look up in (?:your )?(?:memory|notes))(?: about| what| when| that| anything about)?\s*(.*)$/,
  /\bwhat (?:have )?i (?:told|tell|said|say)(?: to)?(?: you)?(?: about)?\s*(.*)$/,
  /\bwhat did i (?:tell|say)(?: to)?(?: you)?(?: about)?\s*(.*)$/,
  /\bnotes? (?:about|on|of|for|regarding|concerning|that (?:says|mentions))\s+(.+)$/,
  // "Who was it again that …": somebody knew it once.
  /^(?:and |so )?(?:who|what|when|where|which|whose) (?:was|is|were|are|did|do|does)\b(.*\bagain\b.*)$/,
  // Habits are notes, not events: "who delivers on Tuesdays", "when does the bus come".
  new RegExp(
    `^(?:who|what|when|where|which|whose)\\b(?!.*\\byou\\b)(.*\\b(?:(?:${WEEKDAYS})s|(?:every|each) (?:${WEEKDAYS}|day|week|month)|usually|normally)\\b.*)$`,
  ),
  /^who\b(.*\b(?:owns?|owner|belongs?|belonging)\b.*)$/,
  /^(?:and |so )?whose\b(.*)$/,
  // A detail that nobody sees, so somebody must have told it.
  /^(?:and |so )?what(?:'s| is| was) ((?!.*\b(?:person|people|man|woman|guy|visitors?|number of)\b).*\b(?:name|(?:phone|telephone|room|house|flat|account|serial) number|code|pin|address|birthday|combination)\b.*)$/,
  /^(?:when|what time|which day|what day|how often|where) (?:do|does) (?!you\b|i\b|.*\bruns?\b)(.*)$/,
  /^(?:which|what) day (?:is|are) (?!it\b)(.*)$/,
];

export const readRecall: Rule = ({ text }) => {
  if (/^(?:please )?forget\b/.test(text)) return undefined;
  for (const pattern of RECALLS) {
    const query = pattern.exec(text)?.[1];
    if (query !== undefined) return { kind: "recall", query: toQuery(query) };
  }
  return undefined;
};

/** A question that no rule reads may still be one that a note answers. */
export function recallOf(question: string): Extract<Act, { kind: "recall" }> {
  return {
    kind: "recall",
    query: toQuery(question.replace(/^(?:and |so )?(?:what|who|when|where|which|whose|how)\b/, "")),
  };
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

const TIME = "(\\d{1,2}(?::\\d{2})?(?: ?(?:am|pm|o'clock))?|noon|midnight)";
const DAYS: Readonly<Record<string, string>> = {
  day: "*",
  morning: "*",
  evening: "*",
  night: "*",
  afternoon: "*",
  weekday: "1-5",
  weekend: "6,0",
  monday: "1",
  tuesday: "2",
  wednesday: "3",
  thursday: "4",
  friday: "5",
  saturday: "6",
  sunday: "0",
};
/** When nobody says at what time. */
const USUAL_TIMES: Readonly<Record<string, string>> = {
  morning: "08:00",
  evening: "20:00",
  night: "22:00",
  afternoon: "15:00",
};
const EVERY_DAY = new RegExp(`\\b(?:every|each) (${Object.keys(DAYS).join("|")})s?(?: at ${TIME})?\\b`);
const DAILY = new RegExp(
  `\\bdaily(?: at ${TIME})?\\b|\\b(?:at )?${TIME} (?:every|each) (?:day|morning|evening|night)\\b|\\bonce (?:a|per) day(?: at ${TIME})?\\b`,
);
const EVERY_SPAN = new RegExp(`\\b(?:every|each) (${DURATION}|hour|minute)\\b|\\b(hourly)\\b`);
const LATER = new RegExp(`\\bin (${DURATION})\\b`);
const AT = new RegExp(
  `\\b(?:(tomorrow|tonight|today)(?: (?:morning|evening))? )?at ${TIME}(?: (tomorrow|today|tonight))?\\b`,
);
const ASK_FIRST = /^(?:please |can you |could you )*(?:tell me|let me know|give me|send me|remind me|report)\b/;

export const readSchedule: Rule = (reading) => {
  const { text, slots } = reading;
  if (slots.cooldownSeconds !== undefined || /^(?:please )?(?:stop|cancel|remove|delete|end)\b/.test(text))
    return undefined;
  const watches = /\b(?:watch|monitor|guard|keep an eye|count)\b/.test(text) || (TELLS.test(text) && MOMENT.test(text));
  if (watches && !/\bremind me\b/.test(text)) return undefined;
  const found = findTiming(reading);
  if (found === undefined) return undefined;
  const task = toTask(reading.text, found.phrase);
  // A complaint or a remark is no instruction: "I get one every minute".
  const isRemark = /^(?:this|it|that|i|you|there|we|they|he|she|is|are|was|will|would|should)\b/.test(task);
  return task === "" || isRemark ? undefined : { kind: "schedule", task, timing: found.timing, spoken: found.spoken };
};

interface TimingFound {
  readonly timing: Timing;
  readonly phrase: string;
  readonly spoken: string;
}

function findTiming({ text, clock }: Reading): TimingFound | undefined {
  const daily = EVERY_DAY.exec(text) ?? DAILY.exec(text);
  if (daily !== null) return dailyTiming(text, daily);
  const span = EVERY_SPAN.exec(text);
  if (span !== null) {
    const minutes = Math.max(1, Math.round(toSeconds(span[1] ?? "hour") / 60));
    return { timing: { every_minutes: minutes }, phrase: span[0], spoken: `every ${minutes} minutes` };
  }
  // A question with a time in it asks about the past.
  if (isQuestion(text)) return undefined;
  const later = LATER.exec(text);
  if (later !== null) return atMoment(clock.nowMs + toSeconds(later[1] ?? "") * 1000, later[0]);
  const at = AT.exec(text);
  const time = toTimeOfDay(at?.[2] ?? "");
  if (
    at === null ||
    time === undefined ||
    !/^(?:remind|please remind|tomorrow|tonight|today|tell|at|give|send|look|stop|pause|resume|start)\b/.test(text)
  )
    return undefined;
  const isEvening = /\b(?:tonight|evening)\b/.test(at[0]) && time < "12:00";
  const moment = isEvening ? `${Number(time.slice(0, 2)) + 12}${time.slice(2)}` : time;
  return atMoment(momentOf({ time: moment, tomorrow: /tomorrow/.test(at[0]) }, clock), at[0]);
}

function dailyTiming(text: string, match: RegExpExecArray): TimingFound | undefined {
  const part = /\b(?:every|each) (\w+?)s?\b/.exec(match[0])?.[1] ?? "day";
  const said = match.slice(1).find((group) => group !== undefined && toTimeOfDay(group) !== undefined);
  const elsewhere = new RegExp(`\\bat ${TIME}\\b`).exec(text);
  const time = toTimeOfDay(withHalf(said ?? elsewhere?.[1] ?? "", part)) ?? USUAL_TIMES[part] ?? "08:00";
  const [hours = "8", minutes = "0"] = time.split(":");
  const days = DAYS[part] ?? "*";
  const phrase = said === undefined && elsewhere !== null ? `${match[0]}\u0000${elsewhere[0]}` : match[0];
  const spoken = `every ${part === "morning" || part === "evening" || part === "night" || part === "afternoon" ? "day" : part} at ${time}`;
  return { timing: { cron: `${Number(minutes)} ${Number(hours)} * * ${days}` }, phrase, spoken };
}

/** At seven in the evening it is 19:00. */
function withHalf(time: string, part: string): string {
  const hour = Number.parseInt(time, 10);
  const isLate = part === "evening" || part === "afternoon" || (part === "night" && hour > 5);
  return isLate && hour < 12 && !/am|pm/.test(time) ? `${time.replace(/ ?o'clock$/, "")} pm` : time;
}

function atMoment(ms: number, phrase: string): TimingFound {
  const at = new Date(ms).toISOString();
  return { timing: { at }, phrase, spoken: `at ${at}` };
}

/** "a little report of what happened", "the daily summary for the dock". */
const REPORT =
  /^(?:an? |the |my |our )?(?:(?:short|little|quick|brief|small|tiny|daily|nightly|weekly|hourly|morning|evening|written|full) )*(?:report|summary|overview|digest|rundown|update|briefing|recap|round-?up)\b(?: (?:of|on|about|for|over|covering|with|that says))?(?: (.*))?$/;

/** What is left is said again when the time has come, so it must be an instruction of its own. */
function toTask(text: string, phrase: string): string {
  const rest = phrase.split("\u0000").reduce((left, part) => left.replace(part, " "), text);
  return (
    rest
      .replace(/\s+/g, " ")
      .trim()
      .replace(ASK_FIRST, "")
      .trim()
      .replace(
        /^(?:please )?(?:i|we)(?: would)? (?:like|want|need|love|wish)(?: to (?:get|have|see|receive|read|hear|know))? /,
        "",
      )
      .replace(/^(?:please )?(?:give|send|write|make|get|show|tell|read) (?:me|us) /, "")
      .replace(/^(?:to|and|that|of|a) /, "")
      .replace(REPORT, (_report, of: string = "") => (/^(?:what|who|how)\b/.test(of) ? of : `summarize ${of}`.trim()))
      .replace(/^(?:the )?(?:summary|report|overview)$/, "summarize")
      // At eight in the morning nobody means the hours since midnight.
      .replace(/^(what (?:has )?happened)(?: today)?$/, "$1 in the last 24 hours")
      .replace(/^(summari[sz]e)(?: today)?$/, "$1 the last 24 hours")
  );
}
