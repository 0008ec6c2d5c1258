// "an hour and a half", "half past nine", "a dozen" → figures, so that every finder reads the same

const UNITS: readonly string[] = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const TEENS: readonly string[] = [
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
];
const TENS: readonly string[] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/** Single words: `seven` → 7, `thirty` → 30. */
export const WHOLE_NUMBERS: Readonly<Record<string, number>> = Object.fromEntries([
  ...UNITS.map((word, value) => [word, value] as const).slice(1),
  ...TEENS.map((word, at) => [word, 10 + at] as const),
  ...TENS.map((word, at) => [word, 20 + 10 * at] as const),
]);

const WORD = Object.keys(WHOLE_NUMBERS)
  .toSorted((a, b) => b.length - a.length)
  .join("|");
const WHOLE = `(?:\\d+|${WORD})`;
const TIME_UNIT = "seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?";
/** Before a time of day, where a number alone is one. */
const AT = "(?<=\\b(?:at|after|before|until|till|til|from|between|and|to|by|past|since|around|about) )";

interface Rewriting {
  readonly pattern: RegExp;
  readonly to: (...groups: readonly string[]) => string;
}

const rewrite = (pattern: string, to: Rewriting["to"]): Rewriting => ({
  pattern: new RegExp(`\\b${pattern}\\b`, "g"),
  to,
});

/** In this order: what is longer first. */
const REWRITINGS: readonly Rewriting[] = [
  rewrite(`(${TENS.join("|")})[ -](${UNITS.slice(1).join("|")})`, (tens, units) => String(value(tens) + value(units))),
  rewrite(`(?:an?|one) (?:full|whole|entire|good|solid) (${TIME_UNIT})`, (unit) => `1 ${unit}`),
  rewrite(`(${WHOLE}) (?:full|whole|entire|good|solid) (${TIME_UNIT})`, (count, unit) => `${value(count)} ${unit}`),
  rewrite("half a dozen", () => "6"),
  rewrite(`(?:(${WHOLE})|an?) dozen(?: of)?`, (count) => String(12 * value(count))),
  rewrite(`(?:(${WHOLE})|an?) hundred(?: of)?`, (count) => String(100 * value(count))),
  rewrite(`(?:(${WHOLE})|an?) (${TIME_UNIT}) and a half`, (count, unit) => `${value(count) + 0.5} ${unit}`),
  rewrite(`(${WHOLE}) and a half (${TIME_UNIT})`, (count, unit) => `${value(count) + 0.5} ${unit}`),
  rewrite("(?:three quarters of an|3/4 of an) hour", () => "45 minutes"),
  rewrite("(?:a )?quarter (?:of an )?hour", () => "15 minutes"),
  rewrite("half (?:an |a )?hour", () => "30 minutes"),
  rewrite("half a minute", () => "30 seconds"),
  rewrite(`(?:a )?couple (?:of )?(?=\\w)`, () => "2 "),
  rewrite(
    `(${WHOLE}) (hours?|minutes?)(?: and)? (${WHOLE}) (minutes?|seconds?)`,
    (count, unit, more, lesser) => `${value(count) * secondsOf(unit) + value(more) * secondsOf(lesser)} seconds`,
  ),
  rewrite(`half past (${WHOLE})`, (hour) => `${value(hour)}:30`),
  rewrite(`(?:a )?quarter past (${WHOLE})`, (hour) => `${value(hour)}:15`),
  rewrite(`(?:a )?quarter (?:to|before) (${WHOLE})`, (hour) => `${value(hour) - 1}:45`),
  rewrite(`(${WORD})(?= ?(?:am|pm|o'clock)\\b)`, (hour) => String(value(hour))),
  rewrite(`${AT}(\\d{1,2}(?::\\d{2})?|${WORD})(?: o'clock)? in the morning`, (hour) => `${clock(hour)} am`),
  rewrite(
    `${AT}(\\d{1,2}(?::\\d{2})?|${WORD})(?: o'clock)? in the (?:afternoon|evening)`,
    (hour) => `${clock(hour)} pm`,
  ),
  rewrite(
    `${AT}(\\d{1,2}(?::\\d{2})?|${WORD})(?: o'clock)? (this|yesterday) morning`,
    (hour, day) => `${clock(hour)} am ${day === "this" ? "today" : day}`,
  ),
  rewrite(
    `${AT}(\\d{1,2}(?::\\d{2})?|${WORD})(?: o'clock)? (this|yesterday) (?:afternoon|evening)`,
    (hour, day) => `${clock(hour)} pm ${day === "this" ? "today" : day}`,
  ),
  rewrite(
    `${AT}(\\d{1,2}(?::\\d{2})?|${WORD})(?: o'clock)? at night`,
    (hour) => `${clock(hour)} ${Number.parseInt(clock(hour), 10) < 6 ? "am" : "pm"}`,
  ),
  rewrite(
    `(between|from) (${WORD}) (and|to|till|until) (${WORD})(?! (?:${TIME_UNIT}|people|persons|cars))`,
    (word, from, joint, to) => `${word} ${value(from)} ${joint} ${value(to)}`,
  ),
];

/** `text` is of `toPlainWords`. */
export function toFigures(text: string): string {
  return REWRITINGS.reduce(
    (words, { pattern, to }) =>
      words.replace(pattern, (_match, ...rest: readonly unknown[]) =>
        to(...rest.slice(0, -2).map((group) => (typeof group === "string" ? group : ""))),
      ),
    text,
  )
    .replace(/\s+/g, " ")
    .trim();
}

/** Nothing is one: "an hour". */
function value(words: string | undefined): number {
  if (words === undefined || words === "") return 1;
  return WHOLE_NUMBERS[words] ?? Number(words);
}

function clock(hour = ""): string {
  return String(WHOLE_NUMBERS[hour] ?? hour);
}

function secondsOf(unit = ""): number {
  if (unit.startsWith("h")) return 3600;
  return unit.startsWith("m") ? 60 : 1;
}
