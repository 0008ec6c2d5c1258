import { borderIndices } from "./border.ts";
import { createPlane, type Plane } from "./plane.ts";

/** The middle level of `size` × `size` pixels; `size` is odd. A histogram slides along each row. */
export function medianBlur(plane: Plane, size: number): Plane {
  const { width, height, data } = plane;
  const radius = size >> 1;
  const columns = borderIndices(width, radius, radius, "replicate");
  const rows = borderIndices(height, radius, radius, "replicate");
  const blurred = createPlane(width, height);
  const rank = (size * size) >> 1;
  const counts = new Int32Array(256);
  for (let y = 0; y < height; y++) {
    counts.fill(0);
    // `below` counts the pixels darker than `median`, so that both only move a little from pixel to pixel.
    let median = 0;
    let below = 0;
    const change = (column: number, step: number): void => {
      for (let at = y; at < y + size; at++) {
        const level = data[rows[at]! * width + column]!;
        counts[level]! += step;
        if (level < median) below += step;
      }
    };
    for (let at = 0; at < size - 1; at++) change(columns[at]!, 1);
    for (let x = 0; x < width; x++) {
      change(columns[x + size - 1]!, 1);
      while (below > rank) below -= counts[--median]!;
      while (below + counts[median]! <= rank) below += counts[median++]!;
      blurred.data[y * width + x] = median;
      change(columns[x]!, -1);
    }
  }
  return blurred;
}
