// rectangles of a floor and of walls → shapes
import type { Pen } from "./pen.ts";
import type { ScreenPoint } from "./view.ts";

/** Metres. */
export type MetreSpan = readonly [from: number, to: number];

export function paintFloor(pen: Pen, [left, right]: MetreSpan, [near, far]: MetreSpan, color: string): void {
  const at = (x: number, y: number): ScreenPoint => pen.project([x, y, 0]);
  pen.paint([[at(left, near), at(right, near), at(right, far), at(left, far)]], color);
}

/** Paints rectangles, from left to right and from low to high, on a wall that faces the camera `y` metres away. */
export function wallPainter(y: number): (pen: Pen, x: MetreSpan, z: MetreSpan, color: string) => void {
  return (pen, [left, right], [low, high], color) => {
    const at = (x: number, z: number): ScreenPoint => pen.project([x, y, z]);
    pen.paint([[at(left, low), at(right, low), at(right, high), at(left, high)]], color);
  };
}
