import { inputError } from "../errors.ts";
import type { Point, Polygon } from "../geometry/points.ts";

/** Inside and not on the border; where a polygon crosses itself, even-odd. Throws a `ValueError` below 3 points. */
export function isStrictlyInside([x, y]: Point, polygon: Polygon): boolean {
  if (polygon.length < 3) throw inputError("A zone needs at least 3 points.");
  let inside = false;
  for (const [at, [x2, y2]] of polygon.entries()) {
    const [x1, y1] = polygon.at(at - 1)!;
    const cross = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
    const within = Math.min(x1, x2) <= x && x <= Math.max(x1, x2) && Math.min(y1, y2) <= y && y <= Math.max(y1, y2);
    if (cross === 0 && within) return false;
    // Crosses the ray to the right: the point lies left of a side that spans its height.
    if (y1 > y !== y2 > y && cross > 0 === y2 > y1) inside = !inside;
  }
  return inside;
}
