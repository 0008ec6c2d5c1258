// what is there, how many, what happened, why
import type { Act } from "../intent.ts";
import { isQuestion, MOMENT, type Reading, type Rule, TELLS } from "./reading.ts";

export const readWhy: Rule = ({ text }) =>
  /^(?:and |but |so )?why\b|\b(?:how come|what (?:is|was) the reason)\b/.test(text) &&
  /\b(?:told|tell|alert\w*|notif\w*|warn\w*|inform\w*|message|hear|nothing|not|n't|alarm|fire\w*)\b/.test(text)
    ? { kind: "why" }
    : undefined;

export const readSummary: Rule = ({ text }) =>
  /\b(?:summar(?:y|ies|i[sz]e)|sum up|recap|report (?:on|of|what)|overview|digest|wrap up|brief me)\b/.test(text)
    ? { kind: "summary" }
    : undefined;

const PAST =
  /\b(?:happened|happen (?:today|yesterday)|history|earlier|came|come (?:by|today|yesterday|last)|visited|went|was there|were there|has there been|have there been|did (?:you|any(?:thing|one|body)?|some(?:thing|one)?|the|a|an|it|he|she|they|somebody|nobody)|have you (?:seen|noticed)|has any\w*|did i miss|miss(?:ed)? (?:anything|something)|what's new|events?|been (?:there|here|any)|seen (?:today|yesterday|last|in)|arrived|left (?:today|yesterday|last)|when (?:was|did)|last time|most recent|passed by)\b/;
/** With a time named, these speak of the past too; without one, of what is counted now. */
const DONE = /\b(?:crossed|passed|drove|walked|rode|entered|exited|stayed|parked|waited|delivered|stopped|moved)\b/;
const COUNTS = /\b(?:how many|number of|how often|how much|count of|total of)\b/;

const EVENT_KINDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:cross\w*|pass(?:ed|es) (?:the|a) line)\b/, "line_crossed"],
  [/\b(?:camera|cam)\b.*\b(?:down|offline|lost|failed)\b/, "camera_down"],
  [/\b(?:left|leave|depart\w*|gone|went (?:away|out)|exit\w*)\b/, "left"],
  [
    /\b(?:came|come|arriv\w*|appear\w*|visit\w*|enter\w*|show(?:ed)? up|turned up|were there|was there|seen|see|saw)\b/,
    "appeared",
  ],
];

/** What is to be done from now on, whatever hours it names. */
const BEGINS =
  /^(?:please |also |and |then |could you |can you )*(?:watch|monitor|guard|observe|keep an eye|count|detect|track)\b/;

export const readPast: Rule = (reading) => {
  const { text, bare, slots } = reading;
  if (TELLS.test(text) && MOMENT.test(text) && !isQuestion(text.replace(TELLS, "").trim())) return undefined;
  if (
    !isQuestion(text) &&
    /\b(?:set up|create|make|add|start|want|need|like)\b.*\b(?:alerts?|watch|alarms?|notifications?)\b/.test(text)
  )
    return undefined;
  if (BEGINS.test(text)) return undefined;
  const hasPast = PAST.test(bare) || PAST.test(text) || (slots.period !== undefined && DONE.test(bare));
  if (!hasPast && slots.period === undefined) return undefined;
  if (slots.period === undefined && isAboutNow(reading)) return undefined;
  if (
    !hasPast &&
    !isQuestion(text) &&
    !/\b(?:show|tell|give|list|search|find|look up|events?|alerts?|anything|activity)\b/.test(text)
  )
    return undefined;
  return toPast(reading);
};

function isAboutNow({ text }: Reading): boolean {
  return (
    /\b(?:right now|at the moment|currently|is there|are there|do you see)\b/.test(text) ||
    /\bhow many\b.*\bcrossed\b(?!.*\b(?:today|yesterday)\b)/.test(text)
  );
}

function toPast({ text, bare, slots }: Reading): Act {
  const eventKind = EVENT_KINDS.find(([pattern]) =>
    pattern.test(bare.replace(/\bon the left\b|\bleft (?:half|side|third)\b/g, " ")),
  )?.[1];
  const asked = askedOf(text);
  const kind = eventKind ?? (asked !== "list" && slots.classes.length > 0 ? "appeared" : undefined);
  if (slots.way === "in" || slots.way === "out")
    return { kind: "past", asked, eventKind: "line_crossed", direction: slots.way };
  return { kind: "past", asked, ...(kind !== undefined && { eventKind: kind }) };
}

function askedOf(text: string): "list" | "count" | "last" {
  if (COUNTS.test(text)) return "count";
  return /\bwhen (?:was|did)\b|\blast time\b|\bmost recent\b|\blast (?:person|car|visitor|one|vehicle|truck|dog|cat)\b/.test(
    text,
  )
    ? "last"
    : "list";
}

const TOTALS =
  /\b(?:how many|number of|the (?:count|total|numbers|figures)|count so far|results?|what (?:did|have) you count(?:ed)?|(?:who|what) (?:has |have )?(?:crossed|passed))\b/;
const CROSSING =
  /\b(?:cross\w*|pass\w*|went|gone|walked|drove|count|counted|so far|total|in and out|in or out|results?|figures)\b/;

export const readTotals: Rule = ({ text, slots, known }) => {
  if (
    !TOTALS.test(text) ||
    /\bcameras\b/.test(text) ||
    /\bblocks?\b|^(?:please |can you |could you )*(?:count|keep)\b/.test(text)
  )
    return undefined;
  if (TELLS.test(text) && MOMENT.test(text)) return undefined;
  const counting = known.pipelines.filter(
    ({ counts, camera }) => counts && (slots.cameras.length === 0 || slots.cameras.includes(camera)),
  );
  const isBare =
    slots.cameras.length === 0 &&
    slots.unknownCamera === undefined &&
    !/\b(?:now|there|see|picture|image|photo)\b/.test(text);
  if (CROSSING.test(text) || (isBare && counting.length > 0)) return { kind: "totals" };
  return undefined;
};

export const readImage: Rule = ({ text, slots, hasImage }) => {
  const named =
    /\b(?:this|that|the|attached|my) (?:attached )?(?:image|picture|photo|snapshot|attachment|screenshot)\b/.test(text);
  const isFile = slots.cameras.some((camera) => /\.(?:jpe?g|png|bmp|webp)$/i.test(camera));
  if (hasImage || isFile) return { kind: "image" };
  return named && /\b(?:this|attached)\b/.test(text) && !/\b(?:take|of the)\b/.test(text)
    ? { kind: "image" }
    : undefined;
};

export const readLook: Rule = ({ text }) => {
  const asked =
    /\b(?:see|show|look|describe|snapshot|picture|photo|image|capture|view|find|display|check)\b/.test(text) ||
    /\bhow many\b/.test(text) ||
    /\b(?:is|are) (?:there|any|anyone|anybody|someone|somebody|nobody)\b|\b(?:is|are) (?:that|the|it|they|my|people|cars)\b|\bare you sure\b/.test(
      text,
    ) ||
    /\bwhat(?:'s| is| are)?(?: is)? (?:there|happening|going on|on|in|at|up|visible)\b|\bwhat happens\b|\bwho(?:'s| is)\b/.test(
      text,
    ) ||
    /^(?:is )?(?:anything|something) (?:new|happening|going on)\b/.test(text) ||
    /^(?:any|anyone|anybody)\b/.test(text);
  return asked ? { kind: "look", howMany: COUNTS.test(text) } : undefined;
};
