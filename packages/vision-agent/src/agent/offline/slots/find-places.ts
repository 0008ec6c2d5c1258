// words → parts of the picture and lines through it, as fractions
import { without } from "../words/plain-words.ts";

/** A place in the picture: fractions of its width and height from the top left corner. */
export type Place = readonly [x: number, y: number];

export interface Zone {
  /** As a person says it: "the left half". */
  readonly name: string;
  readonly points: readonly Place[];
  /** Only a side was named, and nobody said how much of the picture. */
  readonly isSide?: true;
  /** What its cameras call it. */
  readonly place?: string;
}

/** A line that a camera has a name for. */
export interface NamedLine {
  readonly name: string;
  readonly points: readonly [Place, Place];
  /** What its cameras call it; absent for one that was drawn by hand. */
  readonly place?: string;
}

/** Where a line lies: through the middle, or a quarter in from an edge. */
export type LinePlacement = "vertical" | "horizontal" | "top" | "bottom" | "left" | "right";
/** Which way something crosses: by the sides of the picture, or in and out as the counter names them. */
export type Way = "left" | "right" | "up" | "down" | "in" | "out";

const OF_PICTURE = "(?: of (?:the |its )?(?:picture|frame|image|view|screen|scene|camera|video)?)?";
const UPRIGHT = "top|upper|bottom|lower";
const LEVEL = "left|right";
const MIDDLE = "middle|cent(?:er|re)|central";
const EXTENT = "half|third|quarter|corner|side|part|edge|area|zone|section|region|strip|quadrant";

const ZONE_PATTERNS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:the )?(?:(${UPRIGHT})[ -]?)?(?:(${LEVEL}|${MIDDLE})(?: ?-?hand)?[ -]?)?(${EXTENT})\\b${OF_PICTURE}`,
  ),
  new RegExp(`\\b(?:the )?(${UPRIGHT})[ -](${LEVEL}|${MIDDLE})()\\b${OF_PICTURE}`),
  new RegExp(`\\b(?:the )?()(${UPRIGHT}|${LEVEL}|${MIDDLE})()\\b${OF_PICTURE}`),
];

interface ZoneFound {
  readonly zone?: Zone;
  /** A place that is called so and lies nobody knows where: "top step". */
  readonly unknown?: string;
  readonly rest: string;
}

/** The first part of the picture that the words name. A bare "zone" or "area" names none. */
export function findZone(text: string): ZoneFound {
  let unknown: string | undefined;
  for (const pattern of ZONE_PATTERNS) {
    for (const match of text.matchAll(new RegExp(pattern, "g"))) {
      const [phrase, upright = "", level = "", extent = ""] = match;
      if (upright === "" && level === "") continue;
      // "The top step", "the right person": said of a thing, not of the picture.
      const next = text.slice(match.index + phrase.trimEnd().length);
      const after = extent === "" ? OF_A_THING.exec(next)?.[0] : undefined;
      if (after !== undefined) {
        unknown ??= `${phrase.trimEnd().replace(/^the /, "")}${after}`;
        continue;
      }
      return { zone: toZone(upright, level, extent), rest: without(text, phrase) };
    }
  }
  return { rest: text, unknown };
}

const OF_A_THING =
  /^ of (?:the|an?|my|our|this|that) (?!(?:picture|frame|image|view|screen|scene|cam(?:era)?|video|when|if|and|or|at|in|on|for|between|with|only|from|to)\b)[a-z]+|^ (?!(?:of|on|in|at|by|for|from|to|and|or|but|when|while|between|with|only|longer|more|please|after|before|during|until|till|than|is|are|there|then|too|also|if|it|side|instead|again|no|not|that|the|an?|my|our|who|which|as|every|each|once|twice|over|under|within|now|today|tonight|at least)\b|@)[a-z]+/;

type Span = readonly [from: number, to: number];
const WHOLE: Span = [0, 1];

/** How much of the picture's side a word takes. */
function shareOf(extent: string): number {
  if (extent === "third" || extent === "corner") return 1 / 3;
  if (extent === "quarter" || extent === "edge" || extent === "strip") return 1 / 4;
  return 1 / 2;
}

function toZone(uprightWord: string, levelWord: string, extent: string): Zone {
  const [level, bare] = new RegExp(`^(?:${UPRIGHT})$`).test(levelWord) ? ["", levelWord] : [levelWord, uprightWord];
  const both = level !== "" && bare !== "";
  const share = both && extent !== "corner" ? 1 / 2 : shareOf(extent);
  const isMiddle = new RegExp(`^(?:${MIDDLE})$`).test(level);
  const wholeMiddle = isMiddle && bare === "" && extent !== "third" && extent !== "strip";
  const across: Span = wholeMiddle ? [0.25, 0.75] : spanOf(level, isMiddle && extent === "third" ? 1 / 3 : share);
  const down: Span = wholeMiddle ? [0.25, 0.75] : spanOf(bare, share);
  const words = [bare, level, extent || (both ? "quarter" : "half")].filter((word) => word !== "");
  const name = wholeMiddle ? "the middle" : `the ${words.join(" ")}`;
  return { name, points: rectangle(across, down), ...(extent === "" && !both && { isSide: true as const }) };
}

function spanOf(side: string, share: number): Span {
  if (/^(left|top|upper)$/.test(side)) return [0, share];
  if (/^(right|bottom|lower)$/.test(side)) return [1 - share, 1];
  return side === "" ? WHOLE : [0.5 - share / 2, 0.5 + share / 2];
}

/** Its corners, from the top left one clockwise. */
function rectangle([left, right]: Span, [top, bottom]: Span): readonly Place[] {
  const round = (value: number): number => Math.round(value * 1000) / 1000;
  return [left, right, right, left].map((x, at) => [round(x), round(at < 2 ? top : bottom)]);
}

const GOES =
  "(?:go(?:es|ing|ne)?|went|mov(?:es?|ed|ing)|walk(?:s|ed|ing)?|driv(?:es?|en|ing)|drove|run(?:s|ning)?|ran|rid(?:es?|ing)|rode|com(?:es?|ing)|came|roll(?:s|ed|ing)?|travel(?:s|led|ling)?|head(?:ed|ing)|cross(?:es|ed|ing)?(?: it)?|passed|direction(?: of)?)";
const WAYS: readonly (readonly [RegExp, Way])[] = [
  [
    /\b(?:from )?(?:the )?left(?: side| edge| half)? to (?:the )?right(?: side| edge| half)?\b|\brightwards?\b|\b(?:to|towards) the right\b(?! (?:half|third|side))/,
    "right",
  ],
  [
    /\b(?:from )?(?:the )?right(?: side| edge| half)? to (?:the )?left(?: side| edge| half)?\b|\bleftwards?\b|\b(?:to|towards) the left\b(?! (?:half|third|side))/,
    "left",
  ],
  [/\b(?:from )?(?:the )?top to (?:the )?bottom\b|\bdownwards?\b/, "down"],
  [/\b(?:from )?(?:the )?bottom to (?:the )?top\b|\bupwards?\b/, "up"],
  ...(["right", "left", "down", "up"] as const).map((way) => [new RegExp(`\\b${GOES} ${way}\\b`), way] as const),
  [new RegExp(`\\binwards?\\b|\\binbound\\b|\\b${GOES} in(?! (?:the|a|my|front))\\b|\\bon the way in\\b`), "in"],
  [new RegExp(`\\boutwards?\\b|\\boutbound\\b|\\b${GOES} out\\b|\\bon the way out\\b`), "out"],
];

/** Which way, when one way is meant and not both. */
export function findWay(text: string): { readonly way?: Way; readonly rest: string } {
  if (/\b(?:either|both|any) (?:way|direction)s?\b|\bin (?:and|or) out\b/.test(text)) return { rest: text };
  if (/\bline (?:[\w-]+ ){0,3}(?:to|towards) the (?:left|right|top|bottom)\b/.test(text)) return { rest: text };
  const found = WAYS.find(([pattern]) => pattern.test(text));
  if (found === undefined) return { rest: text };
  const [pattern, way] = found;
  const isNot = NOT_THAT_WAY.test(text.slice(0, pattern.exec(text)?.index));
  return { way: isNot ? OPPOSITE[way] : way, rest: without(text, pattern) };
}

/** "Ignore those going right": the other way is meant. */
const NOT_THAT_WAY =
  /\b(?:ignor(?:e|ing)|not|don't|do not|doesn't|never|except|skip|leave out|no interest in)(?: (?:mean|interested in|care about|need|want|count|the|those|these|ones?|that|who|which|are|is|any|people|cars|about|for))*\s*$/;
const OPPOSITE = { left: "right", right: "left", up: "down", down: "up", in: "out", out: "in" } as const;

/** Where the words put a line; undefined when they name no place. */
export function findLine(text: string): LinePlacement | undefined {
  const edge = /\b(top|upper|bottom|lower|left|right|horizontal)(?:ly)?\b/.exec(text)?.[1];
  if (edge !== undefined) return ({ upper: "top", lower: "bottom" }[edge] ?? edge) as LinePlacement;
  return new RegExp(`\\bvertical(?:ly)?\\b|\\b(?:${MIDDLE}|halfway)\\b`).test(text) ? "vertical" : undefined;
}

/** The line that a way crosses when no place is named. */
export function lineAcross(way: Way | undefined): LinePlacement {
  return way === "up" || way === "down" ? "horizontal" : "vertical";
}

/** How far from the left, or from the top, a line lies. */
const LEVEL_LINES: Partial<Record<LinePlacement, number>> = { top: 0.25, horizontal: 0.5, bottom: 0.75 };
const UPRIGHT_LINES: Partial<Record<LinePlacement, number>> = { left: 0.25, vertical: 0.5, right: 0.75 };

/** From the top downwards or from the left to the right, in fractions. */
export function toLine(placement: LinePlacement): readonly [Place, Place] {
  const level = LEVEL_LINES[placement];
  const upright = UPRIGHT_LINES[placement] ?? 0.5;
  const point = (along: number): Place => (level === undefined ? [upright, along] : [along, level]);
  return [point(0), point(1)];
}

/** Seen along a line of `toLine`, `in` is to its left: to the right of a picture's upright line, upwards over a level one. */
export function toDirection(way: Way | undefined): "in" | "out" | "any" {
  if (way === undefined) return "any";
  return way === "in" || way === "right" || way === "up" ? "in" : "out";
}

const NO_ZONE =
  /^(?:the|a|an|my|it|there|here|this|that|picture|frame|image|view|scene|camera|cam|sight|video|on|in|at|from|to|and|or|when|between|with|only|more|for|line|then|again|please|through|either|both|any|while|after|before|during|tell|alert|urgent|critical|too|so|longer|very|over|it|front)$/;

/** A place that somebody enters and that lies nobody knows where: "the loading zone". */
export function findUnknownZone(text: string): string | undefined {
  const pattern =
    /\b(?:enter(?:s|ed|ing)?|(?:go|goes|get|gets|com(?:es|ing)|come|walks?|steps?|drives?|moves?|runs?|climbs?) (?:into|inside|onto)|(?:is|are|stays?|stands?|waits?|loiters?|lingers?|remains?)(?: in| inside| within)|near|close to|next to|beside)\s+(?:the |my |our |this |that |a )*([\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+)??(?: (?:zone|area|region|bay|lane|spot|room))?)(?=\s|$)/u;
  const named = pattern.exec(text)?.[1] ?? /\b([\p{L}\p{N}-]+ (?:zone|area|region))\b/u.exec(text)?.[1];
  const first = named?.split(" ")[0] ?? "";
  return named === undefined || NO_ZONE.test(first) || /^\d/.test(first) ? undefined : named;
}

const PLACED_LINE =
  /^(?:the|an?|my|our|that|this|one|imaginary|virtual|straight|invisible|middle|cent(?:er|re)|central|vertical|horizontal|top|upper|bottom|lower|left|right|counting|first|second|same|over|across|through|by|in|out)$/;

/** "the fence line", when no camera has a line of that name. */
export function findUnknownLine(text: string): string | undefined {
  const word = /\b([\p{L}-]+) lines?\b/u.exec(text)?.[1];
  return word === undefined || PLACED_LINE.test(word) || NO_ZONE.test(word) ? undefined : `${word} line`;
}
