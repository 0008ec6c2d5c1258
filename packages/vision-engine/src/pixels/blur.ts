// planes → softer planes
import { roundHalfEven } from "../geometry/polygons.ts";
import { type BorderRule, borderIndices, createPlane, type Plane, toLevel } from "./plane.ts";

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

/** The binomial-like weights that OpenCV takes for small sizes when no sigma is given, in 256ths. */
const SMALL_KERNELS: Readonly<Record<number, readonly number[]>> = {
  1: [256],
  3: [64, 128, 64],
  5: [16, 64, 96, 64, 16],
  7: [8, 28, 56, 72, 56, 28, 8],
  9: [4, 13, 30, 51, 60, 51, 30, 13, 4],
};

/** Weights that sum to 1, for an odd size; the width of the bell follows from the size. */
function gaussianKernel(size: number): Float64Array {
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
  convolve(plane, kernel, "reflect", (sums, y) => {
    const row = y * plane.width;
    for (let x = 0; x < sums.length; x++) blurred.data[row + x] = (sums[x]! + 32768) >>> 16;
  });
  return blurred;
}

/** Blurs with exact weights and repeats the edge, as adaptive thresholds need it. */
export function gaussianMean(plane: Plane, size: number): Plane {
  const blurred = createPlane(plane.width, plane.height);
  convolve(plane, gaussianKernel(size), "replicate", (sums, y) => {
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

/** The kernel along rows, then along columns; `emit` gets the sums of each row, valid during the call. */
function convolve(
  plane: Plane,
  kernel: Float64Array,
  border: BorderRule,
  emit: (sums: Float64Array, y: number) => void,
): void {
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

export interface BilateralOptions {
  /** Pixels across; 0 or less takes 1.5 × `spaceSigma` as the radius. */
  readonly diameter: number;
  /** How different a colour may be to count, in levels. */
  readonly colorSigma: number;
  /** How far a pixel may be to count, in pixels. */
  readonly spaceSigma: number;
}

/** Blurs within areas of like colour; the planes of a picture are weighed together. */
export function bilateralBlur(planes: readonly Plane[], options: BilateralOptions): readonly Plane[] {
  const { width, height } = planes[0]!;
  const { diameter, colorSigma, spaceSigma } = options;
  const radius = Math.max(1, diameter > 0 ? diameter >> 1 : Math.round(spaceSigma * 1.5));
  const padded = planes.map((plane) => pad(plane, radius));
  const stride = width + 2 * radius;
  const { offsets, weights } = circleOf(radius, stride, spaceSigma);
  const colorWeights = Float64Array.from({ length: 255 * planes.length + 1 }, (_, difference) =>
    Math.exp((-0.5 * difference * difference) / (colorSigma * colorSigma)),
  );
  const blurred = planes.map(() => createPlane(width, height));
  const window: Window = { padded, offsets, weights, colorWeights, sums: new Float64Array(planes.length) };
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const total = weigh(window, (y + radius) * stride + x + radius);
      for (const [channel, { data }] of blurred.entries()) data[at] = toLevel(window.sums[channel]! / total);
    }
  }
  return blurred;
}

interface Window {
  readonly padded: readonly Uint8Array[];
  /** Way from the center to each pixel around it, and how much that counts by its distance. */
  readonly offsets: Int32Array;
  readonly weights: Float64Array;
  /** How much a pixel counts by the difference of its colour. */
  readonly colorWeights: Float64Array;
  /** Weighted sum of each channel; written by `weigh`. */
  readonly sums: Float64Array;
}

/** Sums up the pixels around one; gives the sum of their weights. */
function weigh({ padded, offsets, weights, colorWeights, sums }: Window, center: number): number {
  let total = 0;
  sums.fill(0);
  for (let at = 0; at < offsets.length; at++) {
    const near = center + offsets[at]!;
    let difference = 0;
    for (const data of padded) difference += Math.abs(data[near]! - data[center]!);
    const weight = weights[at]! * colorWeights[difference]!;
    total += weight;
    for (let channel = 0; channel < padded.length; channel++) sums[channel]! += weight * padded[channel]![near]!;
  }
  return total;
}

function pad({ width, height, data }: Plane, radius: number): Uint8Array {
  const columns = borderIndices(width, radius, radius, "reflect");
  const rows = borderIndices(height, radius, radius, "reflect");
  const padded = new Uint8Array(columns.length * rows.length);
  for (let y = 0, to = 0; y < rows.length; y++) {
    for (let x = 0; x < columns.length; x++) padded[to++] = data[rows[y]! * width + columns[x]!]!;
  }
  return padded;
}

function circleOf(radius: number, stride: number, sigma: number): { offsets: Int32Array; weights: Float64Array } {
  const offsets: number[] = [];
  const weights: number[] = [];
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      const squared = dx * dx + dy * dy;
      if (squared > radius * radius) continue;
      offsets.push(dy * stride + dx);
      weights.push(Math.exp((-0.5 * squared) / (sigma * sigma)));
    }
  }
  return { offsets: Int32Array.from(offsets), weights: Float64Array.from(weights) };
}
