import { roundHalfEven } from "../geometry/points.ts";
import { type BorderRule, borderIndices } from "./border.ts";
import { createPlane, type Plane } from "./plane.ts";

/** Mean over `size` × `size` pixels, in constant time a pixel whatever the size. */
export function averageBlur(plane: Plane, size: number, border: BorderRule = "reflect"): Plane {
  const { width, height, data } = plane;
  const before = size >> 1;
  const columns = borderIndices(width, before, size - 1 - before, border);
  const rows = borderIndices(height, before, size - 1 - before, border);
  const blurred = createPlane(width, height);
  const divide = divisionBy(size * size);
  const columnSums = new Int32Array(width);
  const addRow = (row: number, sign: number): void => {
    for (let x = 0, at = row * width; x < width; x++, at++) columnSums[x]! += sign * data[at]!;
  };
  for (let at = 0; at < size - 1; at++) addRow(rows[at]!, 1);
  for (let y = 0; y < height; y++) {
    addRow(rows[y + size - 1]!, 1);
    let sum = 0;
    for (let at = 0; at < size - 1; at++) sum += columnSums[columns[at]!]!;
    for (let x = 0; x < width; x++) {
      sum += columnSums[columns[x + size - 1]!]!;
      blurred.data[y * width + x] = divide(sum);
      sum -= columnSums[columns[x]!]!;
    }
    addRow(rows[y]!, -1);
  }
  return blurred;
}

/** Odd sizes are rounded; even ones of up to 256 pixels are divided in fixed point, with OpenCV's slight bias upwards. */
function divisionBy(count: number): (sum: number) => number {
  if (count % 2 === 1 || count > 256) return (sum) => roundHalfEven(sum / count);
  const exact = 65536 / count;
  const isBelow = exact % 1 < 0.5;
  const factor = isBelow ? Math.floor(exact) : Math.ceil(exact);
  const offset = count / 2 + (isBelow ? 1 : 0);
  return (sum) => ((sum + offset) * factor) >>> 16;
}
