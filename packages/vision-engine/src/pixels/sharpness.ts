import { sobelGradients } from "./gradients.ts";
import { createPlane, type Plane } from "./plane.ts";

/** Brenner's measure: the squared brightening over two pixels, rightwards or downwards, whichever is more. */
export function brennerSharpness({ width, height, data }: Plane): { measure: number; map: Plane } {
  const squares = new Float64Array(data.length);
  let sum = 0;
  let greatest = 0;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const across = x < width - 2 ? data[at + 2]! - data[at]! : 0;
      const down = y < height - 2 ? data[at + 2 * width]! - data[at]! : 0;
      const square = Math.max(across, down, 0) ** 2;
      squares[at] = square;
      sum += square;
      greatest = Math.max(greatest, square);
    }
  }
  const map = createPlane(width, height);
  if (greatest > 0) for (let at = 0; at < squares.length; at++) map.data[at] = (squares[at]! / greatest) * 255;
  return { measure: data.length === 0 ? 0 : sum / data.length, map };
}

/** Tenengrad: the squared steepness of each pixel. */
export function tenengrad(plane: Plane): Float32Array {
  const { x, y } = sobelGradients(plane);
  for (let at = 0; at < x.length; at++) x[at] = x[at]! * x[at]! + y[at]! * y[at]!;
  return x;
}

/** Mean over pixels [x1, x2) × [y1, y2) cut to the picture; absent when nothing of it lies inside. */
export function meanWithin(
  values: Float32Array,
  size: { readonly width: number; readonly height: number },
  box: readonly [x1: number, y1: number, x2: number, y2: number],
): number | undefined {
  const [x1, y1, x2, y2] = [
    Math.max(0, box[0]),
    Math.max(0, box[1]),
    Math.min(size.width, box[2]),
    Math.min(size.height, box[3]),
  ];
  if (x2 <= x1 || y2 <= y1) return undefined;
  let sum = 0;
  for (let y = y1; y < y2; y++) for (let x = x1; x < x2; x++) sum += values[y * size.width + x]!;
  return sum / ((x2 - x1) * (y2 - y1));
}
