// words → numbers and lengths of time
import { WHOLE_NUMBERS } from "./to-figures.ts";

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  ...WHOLE_NUMBERS,
  a: 1,
  an: 1,
  "a few": 3,
};

const WORDS = toPattern(Object.keys(NUMBER_WORDS));

/** The longest first, so that none is cut short. */
function toPattern(words: readonly string[]): string {
  return words.toSorted((a, b) => b.length - a.length).join("|");
}

/** Source of a pattern for one number, in figures or in words. Has no group of its own. */
export const NUMBER = `(?:\\d+(?:\\.\\d+)?|${WORDS})`;
const UNIT = "(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?)";
/** Source of a pattern for a length of time: `30 seconds`, `half an hour`, `10s`. */
export const DURATION = `(?:\\d+(?:\\.\\d+)?[ -]?|(?:${WORDS})[ -])${UNIT}`;

/** A figure that stands by itself: "a" is none. */
const FIGURE = `(?:\\d+(?:\\.\\d+)?|${toPattern(Object.keys(NUMBER_WORDS).filter((word) => !/^an?$/.test(word)))})`;
const VALUE = `(?:the |those |these )?(?:${DURATION}|${FIGURE})`;
const VERY = "(?:an? )?(?:(?:bit|little|much|way|far|still|just|really) )*";
const OLD_VALUE = new RegExp(
  [
    `\\b${VALUE}(?: (?:is|was|are|were|seems?)|'s) ${VERY}(?:too \\w+|tight|short|long|strict|low|high|little|not (?:long |much |many )?enough|over the top)(?: for me)?\\b`,
    `\\b${VALUE} (?:isn't|wasn't|aren't|weren't) (?:long |much |many )?enough\\b`,
    `\\b(?<=\\b(?:change|raise|lower|increase|decrease|reduce|switch|move|go)(?: it| that| the \\w+)? (?:from )?)(?:${DURATION}|${FIGURE}) (?=(?:up |down )?to (?:${DURATION}|${FIGURE}))`,
    `\\b(?:instead of|rather than|not)(?: the| after| for)? (?:${DURATION}|${FIGURE})\\b`,
  ].join("|"),
  "g",
);

/** The words without the value that is to be given up: "a minute is too short, make it five" sets five. */
export function withoutOldValue(text: string): string {
  return text.replace(OLD_VALUE, " ").replace(/\s+/g, " ").trim();
}

/** Seconds of the unit in which so many seconds are said: 60 for 300. */
export function unitOf(seconds: number): number {
  return [3600, 60].find((unit) => seconds >= unit && seconds % unit === 0) ?? 1;
}

/** Throws nothing: words that are no number give NaN. */
export function toNumber(words: string): number {
  return NUMBER_WORDS[words] ?? Number(words);
}

/** Seconds of a text that `DURATION` matched. A bare unit means one of it. */
export function toSeconds(words: string): number {
  const match = new RegExp(`^(${NUMBER})?[ -]?(${UNIT})$`).exec(words);
  return toNumber(match?.[1] ?? "1") * secondsOf(match?.[2] ?? "s");
}

/** `90` → `90 seconds`, `120` → `2 minutes`. */
export function inWords(seconds: number): string {
  const units = [
    [3600, "hour"],
    [60, "minute"],
  ] as const;
  const [size, name] = units.find(([length]) => seconds >= length && seconds % length === 0) ?? [1, "second"];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function secondsOf(unit: string): number {
  if (unit.startsWith("s")) return 1;
  if (unit.startsWith("m")) return 60;
  if (unit.startsWith("h")) return 3600;
  return unit.startsWith("w") ? 604_800 : 86_400;
}
