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

/** The first part of the picture that the words name. A bare "zone" or "area" names none. */
export function findZone(text: string): {
  readonly zone?: Zone;
  /** A place that is called so and lies nobody knows where: "top step". */
  readonly unknown?: string;
  readonly rest: string;
} {
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
      const rest = `${text.slice(0, match.index)} ${text.slice(match.index + phrase.length)}`
        .replace(/\s+/g, " ")
        .trim();
      return { zone: toZone(upright, level, extent), rest };
    }
  }
  return { rest: text, ...(unknown !== undefined && { unknown }) };
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

function rectangle([left, right]: Span, [top, bottom]: Span): readonly Place[] {
  const corners: readonly Place[] = [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
  return corners.map(([x, y]) => [round(x), round(y)]);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
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
  [new RegExp(`\\b${GOES} right\\b`), "right"],
  [new RegExp(`\\b${GOES} left\\b`), "left"],
  [new RegExp(`\\b${GOES} down\\b`), "down"],
  [new RegExp(`\\b${GOES} up\\b`), "up"],
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
const OPPOSITE: Readonly<Record<Way, Way>> = {
  left: "right",
  right: "left",
  up: "down",
  down: "up",
  in: "out",
  out: "in",
};

/** Where the words put a line; undefined when they name no place. */
export function findLine(text: string): LinePlacement | undefined {
  const edge = /\b(top|upper|bottom|lower|left|right)\b/.exec(text)?.[1];
  if (edge === "top" || edge === "upper") return "top";
  if (edge === "bottom" || edge === "lower") return "bottom";
  if (edge === "left" || edge === "right") return edge;
  if (/\bhorizontal(?:ly)?\b/.test(text)) return "horizontal";
  return new RegExp(`\\bvertical(?:ly)?\\b|\\b(?:${MIDDLE}|halfway)\\b`).test(text) ? "vertical" : undefined;
}

/** The line that a way crosses when no place is named. */
export function lineAcross(way: Way | undefined): LinePlacement {
  return way === "up" || way === "down" ? "horizontal" : "vertical";
}

/** From the top downwards or from the left to the right, in fractions. */
export function toLine(placement: LinePlacement): readonly [Place, Place] {
  const upright = (x: number): readonly [Place, Place] => [
    [x, 0],
    [x, 1],
  ];
  const level = (y: number): readonly [Place, Place] => [
    [0, y],
    [1, y],
  ];
  switch (placement) {
    case "vertical":
      return upright(0.5);
    case "left":
      return upright(0.25);
    case "right":
      return upright(0.75);
    case "horizontal":
      return level(0.5);
    case "top":
      return level(0.25);
    case "bottom":
      return level(0.75);
  }
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
