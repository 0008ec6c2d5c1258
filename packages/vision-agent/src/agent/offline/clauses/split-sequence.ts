// "when a person comes and then a car within 10 seconds" → the steps of it, and how soon each follows
import { TELLS } from "../acts/reading.ts";
import { DURATION, toFigures, toSeconds } from "../slots/amounts.ts";
import { findCondition } from "../slots/find-condition.ts";
import { findClasses } from "../words/class-words.ts";
import { toPlainWords, without } from "../words/plain-words.ts";
import { beginsWithVerb } from "./split-clauses.ts";

export interface SequenceWords {
  readonly steps: readonly [string, ...string[]];
  /** Absent where nobody says it, or says two. */
  readonly withinSeconds?: number;
}

const THEN =
  /,?\s+(?:and then|then|followed by|and (?:afterwards|after that|shortly after(?:wards)?|soon after(?:wards)?)),?\s+/i;
const WAITS = /\b(?:when(?:ever)?|if|as soon as|once|every time|each time)\b/;
const TOLD_LAST = /,?\s*(?:please )?(?:tell|alert|notify|warn|inform|ping|let) (?:me|us)(?: know)?[\s.!]*$/i;
const WITHIN = new RegExp(
  `\\b(?:within|in (?:less than|under)|less than|no more than|at most)(?: the next)? (${DURATION})(?: (?:later|of that|of it|after(?: that| it)?))?\\b|\\b(${DURATION}) (?:later|after(?:wards)?)\\b`,
);
const MOST_STEPS = 4;

/** Undefined where the words do not wait for one thing after another. */
export function splitSequence(text: string): SequenceWords | undefined {
  const isTold = TELLS.test(toPlainWords(text));
  const pieces = text.replace(TOLD_LAST, "").split(THEN);
  const plain = pieces.map((piece) => toFigures(toPlainWords(piece)));
  const [first = "", ...others] = plain;
  if (!isTold || !WAITS.test(first) || others.length === 0 || pieces.length > MOST_STEPS) return undefined;
  if (!others.every((step) => isStep(step))) return undefined;
  const within = plain.flatMap((piece) => WITHIN.exec(piece)?.slice(1) ?? []).filter((span) => span !== undefined);
  const lengths = new Set(within.map(toSeconds));
  const [withinSeconds, another] = lengths;
  const [begin = "", ...rest] = plain.map((step) => without(step, WITHIN));
  return {
    steps: [TELLS.test(begin) ? begin : `tell me ${begin}`, ...rest.map((step) => `when ${step}`)],
    ...(another === undefined && { withinSeconds }),
  };
}

/** It happens; it is nothing to be done. */
function isStep(words: string): boolean {
  const happens =
    /^(?:an?|the|another|some|my|our) /.test(words) ||
    findClasses(words.split(" ")).length > 0 ||
    findCondition(words).when !== undefined;
  return happens && !beginsWithVerb(words) && !TELLS.test(words);
}
