// points → the smallest rectangle around them, turned as needed
import { convexHull, type Point, type Polygon, toRadians } from "./polygons.ts";

/** A rectangle that need not be upright. */
export interface RotatedRect {
  readonly center: Point;
  /** Along the direction of `angle`. */
  readonly width: number;
  /** Across it. */
  readonly height: number;
  /** Degrees from the x axis, clockwise on the screen: above 0, up to 90. */
  readonly angle: number;
}

/** Smallest of the rectangles that lie along a side of the convex hull. */
export function minAreaRect(points: readonly Point[]): RotatedRect {
  const hull = convexHull(points);
  if (hull.length < 3) return flatRect(hull);
  let smallest: RotatedRect | undefined;
  for (const [at, from] of hull.entries()) {
    const rect = rectAlong(hull, from, hull[(at + 1) % hull.length]!);
    if (smallest === undefined || rect.width * rect.height < smallest.width * smallest.height * (1 - 1e-6))
      smallest = rect;
  }
  return smallest!;
}

/** Corners of the rectangle in OpenCV's order: the one at the start of both sides, up, across, down. */
export function rectCorners({ center, width, height, angle }: RotatedRect): Polygon {
  const [along, across] = directions(angle);
  const corner = (w: number, h: number): Point => [
    center[0] + (w * along[0] * width + h * across[0] * height) / 2,
    center[1] + (w * along[1] * width + h * across[1] * height) / 2,
  ];
  return [corner(-1, 1), corner(-1, -1), corner(1, -1), corner(1, 1)];
}

function directions(angle: number): readonly [along: Point, across: Point] {
  const [cos, sin] = [Math.cos(toRadians(angle)), Math.sin(toRadians(angle))];
  return [
    [cos, sin],
    [-sin, cos],
  ];
}

function rectAlong(hull: Polygon, from: Point, to: Point): RotatedRect {
  const angle = quarterAngle(Math.atan2(to[1] - from[1], to[0] - from[0]));
  const [along, across] = directions(angle);
  const [alongMin, alongMax] = extent(hull, along);
  const [acrossMin, acrossMax] = extent(hull, across);
  const [middle, offset] = [(alongMin + alongMax) / 2, (acrossMin + acrossMax) / 2];
  return {
    center: [middle * along[0] + offset * across[0], middle * along[1] + offset * across[1]],
    width: alongMax - alongMin,
    height: acrossMax - acrossMin,
    angle,
  };
}

/** Turns by quarters until the angle is above 0 and at most 90 degrees. */
function quarterAngle(radians: number): number {
  const degrees = ((radians * 180) / Math.PI) % 90;
  return degrees > 1e-9 ? degrees : degrees + 90;
}

function extent(points: Polygon, [x, y]: Point): readonly [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    const place = point[0] * x + point[1] * y;
    min = Math.min(min, place);
    max = Math.max(max, place);
  }
  return [min, max];
}

function flatRect(hull: Polygon): RotatedRect {
  const [from, to = from] = hull;
  if (from === undefined || to === undefined) return { center: [0, 0], width: 0, height: 0, angle: 0 };
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  return {
    center: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2],
    width: Math.hypot(dx, dy),
    height: 0,
    angle: (Math.atan2(dy, dx) * 180) / Math.PI,
  };
}
