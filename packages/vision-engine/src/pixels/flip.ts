import { createPlane, type Plane } from "./plane.ts";

/** Mirrors a picture: `vertical` puts the top at the bottom, `horizontal` the left at the right. */
export function flip(plane: Plane, { vertical, horizontal }: { vertical: boolean; horizontal: boolean }): Plane {
  const { width, height, data } = plane;
  const flipped = createPlane(width, height);
  for (let y = 0; y < height; y++) {
    const row = (vertical ? height - 1 - y : y) * width;
    for (let x = 0; x < width; x++) {
      flipped.data[y * width + x] = data[row + (horizontal ? width - 1 - x : x)]!;
    }
  }
  return flipped;
}
