// flat box rows → the same boxes elsewhere, of another size or in another notation

import type { Point, Polygon } from "./polygons.ts";

/** Points of a box that can stand for the whole. Wire words, as workflows write them. */
const ANCHORS = [
  "CENTER",
  "CENTER_LEFT",
  "CENTER_RIGHT",
  "TOP_CENTER",
  "TOP_LEFT",
  "TOP_RIGHT",
  "BOTTOM_LEFT",
  "BOTTOM_CENTER",
  "BOTTOM_RIGHT",
] as const;

export type BoxAnchor = (typeof ANCHORS)[number];

/** The four corners: what must agree when no single anchor is named. */
export const CORNERS: readonly BoxAnchor[] = ["TOP_LEFT", "TOP_RIGHT", "BOTTOM_LEFT", "BOTTOM_RIGHT"];

/** Columns of a flat box row. */
const LEFT = 0;
const TOP = 1;
const RIGHT = 2;
const BOTTOM = 3;

/** Left, top, right, bottom in pixels. */
export type BoxXyxy = readonly [left: number, top: number, right: number, bottom: number];

/** One box of flat rows, as `xyxy` is. */
export function boxAt(xyxy: ArrayLike<number>, row: number): BoxXyxy {
  const at = 4 * row;
  return [xyxy[at]!, xyxy[at + 1]!, xyxy[at + 2]!, xyxy[at + 3]!];
}

/** Clockwise on the screen from the left top. */
export function boxCorners([left, top, right, bottom]: BoxXyxy): Polygon {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** The point that stands for a box: `CENTER`, `BOTTOM_CENTER` for where a thing stands. Flat rows, as `xyxy` is. */
export function anchorPoint(xyxy: ArrayLike<number>, anchor: BoxAnchor, row = 0): Point {
  return [anchorX(anchor, xyxy, row), anchorY(anchor, xyxy, row)];
}

/** Horizontal place of the anchor of box `row` in flat left-top-right-bottom rows. */
export function anchorX(anchor: BoxAnchor, xyxy: ArrayLike<number>, row: number): number {
  const left = xyxy[4 * row + LEFT]!;
  const right = xyxy[4 * row + RIGHT]!;
  if (anchor.endsWith("LEFT")) return left;
  if (anchor.endsWith("RIGHT")) return right;
  return (left + right) / 2;
}

/** Vertical place of the anchor of box `row` in flat left-top-right-bottom rows. */
export function anchorY(anchor: BoxAnchor, xyxy: ArrayLike<number>, row: number): number {
  const top = xyxy[4 * row + TOP]!;
  const bottom = xyxy[4 * row + BOTTOM]!;
  if (anchor.startsWith("TOP")) return top;
  if (anchor.startsWith("BOTTOM")) return bottom;
  return (top + bottom) / 2;
}

export function isAnchor(name: string): name is BoxAnchor {
  return (ANCHORS as readonly string[]).includes(name);
}

/** Finite, with a positive width and height. */
export function isBox(xyxy: ArrayLike<number>, row: number): boolean {
  const left = xyxy[4 * row + LEFT]!;
  const top = xyxy[4 * row + TOP]!;
  const right = xyxy[4 * row + RIGHT]!;
  const bottom = xyxy[4 * row + BOTTOM]!;
  return Number.isFinite(left + top + right + bottom) && right > left && bottom > top;
}

/** Intersection over union of row `a` of one list of boxes and row `b` of another, rounded to 32 bits; 0 without area. */
export function boxIou(first: ArrayLike<number>, a: number, second: ArrayLike<number>, b: number): number {
  const shared = boxIntersection(first, a, second, b);
  const union = boxArea(first, a) + boxArea(second, b) - shared;
  return union > 0 ? Math.fround(shared / union) : 0;
}

/** Area that row `a` of one list of boxes and row `b` of another share. */
export function boxIntersection(first: ArrayLike<number>, a: number, second: ArrayLike<number>, b: number): number {
  const firstAt = 4 * a;
  const secondAt = 4 * b;
  const width =
    Math.min(first[firstAt + RIGHT]!, second[secondAt + RIGHT]!) -
    Math.max(first[firstAt + LEFT]!, second[secondAt + LEFT]!);
  const height =
    Math.min(first[firstAt + BOTTOM]!, second[secondAt + BOTTOM]!) -
    Math.max(first[firstAt + TOP]!, second[secondAt + TOP]!);
  return Math.max(0, width) * Math.max(0, height);
}

export function boxArea(xyxy: ArrayLike<number>, row: number): number {
  return (xyxy[4 * row + RIGHT]! - xyxy[4 * row + LEFT]!) * (xyxy[4 * row + BOTTOM]! - xyxy[4 * row + TOP]!);
}

export function moveBoxes(xyxy: Float64Array, [x, y]: readonly [x: number, y: number]): Float64Array {
  return xyxy.map((value, at) => value + (at % 2 === 0 ? x : y));
}
