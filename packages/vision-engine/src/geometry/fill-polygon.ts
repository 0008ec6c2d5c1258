// polygons → pixels inside them and on their borders
import type { PixelSize } from "../frames/frame.ts";
import { type Mask, maskFromBits } from "../frames/mask.ts";
import type { Polygon } from "./polygons.ts";

/** Fractions of a pixel in which the sides of a polygon are walked down, as OpenCV does. */
const ONE = 1 << 16;

/** Vertices farther away are moved here: no picture is as large, and numbers stay exact. */
const FARTHEST = 1 << 24;

type Pixel = readonly [x: number, y: number];

/** A side that is not level, from its upper end down. */
interface Side {
  readonly top: number;
  readonly bottom: number;
  /** At the upper end, in fractions of a pixel. */
  readonly x: number;
  readonly slope: number;
}

/** Pixels of a picture that lie in the polygon or on its border, as OpenCV's `fillPoly` draws it. Vertices lose their fractions. */
export function polygonToMask(polygon: Polygon, width: number, height: number): Mask {
  const bits = new Uint8Array(width * height);
  fillPolygon(bits, { width, height }, polygon);
  return maskFromBits(bits, width, height);
}

/** Sets the pixels of one polygon, one byte each. */
export function fillPolygon(bits: Uint8Array, { width, height }: PixelSize, polygon: Polygon): void {
  const vertices = polygon.map(([x, y]): Pixel => [toPixel(x), toPixel(y)]);
  const sides: Side[] = [];
  for (const [at, to] of vertices.entries()) {
    const from = vertices[(at + vertices.length - 1) % vertices.length]!;
    drawLine(from, to, { width, height }, (x, y) => {
      bits[y * width + x] = 1;
    });
    if (from[1] === to[1]) continue;
    const [upper, lower] = from[1] < to[1] ? [from, to] : [to, from];
    const slope = Math.trunc(((to[0] - from[0]) * ONE) / (to[1] - from[1]));
    sides.push({ top: upper[1], bottom: lower[1], x: upper[0] * ONE, slope });
  }
  fillBetween(bits, width, height, sides);
}

function toPixel(value: number): number {
  return Math.max(-FARTHEST, Math.min(FARTHEST, Math.trunc(value)));
}

/** Rows between the sides, by pairs from the left: even-odd. */
function fillBetween(bits: Uint8Array, width: number, height: number, sides: readonly Side[]): void {
  const first = Math.max(0, Math.min(...sides.map(({ top }) => top)));
  const end = Math.min(height, Math.max(...sides.map(({ bottom }) => bottom)));
  for (let y = first; y < end; y++) {
    const crossings = sides
      .filter(({ top, bottom }) => top <= y && y < bottom)
      .map(({ x, top, slope }) => x + (y - top) * slope)
      .sort((a, b) => a - b);
    for (let at = 0; at + 1 < crossings.length; at += 2) {
      const from = Math.max(0, Math.ceil(crossings[at]! / ONE));
      const to = Math.min(width - 1, Math.floor(crossings[at + 1]! / ONE));
      if (from <= to) bits.fill(1, y * width + from, y * width + to + 1);
    }
  }
}

/** Every pixel of a line between two pixels that lies in the picture (Bresenham, from the left end). */
function drawLine(one: Pixel, other: Pixel, { width, height }: PixelSize, visit: (x: number, y: number) => void): void {
  const [from, to] = other[0] < one[0] ? [other, one] : [one, other];
  const dx = to[0] - from[0];
  const dy = Math.abs(to[1] - from[1]);
  const down = to[1] < from[1] ? -1 : 1;
  const steep = dy > dx;
  const [long, short] = steep ? [dy, dx] : [dx, dy];
  // Only what can be seen is walked, however far away the ends lie.
  const [first, last] = steep ? stepsInside(from[1], down, height) : stepsInside(from[0], 1, width);
  let aside = long === 0 ? 0 : Math.max(0, Math.ceil((2 * short * first - long) / (2 * long)));
  for (let step = first; step <= Math.min(long, last); step++) {
    const [x, y] = steep ? [from[0] + aside, from[1] + down * step] : [from[0] + step, from[1] + down * aside];
    if (x >= 0 && x < width && y >= 0 && y < height) visit(x, y);
    if (2 * short * (step + 1) - long > 2 * long * aside) aside += 1;
  }
}

/** First and last step of a walk that are inside `0 … size - 1`. */
function stepsInside(begin: number, direction: number, size: number): readonly [first: number, last: number] {
  return direction > 0 ? [Math.max(0, -begin), size - 1 - begin] : [Math.max(0, begin - size + 1), begin];
}
