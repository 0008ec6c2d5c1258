// words → how often, how urgently, how fast
import type { Severity } from "@vision-agent/protocol";
import { without } from "../words/plain-words.ts";
import { DURATION, NUMBER, toNumber, toSeconds } from "./amounts.ts";

/** A day: the longest silence a watch keeps. */
export const LONGEST_COOLDOWN = 86_400;
/** What a person gets who says that it is too much, the first time. */
const CALMER_SECONDS = 300;
const CALMER_FACTOR = 4;

const SPAN = `(${DURATION}|seconds?|minutes?|hours?|days?)`;
const COOLDOWNS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:at most|no more than|not more(?: often)? than|maximum|max|only|just)? ?(?:once|one (?:alert|message|time|notification))(?: in| every| per| an?| each)+ ${SPAN}\\b`,
  ),
  new RegExp(`\\b(?:not more often than|at most|no more than)(?: once)?(?: every| per) ${SPAN}\\b`),
  new RegExp(`\\bevery ${SPAN}(?= (?:is|was|would be|should be|will do|would do|suffices|works)\\b)`),
  new RegExp(`\\b(?:with )?(?:a )?cool ?-?down(?: of| to| is)? ${SPAN}\\b`),
  new RegExp(`\\b(?:with )?(?:a )?${SPAN} (?:cool ?-?down|(?:between(?! \\d)|apart)(?: alerts| messages| them)?)\\b`),
  new RegExp(`\\b(?:wait|leave)(?: at least)? ${SPAN} between(?: the)?(?: alerts| messages| them| two)?\\b`),
  new RegExp(
    `\\b(?:don't|do not|not) (?:tell|alert|bother|notify|remind|disturb|again)(?: me)?(?: again)?(?: for| within)? (?:the next )?${SPAN}\\b`,
  ),
];
/** "twice an hour": as often as that, evenly. */
const OFTEN = new RegExp(
  `\\b(?:(?:not|no) more than |not more often than |at most |max(?:imum)? |up to |only )?(?:(twice)|(${NUMBER}) (?:times|alerts|messages|notifications))(?: in| every| per| an?| each)+ ${SPAN}\\b`,
);
const ONCE = /\b(?:only|just) (?:tell me |alert me |notify me )?(?:once|one time)\b(?! (?:in|every|per|an?|each))/;

export interface CooldownFound {
  readonly seconds?: number;
  readonly rest: string;
}

export function findCooldown(text: string): CooldownFound {
  for (const pattern of COOLDOWNS) {
    const span = pattern.exec(text)?.[1];
    if (span === undefined) continue;
    return { seconds: Math.min(LONGEST_COOLDOWN, toSeconds(span)), rest: without(text, pattern) };
  }
  const often = OFTEN.exec(text);
  if (often !== null) {
    const times = often[1] === "twice" ? 2 : toNumber(often[2] ?? "1");
    return {
      seconds: Math.min(LONGEST_COOLDOWN, Math.round(toSeconds(often[3] ?? "hour") / times)),
      rest: without(text, OFTEN),
    };
  }
  if (ONCE.test(text)) return { seconds: LONGEST_COOLDOWN, rest: without(text, ONCE) };
  return { rest: text };
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

export function findSeverity(text: string): { readonly severity?: Severity; readonly rest: string } {
  const ordered = /\b(?:not (?:urgent|important)|low)\b/.test(text) ? SEVERITIES.toReversed() : SEVERITIES;
  const found = ordered.find(([pattern]) => pattern.test(text));
  return found === undefined ? { rest: text } : { severity: found[1], rest: without(text, found[0]) };
}

const FPS = new RegExp(
  `\\b(?:at |with |max(?:imum)? |limit(?:ed)? to )*(${NUMBER}) ?(?:fps|frames? (?:per|a|each) second|frames?/s|hz)\\b`,
);

/** "one frame every 5 seconds". */
const SPACED = /\b(?:one|a|1) (?:frame|picture|image) (?:every|each|per|an?) ((?:\d+ )?(?:seconds?|minutes?))\b/;

export function findFps(text: string): { readonly fps?: number; readonly rest: string } {
  const words = FPS.exec(text)?.[1];
  if (words !== undefined) return { fps: toNumber(words), rest: without(text, FPS) };
  const span = SPACED.exec(text)?.[1];
  return span === undefined ? { rest: text } : { fps: framesIn(span), rest: without(text, SPACED) };
}

/** A frame each so long is so many a second, rounded to what a person can read back. */
function framesIn(span: string): number {
  return Math.round(1000 / toSeconds(span)) / 1000;
}
