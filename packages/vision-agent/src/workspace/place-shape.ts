// the points of a line, zone or mask → why nothing could ever cross it or be in it
type Point = readonly [x: number, y: number];

/** Shares of the picture; smaller is a slip of the hand. */
const SHORTEST_LINE = 0.005;
const SMALLEST_ZONE = 0.0001;

/** Undefined for a shape that can be watched. */
export function shapeProblem(kind: "line" | "zone" | "mask", points: readonly Point[]): string | undefined {
  if (kind === "line") {
    const [[fromX, fromY] = [0, 0], [toX, toY] = [0, 0]] = points;
    const isShort = Math.hypot(toX - fromX, toY - fromY) < SHORTEST_LINE;
    return isShort ? "The line has no length: give two different points." : undefined;
  }
  if (edgesCross(points))
    return `The edges of the ${kind} cross each other: give its corners in order, once around it.`;
  const isFlat = Math.abs(areaOf(points)) < SMALLEST_ZONE;
  return isFlat ? `The ${kind} has no area: give at least three corners that do not lie on one line.` : undefined;
}

/** With a sign, by the way around. */
function areaOf(points: readonly Point[]): number {
  return edgesOf(points).reduce((sum, [[x1, y1], [x2, y2]]) => sum + x1 * y2 - x2 * y1, 0) / 2;
}

function edgesOf(points: readonly Point[]): readonly (readonly [Point, Point])[] {
  return points.map((point, at) => [point, points[(at + 1) % points.length] ?? point]);
}

/** Edges that only touch are no mistake. */
function edgesCross(points: readonly Point[]): boolean {
  const edges = edgesOf(points);
  return edges.some(([a, b], at) =>
    edges.slice(at + 1).some(([c, d]) => turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0),
  );
}

function turn([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point): number {
  return Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
}
