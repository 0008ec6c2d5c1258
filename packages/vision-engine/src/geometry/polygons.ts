// outline → its size, its centre, a simpler outline
import { distance, type Point, type Polygon } from "./points.ts";

/** Twice the area, positive when the vertices go clockwise on the screen. */
function doubleArea(polygon: Polygon): number {
  let sum = 0;
  for (const [at, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(at + 1) % polygon.length]!;
    sum += x * nextY - nextX * y;
  }
  return sum;
}

export function polygonArea(polygon: Polygon): number {
  return Math.abs(doubleArea(polygon)) / 2;
}

/** Length of the closed outline. */
export function polygonPerimeter(polygon: Polygon): number {
  return polygon.reduce((sum, point, at) => sum + distance(point, polygon[(at + 1) % polygon.length]!), 0);
}

/** Centre of mass of the area; absent when there is none. */
export function polygonCentroid(polygon: Polygon): Point | undefined {
  const area = doubleArea(polygon);
  if (area === 0) return undefined;
  let [sumX, sumY] = [0, 0];
  for (const [at, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(at + 1) % polygon.length]!;
    const cross = x * nextY - nextX * y;
    sumX += (x + nextX) * cross;
    sumY += (y + nextY) * cross;
  }
  return [sumX / (3 * area), sumY / (3 * area)];
}

/** Left, top, right, bottom. */
export function polygonBounds(polygon: Polygon): readonly [number, number, number, number] {
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [right, bottom] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [x, y] of polygon) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return [left, top, right, bottom];
}

/** Inside or on the border. */
export function containsPoint(polygon: Polygon, [x, y]: Point): boolean {
  let inside = false;
  for (const [at, from] of polygon.entries()) {
    const to = polygon[(at + 1) % polygon.length]!;
    const side = turn(from, to, [x, y]);
    const withinX = x >= Math.min(from[0], to[0]) && x <= Math.max(from[0], to[0]);
    const withinY = y >= Math.min(from[1], to[1]) && y <= Math.max(from[1], to[1]);
    if (side === 0 && withinX && withinY) return true;
    if (from[1] > y !== to[1] > y && side > 0 === to[1] > from[1]) inside = !inside;
  }
  return inside;
}

/** Polygons whose area lies between the bounds, both included. */
export function filterPolygonsByArea(
  polygons: readonly Polygon[],
  { minArea = 0, maxArea = Number.POSITIVE_INFINITY }: { readonly minArea?: number; readonly maxArea?: number },
): readonly Polygon[] {
  return polygons.filter((polygon) => {
    const area = polygonArea(polygon);
    return area >= minArea && area <= maxArea;
  });
}

/**
 * Smallest convex polygon around the points, clockwise on the screen unless asked otherwise. It starts where OpenCV's
 * does: at the rightmost point (the lower of several), counterclockwise at the leftmost (the upper of several), unless
 * the vertices can be told in the order of the given points.
 */
export function convexHull(points: readonly Point[], { counterclockwise = false } = {}): Polygon {
  const order = points.map((_, at) => at).sort((a, b) => comparePoints(points[a]!, points[b]!) || a - b);
  const distinct = order.filter(
    (at, place) => place === 0 || comparePoints(points[at]!, points[order[place - 1]!]!) !== 0,
  );
  if (distinct.length < 3) return (counterclockwise ? distinct : distinct.reverse()).map((at) => points[at]!);
  const alongBottom = halfHull(points, distinct.toReversed());
  const overTop = halfHull(points, distinct);
  const ring = [...alongBottom.slice(0, -1), ...overTop.slice(0, -1)];
  const turned = counterclockwise ? rotated(ring.toReversed(), ring.length - 1 - ring.indexOf(distinct[0]!)) : ring;
  return inGivenOrder(turned).map((at) => points[at]!);
}

function comparePoints(a: Point, b: Point): number {
  return a[0] - b[0] || a[1] - b[1];
}

/** Monotone chain over points sorted by place: keeps those where the way turns strictly to one side. */
function halfHull(points: readonly Point[], order: readonly number[]): number[] {
  const chain: number[] = [];
  for (const at of order) {
    while (chain.length >= 2 && turn(points[chain.at(-2)!]!, points[chain.at(-1)!]!, points[at]!) <= 0) chain.pop();
    chain.push(at);
  }
  return chain;
}

/** Positive when the way from `a` over `b` to `c` turns clockwise on the screen. */
export function turn(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** Rotates a ring of indices so that it rises or falls throughout, where it can. */
function inGivenOrder(ring: readonly number[]): readonly number[] {
  if (ring.length < 3) return ring;
  const falls = (at: number): boolean => ring[at]! > ring[(at + 1) % ring.length]!;
  const falling = ring.filter((_, at) => falls(at)).length;
  if (falling === 1) return rotated(ring, ring.indexOf(Math.min(...ring)));
  if (falling === ring.length - 1) return rotated(ring, ring.indexOf(Math.max(...ring)));
  return ring;
}

/** The same ring told from another element on. */
export function rotated<T>(ring: readonly T[], start: number): readonly T[] {
  return [...ring.slice(start), ...ring.slice(0, start)];
}
