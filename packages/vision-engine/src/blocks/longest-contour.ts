import type { Contour } from "../geometry/contours.ts";

/** The outline with the most corners, the first of several: what stands for a mask that has many parts. */
export function longestContour(contours: readonly Contour[]): Contour | undefined {
  let longest: Contour | undefined;
  for (const contour of contours) if (contour.length > (longest?.length ?? 0)) longest = contour;
  return longest;
}
