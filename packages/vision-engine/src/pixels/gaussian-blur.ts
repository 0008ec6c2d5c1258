import { roundHalfEven } from "../geometry/points.ts";
import { type BorderRule, borderIndices } from "./border.ts";
import { createPlane, type Plane } from "./plane.ts";

/** The binomial-like weights that OpenCV takes for small sizes when no sigma is given, in 256ths. */
const SMALL_KERNELS: Readonly<Record<number, readonly number[]>> = {
  1: [256],
  3: [64, 128, 64],
  5: [16, 64, 96, 64, 16],
  7: [8, 28, 56, 72, 56, 28, 8],
  9: [4, 13, 30, 51, 60, 51, 30, 13, 4],
};

/** Weights that sum to 1, for an odd size; the width of the bell follows from the size. */
export function gaussianKernel(size: number): Float64Array {
  const small = SMALL_KERNELS[size];
  if (small !== undefined) return Float64Array.from(small, (weight) => weight / 256);
  const sigma = 0.3 * ((size - 1) * 0.5 - 1) + 0.8;
  const weights = Float64Array.from({ length: size }, (_, at) => {
    const distance = at - (size - 1) / 2;
    return Math.exp((-0.5 * distance * distance) / (sigma * sigma));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Blurs with weights in 256ths, as OpenCV does for 8 bits. `size` is odd. */
export function gaussianBlur(plane: Plane, size: number): Plane {
  const blurred = createPlane(plane.width, plane.height);
  const kernel = toFixedPoint(gaussianKernel(size));
  convolve({ plane, kernel, border: "reflect" }, (sums, y) => {
    const row = y * plane.width;
    for (let x = 0; x < sums.length; x++) blurred.data[row + x] = (sums[x]! + 32768) >>> 16;
  });
  return blurred;
}

/** Blurs with exact weights and repeats the edge, as adaptive thresholds need it. */
export function gaussianMean(plane: Plane, size: number): Plane {
  const blurred = createPlane(plane.width, plane.height);
  convolve({ plane, kernel: gaussianKernel(size), border: "replicate" }, (sums, y) => {
    const row = y * plane.width;
    for (let x = 0; x < sums.length; x++) blurred.data[row + x] = roundHalfEven(sums[x]!);
  });
  return blurred;
}

/** Whole 256ths that sum to 256; what is lost in rounding goes to the next weight. */
function toFixedPoint(kernel: Float64Array): Float64Array {
  const fixed = new Float64Array(kernel.length);
  const middle = kernel.length >> 1;
  let error = 0;
  let sum = 0;
  for (let at = 0; at < middle; at++) {
    const wanted = kernel[at]! * 256 + error;
    const weight = roundHalfEven(wanted);
    error = wanted - weight;
    fixed[at] = weight;
    fixed[kernel.length - 1 - at] = weight;
    sum += 2 * weight;
  }
  fixed[middle] = 256 - sum;
  return fixed;
}

interface Convolution {
  readonly plane: Plane;
  readonly kernel: Float64Array;
  readonly border: BorderRule;
}

/** The kernel along rows, then along columns; `emit` gets the sums of each row, valid during the call. */
function convolve({ plane, kernel, border }: Convolution, emit: (sums: Float64Array, y: number) => void): void {
  const { width, height, data } = plane;
  const radius = kernel.length >> 1;
  const columns = borderIndices(width, radius, radius, border);
  const rows = borderIndices(height, radius, radius, border);
  const across = new Float64Array(width * height);
  const padded = new Float64Array(columns.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < padded.length; x++) padded[x] = data[y * width + columns[x]!]!;
    addWeighted(across.subarray(y * width, (y + 1) * width), kernel, (at) => padded.subarray(at, at + width));
  }
  const sums = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    addWeighted(sums, kernel, (at) => across.subarray(rows[y + at]! * width, (rows[y + at]! + 1) * width));
    emit(sums, y);
  }
}

function addWeighted(sums: Float64Array, kernel: Float64Array, lineAt: (at: number) => Float64Array): void {
  for (let at = 0; at < kernel.length; at++) {
    const weight = kernel[at]!;
    const line = lineAt(at);
    for (let x = 0; x < sums.length; x++) sums[x]! += weight * line[x]!;
  }
}
