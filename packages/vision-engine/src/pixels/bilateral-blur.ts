import { borderIndices } from "./border.ts";
import { createPlane, type Plane, toLevel } from "./plane.ts";

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
