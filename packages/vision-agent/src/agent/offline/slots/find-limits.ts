// words → how often, how urgently, how fast
import type { Severity } from "@vision-agent/protocol";
import type { Slots } from "../intent.ts";
import { without } from "../words/plain-words.ts";
import { DURATION, NUMBER, toNumber, toSeconds } from "./amounts.ts";

/** A day: the longest silence a watch keeps. */
export const LONGEST_COOLDOWN = 86_400;
/** What a person gets who says that it is too much, the first time. */
const CALMER_SECONDS = 300;
const CALMER_FACTOR = 4;

const SPAN = `(?<span>${DURATION}|seconds?|minutes?|hours?|days?)`;
const COOLDOWNS: readonly RegExp[] = [
  `(?:at most|no more than|not more(?: often)? than|maximum|max|only|just)? ?(?:once|one (?:alert|message|time|notification))(?: in| every| per| an?| each)+ ${SPAN}\\b`,
  `(?:not more often than|at most|no more than)(?: once)?(?: every| per) ${SPAN}\\b`,
  `(?:(?<=\\b(?:make|set|change) (?:it|that|this|them)(?: to)? )|(?<=^(?:only |just |please |ok )*))every ${SPAN}(?=$| (?:please|only|instead)$)`,
  `every ${SPAN}(?= (?:is|was|would be|should be|will do|would do|suffices|works)\\b)`,
  `(?:with )?(?:a )?cool ?-?down(?: of| to| is| was| were| had been)? ${SPAN}\\b`,
  `(?:with )?(?:a )?${SPAN} (?:cool ?-?down|(?:between(?! \\d)|apart)(?: alerts| messages| them)?)\\b`,
  `(?:wait|leave)(?: at least)? ${SPAN} between(?: the)?(?: alerts| messages| them| two)?\\b`,
  `(?:don't|do not|not) (?:tell|alert|bother|notify|remind|disturb|again)(?: me)?(?: again)?(?: for| within)? (?:the next )?${SPAN}\\b`,
  // "twice an hour": as often as that, evenly.
  `(?:(?:not|no) more than |not more often than |at most |max(?:imum)? |up to |only )?(?:twice|(?<times>${NUMBER}) (?:times|alerts|messages|notifications))(?: in| every| per| an?| each)+ ${SPAN}\\b`,
  "(?:only|just) (?:tell me |alert me |notify me )?(?:once|one time)\\b(?! (?:in|every|per|an?|each))",
].map((words) => new RegExp(`\\b${words}`));

export function findCooldown(text: string): Pick<Slots, "cooldownSeconds"> & { readonly rest: string } {
  const match = COOLDOWNS.map((pattern) => pattern.exec(text)).find((found) => found !== null);
  if (!match) return { rest: text };
  const { span = "24 hours", times = /\btwice\b/.test(match[0]) ? "2" : "1" } = match.groups ?? {};
  const cooldownSeconds = Math.min(LONGEST_COOLDOWN, Math.round(toSeconds(span) / toNumber(times)));
  return { cooldownSeconds, rest: without(text, match[0]) };
}

const STILL =
  "(?: (?:if|while|when|as long as|so long as|until) (?:[\\w']+ )*?(?:still (?:there|here|so|on|going)|is there|are there|gone|leaves?|lasts?|goes on|continues))";
const AGAIN = new RegExp(
  `\\b(?:and )?(?:(?:tell|remind|alert|warn|notify|ping|message)(?: me| us)? )?(?:again |and again )?(?:every|each|after)(?: another)? ${SPAN}(?: again)?${STILL}|\\b(?:and )?(?:(?:tell|remind|alert|warn|notify)(?: me| us)? )again (?:every|each|after)(?: another)? ${SPAN.replace("span", "other")}\\b`,
);

/** "Again every ten minutes while it is still there". */
export function findAgain(text: string): Pick<Slots, "againSeconds"> & { readonly rest: string } {
  const match = AGAIN.exec(text);
  if (match === null) return { rest: text };
  const { span, other = "" } = match.groups ?? {};
  return { againSeconds: toSeconds(span ?? other), rest: without(text, match[0]) };
}

/** Longer than before, for somebody who is told too often. */
export function calmer(seconds: number): number {
  return Math.min(LONGEST_COOLDOWN, Math.max(CALMER_SECONDS, seconds * CALMER_FACTOR));
}

const SEVERITIES: readonly (readonly [RegExp, Severity])[] = [
  [
    /\b(?:as |it's |it is |this is |mark it |with )?(?:an? )?(?:very |really )?(?:critical(?:ly)?|urgent(?:ly)?|emergency|highest priority|high(?:est)? severity|severe)(?: alert| alarm)?\b/,
    "critical",
  ],
  [
    /\b(?:as |it's |it is |this is |mark it |with )?(?:an? )?(?:important|warning(?! (?:if|when|whenever|as soon|once|every|in case|should|about|that))|high priority|medium (?:priority|severity)|serious)(?: alert)?\b/,
    "warning",
  ],
  [
    /\b(?:as |it's |it is |just |with )?(?:an? )?(?:low (?:priority|severity)|not (?:urgent|important)|for (?:my )?information|fyi|info(?:rmational)?(?: only)?)(?: alert)?\b/,
    "info",
  ],
];

export function findSeverity(text: string): Pick<Slots, "severity"> & { readonly rest: string } {
  const ordered = /\b(?:not (?:urgent|important)|low)\b/.test(text) ? SEVERITIES.toReversed() : SEVERITIES;
  const [pattern, severity] = ordered.find(([words]) => words.test(text)) ?? [];
  return { severity, rest: pattern === undefined ? text : without(text, pattern) };
}

/** "2 fps", "one frame every 5 seconds". */
const FPS = new RegExp(
  `\\b(?:(?:at |with |max(?:imum)? |limit(?:ed)? to )*(?<often>${NUMBER}) ?(?:fps|frames? (?:per|a|each) second|frames?/s|hz)|(?:one|a|1) (?:frame|picture|image) (?:every|each|per|an?) (?<span>(?:\\d+ )?(?:seconds?|minutes?)))\\b`,
);

/** A frame each so long is so many a second, rounded to what a person can read back. */
export function findFps(text: string): Pick<Slots, "fps"> & { readonly rest: string } {
  const { often, span = "" } = FPS.exec(text)?.groups ?? {};
  if (often === undefined && span === "") return { rest: text };
  const fps = often === undefined ? Math.round(1000 / toSeconds(span)) / 1000 : toNumber(often);
  return { fps, rest: without(text, FPS) };
}
