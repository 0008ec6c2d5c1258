// words → numbers and lengths of time
const UNITS =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const WHOLE_NUMBERS: Readonly<Record<string, number>> = Object.fromEntries([
  ...UNITS.map((word, at) => [word, at + 1]),
  ...TENS.map((word, at) => [word, 20 + 10 * at]),
]);
const NUMBER_WORDS: Readonly<Record<string, number>> = { ...WHOLE_NUMBERS, a: 1, an: 1, "a few": 3 };

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
  const size = unitOf(seconds);
  const name = { 3600: "hour", 60: "minute" }[size] ?? "second";
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function secondsOf(unit = ""): number {
  if (unit.startsWith("s")) return 1;
  if (unit.startsWith("m")) return 60;
  if (unit.startsWith("h")) return 3600;
  return unit.startsWith("w") ? 604_800 : 86_400;
}

const NAMED = toPattern(Object.keys(WHOLE_NUMBERS));
const WHOLE = `(?:\\d+|${NAMED})`;
const TIME_UNIT = "seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?";
/** Before a time of day, where a number alone is one. */
const AT = "(?<=\\b(?:at|after|before|until|till|til|from|between|and|to|by|past|since|around|about) )";

const DAYS = "week ?days|week ?ends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?";

/** Words → what stands for them. */
type Rewriting = readonly [pattern: string, to: (...groups: readonly string[]) => string];

/** A time of day, in figures or as a word. */
const HOUR = `${AT}(\\d{1,2}(?::\\d{2})?|${NAMED})(?: o'clock)?`;

/** In this order: what is longer first. */
const REWRITINGS: readonly Rewriting[] = [
  [`(${TENS.join("|")})[ -](${UNITS.slice(0, 9).join("|")})`, (tens, units) => String(value(tens) + value(units))],
  [`(?:an?|one) (?:full|whole|entire|good|solid) (${TIME_UNIT})`, (unit) => `1 ${unit}`],
  [`(${WHOLE}) (?:full|whole|entire|good|solid) (${TIME_UNIT})`, (count, unit) => `${value(count)} ${unit}`],
  ["half a dozen", () => "6"],
  [`(?:(${WHOLE})|an?) dozen(?: of)?`, (count) => String(12 * value(count))],
  [`(?:(${WHOLE})|an?) hundred(?: of)?`, (count) => String(100 * value(count))],
  [`(?:(${WHOLE})|an?) (${TIME_UNIT}) and a half`, (count, unit) => `${value(count) + 0.5} ${unit}`],
  [`(${WHOLE}) and a half (${TIME_UNIT})`, (count, unit) => `${value(count) + 0.5} ${unit}`],
  ["(?:three quarters of an|3/4 of an) hour", () => "45 minutes"],
  ["(?:a )?quarter (?:of an )?hour", () => "15 minutes"],
  ["half (?:an |a )?hour", () => "30 minutes"],
  ["half a minute", () => "30 seconds"],
  [`(?:a )?couple (?:of )?(?=\\w)`, () => "2 "],
  [
    `(${WHOLE}) (hours?|minutes?)(?: and)? (${WHOLE}) (minutes?|seconds?)`,
    (count, unit, more, lesser) => `${value(count) * secondsOf(unit) + value(more) * secondsOf(lesser)} seconds`,
  ],
  [`half past (${WHOLE})`, (hour) => `${value(hour)}:30`],
  [`(?:a )?quarter past (${WHOLE})`, (hour) => `${value(hour)}:15`],
  [`(?:a )?quarter (?:to|before) (${WHOLE})`, (hour) => `${value(hour) - 1}:45`],
  [`(${NAMED})(?= ?(?:am|pm|o'clock)\\b)`, (hour) => String(value(hour))],
  [`${HOUR} in the morning`, (hour) => `${figureOf(hour)} am`],
  [`${HOUR} in the (?:afternoon|evening)`, (hour) => `${figureOf(hour)} pm`],
  [`${HOUR} (this|yesterday) morning`, (hour, day) => `${figureOf(hour)} am ${day === "this" ? "today" : day}`],
  [
    `${HOUR} (this|yesterday) (?:afternoon|evening)`,
    (hour, day) => `${figureOf(hour)} pm ${day === "this" ? "today" : day}`,
  ],
  [`${HOUR} at night`, (hour) => `${figureOf(hour)} ${Number.parseInt(figureOf(hour), 10) < 6 ? "am" : "pm"}`],
  [
    `(between|from) (${NAMED}) (and|to|till|until) (${NAMED})(?! (?:${TIME_UNIT}|people|persons|cars))`,
    (word, from, joint, to) => `${word} ${value(from)} ${joint} ${value(to)}`,
  ],
  // "Weekdays 9 to 5", "9-5 on weekdays": hours beside days.
  [`(${DAYS}|only|just) (${WHOLE}) ?(?:to|till|until|-) ?(${WHOLE})`, (day, from, to) => `${day} ${hoursIn(from, to)}`],
  [
    `(?<!(?:between|from) )(${WHOLE}) ?(?:to|till|until|-) ?(${WHOLE}) ((?:on |at )?(?:${DAYS}))`,
    (from, to, day) => `${hoursIn(from, to)} ${day}`,
  ],
];

const PATTERNS = REWRITINGS.map(([pattern, to]) => [new RegExp(`\\b${pattern}\\b`, "g"), to] as const);

/** "an hour and a half", "half past nine", "a dozen" → figures, so that every finder reads the same. `text` is of `toPlainWords`. */
export function toFigures(text: string): string {
  let words = text;
  for (const [pattern, to] of PATTERNS)
    words = words.replace(pattern, (_match, ...rest: readonly unknown[]) =>
      to(...rest.slice(0, -2).map((group) => (typeof group === "string" ? group : ""))),
    );
  return words.replace(/\s+/g, " ").trim();
}

function hoursIn(from = "", to = ""): string {
  return `from ${figureOf(from)} to ${figureOf(to)}`;
}

/** Nothing is one: "an hour". */
function value(words = ""): number {
  return words === "" ? 1 : toNumber(words);
}

/** A word as a figure; "9:30" stays. */
function figureOf(hour = ""): string {
  return String(WHOLE_NUMBERS[hour] ?? hour);
}
