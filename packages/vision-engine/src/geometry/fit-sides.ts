// rough polygon and the outline it stands for → polygon whose sides lie along the outline
import type { Contour } from "./contours.ts";
import { distance, type Point, type Polygon, roundHalfEven } from "./points.ts";

/** y = slope · x + offset. */
interface Line {
  readonly slope: number;
  readonly offset: number;
}

/**
 * Lays a line of least squares through the points of the outline along each side and takes the crossings of
 * neighbouring lines as vertices, in whole pixels. `middleShare` below 1 uses the points in the middle of a side only.
 * A vertex whose lines do not cross stays where it was.
 */
export function fitSides(polygon: Polygon, outline: Contour, middleShare = 1): Polygon {
  const lines = polygon.map((to, at) => {
    const from = polygon[(at + polygon.length - 1) % polygon.length]!;
    return lineThrough(middleOf(stretchBetween(outline, from, to), middleShare));
  });
  return lines.map((line, at) => crossing(line, lines[(at + 1) % lines.length]) ?? polygon[at]!);
}

function stretchBetween(outline: Contour, from: Point, to: Point): readonly Point[] {
  const [start, end] = [nearestTo(outline, from), nearestTo(outline, to)];
  if (start <= end) return outline.slice(start, end + 1);
  return [...outline.slice(start), ...outline.slice(0, end + 1)];
}

function nearestTo(outline: Contour, point: Point): number {
  const distances = outline.map((other) => distance(other, point));
  return distances.indexOf(Math.min(...distances));
}

function middleOf(points: readonly Point[], share: number): readonly Point[] {
  const count = roundHalfEven(points.length * share);
  if (share >= 1 || count <= 2) return points;
  const cut = Math.floor((points.length - count) / 2);
  return points.slice(cut, points.length - cut);
}

/** Points above each other have no such line: the flattest answer of least norm is taken, as solvers do. */
function lineThrough(points: readonly Point[]): Line | undefined {
  if (points.length < 2) return undefined;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  if (spread === 0) return { slope: (meanX * meanY) / (meanX ** 2 + 1), offset: meanY / (meanX ** 2 + 1) };
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  return { slope, offset: meanY - slope * meanX };
}

function crossing(one: Line | undefined, other: Line | undefined): Point | undefined {
  if (one === undefined || other === undefined) return undefined;
  if (Math.abs(one.slope - other.slope) <= 1e-8 + 1e-5 * Math.abs(other.slope)) return undefined;
  const x = (other.offset - one.offset) / (one.slope - other.slope);
  return [roundHalfEven(x), roundHalfEven(one.slope * x + one.offset)];
}
