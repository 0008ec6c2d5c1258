// points and outlines → size, centre, a simpler outline

/** Pixels from the left top corner of the picture. */
export type Point = readonly [x: number, y: number];

/** Vertices in order; the last one joins the first. */
export type Polygon = readonly Point[];

export function distance(from: Point, to: Point): number {
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Nearest whole number; a half goes to the even neighbour. */
export function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

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
export function containsPoint(polygon: Polygon, point: Point): boolean {
  return placeOf(polygon, point) !== "outside";
}

/** Where a polygon crosses itself, even-odd decides. */
export function placeOf(polygon: Polygon, [x, y]: Point): "inside" | "border" | "outside" {
  let inside = false;
  for (const [at, from] of polygon.entries()) {
    const to = polygon[(at + 1) % polygon.length]!;
    const side = turn(from, to, [x, y]);
    const withinX = x >= Math.min(from[0], to[0]) && x <= Math.max(from[0], to[0]);
    const withinY = y >= Math.min(from[1], to[1]) && y <= Math.max(from[1], to[1]);
    if (side === 0 && withinX && withinY) return "border";
    if (from[1] > y !== to[1] > y && side > 0 === to[1] > from[1]) inside = !inside;
  }
  return inside ? "inside" : "outside";
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
export function fitSides(polygon: Polygon, outline: Polygon, middleShare = 1): Polygon {
  const lines = polygon.map((to, at) => {
    const from = polygon[(at + polygon.length - 1) % polygon.length]!;
    return lineThrough(middleOf(stretchBetween(outline, from, to), middleShare));
  });
  return lines.map((line, at) => crossing(line, lines[(at + 1) % lines.length]) ?? polygon[at]!);
}

function stretchBetween(outline: Polygon, from: Point, to: Point): readonly Point[] {
  const [start, end] = [nearestTo(outline, from), nearestTo(outline, to)];
  if (start <= end) return outline.slice(start, end + 1);
  return [...outline.slice(start), ...outline.slice(0, end + 1)];
}

function nearestTo(outline: Polygon, point: Point): number {
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
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
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
