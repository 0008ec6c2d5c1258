// two polygons → the area that they share
import { type Point, type Polygon, turn } from "./polygons.ts";

/** A side from its upper to its lower end. */
interface Side {
  readonly top: Point;
  readonly bottom: Point;
}

/** Area inside both. Cuts the plane into strips in which no sides cross and adds up trapezoids. */
export function sharedArea(first: Polygon, second: Polygon): number {
  const [a, b] = [sidesOf(first), sidesOf(second)];
  const levels = [...new Set([...first, ...second].map(([, y]) => y).concat(crossingLevels(a, b)))].sort(
    (p, q) => p - q,
  );
  let area = 0;
  for (let at = 0; at + 1 < levels.length; at++) {
    const [top, bottom] = [levels[at]!, levels[at + 1]!];
    const middle = (top + bottom) / 2;
    area += sharedLength(crossingsAt(a, middle), crossingsAt(b, middle)) * (bottom - top);
  }
  return area;
}

/** No side crosses or touches another one but its neighbours. */
export function isSimplePolygon(polygon: Polygon): boolean {
  const count = polygon.length;
  const corner = (at: number): Point => polygon[at % count]!;
  for (let one = 0; one < count; one++) {
    for (let other = one + 2; other < count; other++) {
      const areNeighbours = one === 0 && other === count - 1;
      if (!areNeighbours && touch(corner(one), corner(one + 1), corner(other), corner(other + 1))) return false;
    }
    if (goesStraightBack(corner(one), corner(one + 1), corner(one + 2))) return false;
  }
  return true;
}

function sidesOf(polygon: Polygon): readonly Side[] {
  const sides = polygon.map((from, at): Side => {
    const to = polygon[(at + 1) % polygon.length]!;
    return from[1] < to[1] ? { top: from, bottom: to } : { top: to, bottom: from };
  });
  return sides.filter(({ top, bottom }) => top[1] < bottom[1]);
}

function crossingLevels(a: readonly Side[], b: readonly Side[]): readonly number[] {
  const levels: number[] = [];
  for (const one of a) {
    for (const other of b) {
      const upper = Math.max(one.top[1], other.top[1]);
      const lower = Math.min(one.bottom[1], other.bottom[1]);
      if (upper >= lower) continue;
      const [before, after] = [
        placeAt(one, upper) - placeAt(other, upper),
        placeAt(one, lower) - placeAt(other, lower),
      ];
      if (before * after < 0) levels.push(upper + ((lower - upper) * before) / (before - after));
    }
  }
  return levels;
}

function placeAt({ top, bottom }: Side, y: number): number {
  return top[0] + ((bottom[0] - top[0]) * (y - top[1])) / (bottom[1] - top[1]);
}

function crossingsAt(sides: readonly Side[], y: number): readonly number[] {
  return sides
    .filter(({ top, bottom }) => top[1] < y && y < bottom[1])
    .map((side) => placeAt(side, y))
    .sort((p, q) => p - q);
}

/** Length covered by both, each given as pairs of ends. */
function sharedLength(a: readonly number[], b: readonly number[]): number {
  let length = 0;
  for (let i = 0; i + 1 < a.length; i += 2) {
    for (let j = 0; j + 1 < b.length; j += 2) {
      length += Math.max(0, Math.min(a[i + 1]!, b[j + 1]!) - Math.max(a[i]!, b[j]!));
    }
  }
  return length;
}

function touch(a: Point, b: Point, c: Point, d: Point): boolean {
  const [sideC, sideD, sideA, sideB] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  if (sideC * sideD < 0 && sideA * sideB < 0) return true;
  return (
    (sideC === 0 && isBetween(c, a, b)) ||
    (sideD === 0 && isBetween(d, a, b)) ||
    (sideA === 0 && isBetween(a, c, d)) ||
    (sideB === 0 && isBetween(b, c, d))
  );
}

function isBetween([x, y]: Point, from: Point, to: Point): boolean {
  const inX = x >= Math.min(from[0], to[0]) && x <= Math.max(from[0], to[0]);
  return inX && y >= Math.min(from[1], to[1]) && y <= Math.max(from[1], to[1]);
}

function goesStraightBack(a: Point, b: Point, c: Point): boolean {
  const onward = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
  return turn(a, b, c) === 0 && onward < 0;
}
