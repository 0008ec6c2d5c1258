/** Pixels from the left top corner of the picture. */
export type Point = readonly [x: number, y: number];

/** Vertices in order; the last one joins the first. */
export type Polygon = readonly Point[];

export function distance(from: Point, to: Point): number {
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}

/** Nearest whole number; a half goes to the even neighbour. */
export function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
