import { borderIndices } from "./border.ts";
import type { Plane } from "./plane.ts";

export interface Gradients {
  /** Change from left to right at each pixel, after Sobel (3 × 3). */
  readonly x: Float32Array;
  /** Change from top to bottom. */
  readonly y: Float32Array;
}

export function sobelGradients({ width, height, data }: Plane): Gradients {
  const columns = borderIndices(width, 1, 1, "reflect");
  const rows = borderIndices(height, 1, 1, "reflect");
  const gradients = { x: new Float32Array(data.length), y: new Float32Array(data.length) };
  for (let y = 0, at = 0; y < height; y++) {
    const above = rows[y]! * width;
    const here = y * width;
    const below = rows[y + 2]! * width;
    for (let x = 0; x < width; x++, at++) {
      const left = columns[x]!;
      const right = columns[x + 2]!;
      const upperLeft = data[above + left]!;
      const upperRight = data[above + right]!;
      const lowerLeft = data[below + left]!;
      const lowerRight = data[below + right]!;
      gradients.x[at] =
        upperRight + 2 * data[here + right]! + lowerRight - upperLeft - 2 * data[here + left]! - lowerLeft;
      gradients.y[at] = lowerLeft + 2 * data[below + x]! + lowerRight - upperLeft - 2 * data[above + x]! - upperRight;
    }
  }
  return gradients;
}
