// outline with many vertices → outline with few, never farther away than a tolerance
import type { Point, Polygon } from "./points.ts";

/** A stretch of the ring, from one vertex on to another. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Douglas-Peucker on a closed outline, with the starting points and the last clean-up of OpenCV's `approxPolyDP`. */
export function simplifyPolygon(polygon: Polygon, tolerance: number): Polygon {
  if (polygon.length === 0) return [];
  const limit = tolerance * tolerance;
  const start = farStretch(polygon, limit);
  if (start.whole === undefined) return [polygon[start.at]!];
  const vertices: Point[] = [];
  const waiting: Stretch[] = [{ from: start.whole.to, to: start.whole.from }, start.whole];
  for (let stretch = waiting.pop(); stretch !== undefined; stretch = waiting.pop()) {
    const split = farthestVertex(polygon, stretch, limit);
    if (split === undefined) vertices.push(polygon[stretch.from]!);
    else waiting.push({ from: split, to: stretch.to }, { from: stretch.from, to: split });
  }
  return withoutStraightVertices(vertices, limit);
}

/** Two vertices about as far apart as any, found in three hops; none when all lie within the limit. */
function farStretch(polygon: Polygon, limit: number): { readonly at: number; readonly whole: Stretch | undefined } {
  let from = 0;
  let to = 0;
  let longest = 0;
  for (let hop = 0; hop < 3; hop++) {
    from = to;
    longest = 0;
    for (let step = 1; step < polygon.length; step++) {
      const at = (from + step) % polygon.length;
      const length = squared(polygon[from]!, polygon[at]!);
      if (length <= longest) continue;
      longest = length;
      to = at;
    }
  }
  return { at: from, whole: longest <= limit ? undefined : { from, to } };
}

/** Vertex inside a stretch that lies farthest from the chord, when that is beyond the limit. */
function farthestVertex(polygon: Polygon, { from, to }: Stretch, limit: number): number | undefined {
  const [start, end] = [polygon[from]!, polygon[to]!];
  const chord = squared(start, end);
  let farthest: number | undefined;
  let most = limit * chord;
  for (let at = (from + 1) % polygon.length; at !== to; at = (at + 1) % polygon.length) {
    const away = squaredFromChord(polygon[at]!, start, end);
    if (away <= most) continue;
    most = away;
    farthest = at;
  }
  return farthest;
}

/** Squared distance of a point from a stretch of line, times the squared length of the stretch: whole numbers stay exact. */
function squaredFromChord(point: Point, start: Point, end: Point): number {
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const length = dx * dx + dy * dy;
  const along = (point[0] - start[0]) * dx + (point[1] - start[1]) * dy;
  if (along < 0) return squared(point, start) * length;
  if (along > length) return squared(point, end) * length;
  return ((point[1] - start[1]) * dx - (point[0] - start[0]) * dy) ** 2;
}

/** Drops vertices that almost lie on the way between their neighbours. Upright and level ways are left alone. */
function withoutStraightVertices(vertices: readonly Point[], limit: number): Polygon {
  const count = vertices.length;
  const kept = [...vertices];
  let left = count;
  let read = count - 1;
  const next = (): Point => {
    const point = kept[read]!;
    read = (read + 1) % count;
    return point;
  };
  let before = next();
  let write = read;
  let point = next();
  for (let seen = 0; seen < count && left > 2; seen++) {
    const after = next();
    const straight = isAlmostStraight(before, point, after, limit);
    before = straight ? after : point;
    kept[write] = before;
    write = (write + 1) % count;
    if (!straight) {
      point = after;
      continue;
    }
    left -= 1;
    point = next();
    seen += 1;
  }
  return kept.slice(0, left);
}

function isAlmostStraight(before: Point, point: Point, after: Point, limit: number): boolean {
  const [dx, dy] = [after[0] - before[0], after[1] - before[1]];
  const away = (point[0] - before[0]) * dy - (point[1] - before[1]) * dx;
  const onward = (point[0] - before[0]) * (after[0] - point[0]) + (point[1] - before[1]) * (after[1] - point[1]);
  return away * away <= 0.5 * limit * (dx * dx + dy * dy) && dx !== 0 && dy !== 0 && onward >= 0;
}

function squared(a: Point, b: Point): number {
  return (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2;
}
