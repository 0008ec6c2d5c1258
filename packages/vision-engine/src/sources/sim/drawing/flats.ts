// rectangles of a floor, of walls and of bodies → shapes
import type { Pen } from "./pen.ts";
import type { Vec3 } from "./view.ts";

/** Metres. */
export type MetreSpan = readonly [from: number, to: number];

/** Corners of a flat rectangle, one after the other; in the direction in which it has no extent it has a place. */
export function rectangleCorners(x: MetreSpan | number, y: MetreSpan | number, z: MetreSpan | number): readonly Vec3[] {
  // Each span takes one bit: its first end, or its second.
  return [0b00, 0b01, 0b11, 0b10].map((ends) => {
    let bits = ends;
    const place = (span: MetreSpan | number): number => {
      if (typeof span === "number") return span;
      const end = span[bits & 1] as number;
      bits >>= 1;
      return end;
    };
    return [place(x), place(y), place(z)];
  });
}

export function paintFloor(pen: Pen, x: MetreSpan, y: MetreSpan, color: string): void {
  pen.paintFlat(rectangleCorners(x, y, 0), color);
}

/** Paints rectangles, from left to right and from low to high, on a wall that faces the camera `y` metres away. */
export function wallPainter(y: number): (pen: Pen, x: MetreSpan, z: MetreSpan, color: string) => void {
  return (pen, x, z, color) => pen.paintFlat(rectangleCorners(x, y, z), color);
}

/** Corners of a circle that stands upright and looks to the side, like a wheel. */
export function uprightCircle([x, y, z]: Vec3, radius: number, corners: number): readonly Vec3[] {
  return Array.from({ length: corners }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / corners;
    return [x + radius * Math.cos(angle), y, z + radius * Math.sin(angle)];
  });
}
