// points of one grey picture → where they are in the next
import type { Point } from "../../geometry/points.ts";
import type { Plane } from "../../pixels/plane.ts";
import { resizeArea } from "../../pixels/resize-area.ts";

/** A picture at full, half, quarter … size. */
export type Pyramid = readonly Plane[];

const LEVELS = 4;
/** Pixels to each side of a point that are compared. */
const REACH = 7;
const SIDE = 2 * REACH + 1;
const MOST_STEPS = 20;
/** Steps shorter than this end the search, in pixels. */
const SHORTEST_STEP = 0.02;

export function createPyramid(plane: Plane): Pyramid {
  const levels = [plane];
  while (levels.length < LEVELS) {
    const { width, height } = levels.at(-1)!;
    if (Math.min(width, height) < 8 * REACH) break;
    levels.push(resizeArea(levels.at(-1)!, width >> 1, height >> 1));
  }
  return levels;
}

/** Follows each point by Lucas and Kanade (1981), from the coarsest level to the finest; absent where it got lost. */
export function followPoints(from: Pyramid, to: Pyramid, points: readonly Point[]): readonly (Point | undefined)[] {
  return points.map((point) => {
    let shift: Point | undefined = [0, 0];
    for (let level = from.length - 1; level >= 0 && shift !== undefined; level--) {
      const scale = 2 ** level;
      const place: Point = [point[0] / scale, point[1] / scale];
      const start: Point = [2 * shift[0], 2 * shift[1]];
      shift = refineShift(from[level]!, to[level]!, place, level === from.length - 1 ? [0, 0] : start);
    }
    return shift && [point[0] + shift[0], point[1] + shift[1]];
  });
}

/** Moves the window until both pictures agree in it. */
function refineShift(from: Plane, to: Plane, [x, y]: Point, start: Point): Point | undefined {
  const window = windowAround(from, x, y);
  if (window === undefined) return undefined;
  const { xx, xy, yy } = window;
  const determinant = xx * yy - xy * xy;
  if (determinant < 1e-6) return undefined;
  const there = new Float32Array(SIDE * SIDE);
  let [shiftX, shiftY] = start;
  for (let step = 0; step < MOST_STEPS; step++) {
    if (!cutOut(to, [x + shiftX - REACH, y + shiftY - REACH], SIDE, there)) return undefined;
    const error = weighedError(window, there);
    const stepX = (yy * error.x - xy * error.y) / determinant;
    const stepY = (xx * error.y - xy * error.x) / determinant;
    shiftX += stepX;
    shiftY += stepY;
    if (Math.hypot(stepX, stepY) < SHORTEST_STEP) break;
  }
  return [shiftX, shiftY];
}

/** A square of a picture, how it changes there, and the sums of products of these changes. */
interface Window {
  readonly levels: Float32Array;
  readonly gradientX: Float32Array;
  readonly gradientY: Float32Array;
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

function windowAround(plane: Plane, x: number, y: number): Window | undefined {
  // One pixel more to each side, for the gradients.
  const wide = SIDE + 2;
  const around = new Float32Array(wide * wide);
  if (!cutOut(plane, [x - REACH - 1, y - REACH - 1], wide, around)) return undefined;
  const levels = new Float32Array(SIDE * SIDE);
  const gradientX = new Float32Array(SIDE * SIDE);
  const gradientY = new Float32Array(SIDE * SIDE);
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (let row = 0, at = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++, at++) {
      const here = (row + 1) * wide + column + 1;
      const gx = (around[here + 1]! - around[here - 1]!) / 2;
      const gy = (around[here + wide]! - around[here - wide]!) / 2;
      levels[at] = around[here]!;
      gradientX[at] = gx;
      gradientY[at] = gy;
      xx += gx * gx;
      xy += gx * gy;
      yy += gy * gy;
    }
  }
  return { levels, gradientX, gradientY, xx, xy, yy };
}

/** Differences of the window to what is there, weighed by the gradients. */
function weighedError({ levels, gradientX, gradientY }: Window, there: Float32Array): { x: number; y: number } {
  let x = 0;
  let y = 0;
  for (let at = 0; at < levels.length; at++) {
    const difference = levels[at]! - there[at]!;
    x += difference * gradientX[at]!;
    y += difference * gradientY[at]!;
  }
  return { x, y };
}

/** Reads a square between pixels; false when it does not lie in the picture. */
function cutOut({ width, height, data }: Plane, [x, y]: Point, side: number, levels: Float32Array): boolean {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (!(left >= 0 && top >= 0 && left + side < width && top + side < height)) return false;
  // The fractions are the same for all pixels of the square.
  const alongX = x - left;
  const alongY = y - top;
  for (let row = 0, at = 0; row < side; row++) {
    for (let from = (top + row) * width + left, end = from + side; from < end; from++, at++) {
      const above = data[from]! + alongX * (data[from + 1]! - data[from]!);
      const below = data[from + width]! + alongX * (data[from + width + 1]! - data[from + width]!);
      levels[at] = above + alongY * (below - above);
    }
  }
  return true;
}
