// "left half", "middle line" or fractions → a line or zone of the picture
import type { WatchCondition } from "@vision-agent/protocol";

export type PictureLine = Exclude<Extract<WatchCondition, { kind: "crosses" }>["line"], string>;
export type PictureZone = Exclude<Extract<WatchCondition, { kind: "enters" }>["zone"], string>;
type Span = readonly [from: number, to: number];

/** What a model may write for a place. */
export type PlaceArgument = string | readonly (readonly number[])[];

const WHOLE: Span = [0, 1];
/** At which end of the picture a word is: where its numbers begin, or where they end. */
const ACROSS: Readonly<Record<string, "begin" | "end">> = { left: "begin", right: "end" };
const DOWN: Readonly<Record<string, "begin" | "end">> = { top: "begin", upper: "begin", bottom: "end", lower: "end" };

/** One of so many equal parts of the picture: the first, or the last. */
function spanOf(end: "begin" | "end" | undefined, parts: number): Span {
  if (end === undefined) return WHOLE;
  return end === "begin" ? [0, 1 / parts] : [(parts - 1) / parts, 1];
}

const ZONE_HELP =
  'Name it: "left half", "top right quarter", "left third", "middle third", "center", "whole picture"; or give corners as fractions, such as [[0,0],[0.5,0],[0.5,1],[0,1]].';
const LINE_HELP =
  'Name it: "vertical middle" (things go left and right across it), "horizontal middle", "left third", "bottom quarter"; or give two points as fractions, such as [[0.5,0],[0.5,1]].';

/** Throws a sentence that says how a zone is written. */
export function parseZone(place: PlaceArgument): PictureZone {
  if (typeof place !== "string") return toPoints(place, ZONE_HELP, 3);
  const words = wordsOf(place);
  if (words.has("whole") || words.has("all") || words.has("anywhere")) return rectangle(WHOLE, WHOLE);
  const side = [...words].find((word) => ACROSS[word] !== undefined);
  const height = [...words].find((word) => DOWN[word] !== undefined);
  const isMiddle = words.has("middle") || words.has("center") || words.has("centre");
  const isThird = words.has("third");
  if (isThird && height === undefined && (isMiddle || side === undefined)) return rectangle([1 / 3, 2 / 3], WHOLE);
  if (side !== undefined || height !== undefined) {
    const parts = isThird ? 3 : 2;
    return rectangle(spanOf(ACROSS[side ?? ""], parts), spanOf(DOWN[height ?? ""], parts));
  }
  if (isMiddle) return rectangle([0.25, 0.75], [0.25, 0.75]);
  throw new Error(`"${place}" is not a place in the picture. ${ZONE_HELP}`);
}

const SHARES: readonly (readonly [word: string, share: number])[] = [
  ["third", 1 / 3],
  ["quarter", 1 / 4],
];

/** Vertical lines run from top to bottom, level ones from left to right. Throws a sentence that says how a line is written. */
export function parseLine(place: PlaceArgument): PictureLine {
  if (typeof place !== "string") {
    const points = toPoints(place, LINE_HELP, 2);
    if (points.length !== 2) throw new Error(`A line has two points. ${LINE_HELP}`);
    return [points[0]!, points[1]!];
  }
  const words = wordsOf(place);
  const share = SHARES.find(([word]) => words.has(word))?.[1] ?? 0.5;
  if (words.has("left")) return upright(share);
  if (words.has("right")) return upright(1 - share);
  if (words.has("top") || words.has("upper")) return level(share);
  if (words.has("bottom") || words.has("lower")) return level(1 - share);
  if (words.has("horizontal") || words.has("level")) return level(0.5);
  if (["vertical", "middle", "center", "centre", "half"].some((word) => words.has(word))) return upright(0.5);
  throw new Error(`"${place}" is not a line in the picture. ${LINE_HELP}`);
}

export const DIRECTIONS = ["any", "in", "out", "left_to_right", "right_to_left", "downwards", "upwards"] as const;
export type DirectionWord = (typeof DIRECTIONS)[number];

const MOVES: Readonly<Partial<Record<DirectionWord, readonly [number, number]>>> = {
  left_to_right: [1, 0],
  right_to_left: [-1, 0],
  downwards: [0, 1],
  upwards: [0, -1],
};

/** Seen from the start of the line towards its end, `in` is to the left. Throws when nothing can cross it that way. */
export function toDirection(word: DirectionWord, [start, end]: PictureLine): "in" | "out" | "any" {
  const move = MOVES[word];
  if (move === undefined) return word as "in" | "out" | "any";
  // The picture's y grows downwards: left of (dx, dy) is (dy, -dx).
  const towardsLeft = move[0] * (end[1] - start[1]) - move[1] * (end[0] - start[0]);
  if (Math.abs(towardsLeft) > 1e-9) return towardsLeft > 0 ? "in" : "out";
  throw new Error(`Nothing crosses this line ${word.replaceAll("_", " ")}: it runs the same way. Choose another line.`);
}

function wordsOf(place: string): ReadonlySet<string> {
  return new Set(place.toLowerCase().match(/[a-z]+/g) ?? []);
}

function rectangle([left, right]: Span, [top, bottom]: Span): PictureZone {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

function upright(x: number): PictureLine {
  return [
    [x, 0],
    [x, 1],
  ];
}

function level(y: number): PictureLine {
  return [
    [0, y],
    [1, y],
  ];
}

function toPoints(place: readonly (readonly number[])[], help: string, least: number): [number, number][] {
  const isPoint = (point: readonly number[]): boolean =>
    point.length === 2 && point.every((share) => share >= 0 && share <= 1);
  if (place.length >= least && place.every(isPoint)) return place.map(([x = 0, y = 0]) => [x, y]);
  throw new Error(`Points are [x, y] as fractions from 0 to 1, at least ${least} of them. ${help}`);
}
