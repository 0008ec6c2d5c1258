// pairs of points → the turn, scale and shift that most of them follow
import type { Point } from "../../geometry/points.ts";

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

export const NO_MOTION: SimilarityMotion = { a: 1, b: 0, shiftX: 0, shiftY: 0 };

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
