// pictures of a moving camera → how it moved from one to the next

import type { PixelPicture } from "../frames/frame.ts";
import type { Point } from "../geometry/polygons.ts";
import { sobelGradients } from "../pixels/edges.ts";
import { type Plane, toGrey } from "../pixels/plane.ts";
import { resizeArea } from "../pixels/transforms.ts";
import { createRandom } from "../seeded-random.ts";

/** Follows what stands still in the picture. */
export interface CameraMotion {
  /** Takes the next picture and answers the motion since the one before, in its pixels. */
  next(picture: PixelPicture): SimilarityMotion;
}

/** The strongest corners: enough for a sure fit; more cost time in proportion. */
const MOST_CORNERS = 200;
/** Corners weaker than this part of the strongest are left out. */
const CORNER_QUALITY = 0.01;
const FEWEST_POINTS = 5;

/** Pictures are made `downscale` times smaller first: raise it for speed. */
export function createCameraMotion(downscale = 2): CameraMotion {
  const factor = Math.max(1, Math.trunc(downscale));
  let before: Pyramid | undefined;
  return {
    next({ rgba, width, height }) {
      const small = [Math.max(1, Math.trunc(width / factor)), Math.max(1, Math.trunc(height / factor))] as const;
      const current = createPyramid(resizeArea(toGrey(rgba, width, height), ...small));
      const previous = before;
      before = current;
      const finest = previous?.[0];
      if (previous === undefined || finest?.width !== small[0] || finest.height !== small[1]) return NO_MOTION;
      const corners = findCorners(finest);
      const found = followPoints(previous, current, corners);
      const pairs = corners.flatMap((from, at) => {
        const to = found[at];
        return to === undefined ? [] : [{ from, to }];
      });
      if (pairs.length < FEWEST_POINTS) return NO_MOTION;
      const { a, b, shiftX, shiftY } = fitMotion(pairs, createRandom(pairs.length)) ?? NO_MOTION;
      return { a, b, shiftX: shiftX * factor, shiftY: shiftY * factor };
    },
  };
}

/** Corners by the smaller eigenvalue of the gradients around a pixel (Shi and Tomasi, 1994). */
function findCorners(plane: Plane): readonly Point[] {
  const { width, height } = plane;
  const strength = cornerStrength(plane);
  const strongest = strength.reduce((best, value) => Math.max(best, value), 0);
  const corners: { readonly at: number; readonly value: number }[] = [];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const value = strength[at]!;
      if (value > CORNER_QUALITY * strongest && isPeak(strength, at, width)) corners.push({ at, value });
    }
  }
  corners.sort((one, other) => other.value - one.value);
  return corners.slice(0, MOST_CORNERS).map(({ at }) => [at % width, Math.trunc(at / width)]);
}

function isPeak(strength: Float32Array, at: number, width: number): boolean {
  const value = strength[at]!;
  for (let row = at - width; row <= at + width; row += width) {
    if (strength[row - 1]! > value || strength[row]! > value || strength[row + 1]! > value) return false;
  }
  return true;
}

/** For each pixel: how much the picture changes around it in the direction in which it changes least. */
function cornerStrength(plane: Plane): Float32Array {
  const { width, height } = plane;
  const { x, y } = sobelGradients(plane);
  const xx = x.map((value) => value * value);
  const xy = x.map((value, at) => value * y[at]!);
  const yy = y.map((value) => value * value);
  const strength = new Float32Array(width * height);
  for (let row = 1; row < height - 1; row++) {
    for (let at = row * width + 1; at < (row + 1) * width - 1; at++) {
      const a = sumAround(xx, at, width);
      const b = sumAround(xy, at, width);
      const c = sumAround(yy, at, width);
      strength[at] = (a + c - Math.sqrt((a - c) * (a - c) + 4 * b * b)) / 2;
    }
  }
  return strength;
}

function sumAround(values: Float32Array, at: number, width: number): number {
  let sum = 0;
  for (let row = at - width; row <= at + width; row += width) sum += values[row - 1]! + values[row]! + values[row + 1]!;
  return sum;
}

/** A picture at full, half, quarter … size. */
type Pyramid = readonly Plane[];

const LEVELS = 4;
/** Pixels to each side of a point that are compared. */
const REACH = 7;
const SIDE = 2 * REACH + 1;
const MOST_STEPS = 20;
/** Steps shorter than this end the search, in pixels. */
const SHORTEST_STEP = 0.02;

function createPyramid(plane: Plane): Pyramid {
  const levels = [plane];
  while (levels.length < LEVELS) {
    const { width, height } = levels.at(-1)!;
    if (Math.min(width, height) < 8 * REACH) break;
    levels.push(resizeArea(levels.at(-1)!, width >> 1, height >> 1));
  }
  return levels;
}

/** Follows each point by Lucas and Kanade (1981), from the coarsest level to the finest; absent where it got lost. */
function followPoints(from: Pyramid, to: Pyramid, points: readonly Point[]): readonly (Point | undefined)[] {
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

/** x' = a·x − b·y + shiftX, y' = b·x + a·y + shiftY. */
export interface SimilarityMotion {
  readonly a: number;
  readonly b: number;
  readonly shiftX: number;
  readonly shiftY: number;
}

export interface PointPair {
  readonly from: Point;
  readonly to: Point;
}

const NO_MOTION: SimilarityMotion = { a: 1, b: 0, shiftX: 0, shiftY: 0 };

/** A pair that lies farther off, in pixels, does not follow the motion. */
const TOLERANCE = 3;
const TRIES = 100;

/** Tries motions of two random pairs and keeps the one that most pairs follow; undefined when there is none. */
export function fitMotion(pairs: readonly PointPair[], random: () => number): SimilarityMotion | undefined {
  let best: readonly PointPair[] = [];
  for (let attempt = 0; attempt < TRIES && pairs.length >= 2; attempt++) {
    const one = pairs[Math.floor(random() * pairs.length)]!;
    const other = pairs[Math.floor(random() * pairs.length)]!;
    const motion = one === other ? undefined : leastSquares([one, other]);
    if (motion === undefined) continue;
    const followers = pairs.filter((pair) => follows(motion, pair));
    if (followers.length > best.length) best = followers;
  }
  return leastSquares(best);
}

export function moved({ a, b, shiftX, shiftY }: SimilarityMotion, [x, y]: Point): Point {
  return [a * x - b * y + shiftX, b * x + a * y + shiftY];
}

function follows(motion: SimilarityMotion, { from, to }: PointPair): boolean {
  const [x, y] = moved(motion, from);
  return Math.hypot(x - to[0], y - to[1]) <= TOLERANCE;
}

function leastSquares(pairs: readonly PointPair[]): SimilarityMotion | undefined {
  const count = pairs.length;
  const mean = (pick: (pair: PointPair) => number): number => pairs.reduce((sum, pair) => sum + pick(pair), 0) / count;
  const [fromX, fromY] = [mean(({ from }) => from[0]), mean(({ from }) => from[1])];
  const [toX, toY] = [mean(({ to }) => to[0]), mean(({ to }) => to[1])];
  let [along, across, spread] = [0, 0, 0];
  for (const { from, to } of pairs) {
    const [x, y, u, v] = [from[0] - fromX, from[1] - fromY, to[0] - toX, to[1] - toY];
    along += x * u + y * v;
    across += x * v - y * u;
    spread += x * x + y * y;
  }
  if (!(spread > 0)) return undefined;
  const [a, b] = [along / spread, across / spread];
  return { a, b, shiftX: toX - a * fromX + b * fromY, shiftY: toY - b * fromX - a * fromY };
}
