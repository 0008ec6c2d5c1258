// plane → its gradients, how sharp it is, which way its edges run

import { roundHalfEven } from "../geometry/polygons.ts";
import { gaussianBlur } from "./blur.ts";
import { clahe } from "./contrast.ts";
import { borderIndices, createPlane, type Plane } from "./plane.ts";
import { resizeArea } from "./transforms.ts";

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

/** Less spread of levels than this is a picture without edges. */
const LEAST_SPREAD = 3;
/** How far, in spreads, the commonest direction must stand out. */
const LEAST_PEAK = 1.5;

/** No side longer than `longest` pixels. */
export function shrinkTo(plane: Plane, longest: number): Plane {
  const largest = Math.max(plane.width, plane.height);
  if (largest <= longest) return plane;
  const sideOf = (side: number): number => Math.max(1, roundHalfEven((side * longest) / largest));
  return resizeArea(plane, sideOf(plane.width), sideOf(plane.height));
}

/** Direction in which the picture changes most, in degrees from 0 up to 180 (0: upright edges); absent when none stands out. */
export function dominantGradientAngle(plane: Plane): number | undefined {
  if (spreadOf(plane.data) < LEAST_SPREAD) return undefined;
  const { x, y } = sobelGradients(gaussianBlur(clahe(plane, 3), 5));
  const steepness = x.map((value, at) => Math.hypot(value, y[at]!));
  const threshold = Math.max(percentileOf(steepness, 80), 1e-6);
  const angles: number[] = [];
  const weights: number[] = [];
  for (let at = 0; at < steepness.length; at++) {
    if (steepness[at]! < threshold) continue;
    const degrees = (Math.atan2(y[at]!, x[at]!) * 180) / Math.PI;
    angles.push(((degrees % 180) + 180) % 180);
    weights.push(steepness[at]!);
  }
  const peak = peakOf(angles, weights);
  return peak === undefined ? undefined : meanNear(angles, weights, peak);
}

function spreadOf(values: ArrayLike<number>): number {
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < values.length; at++) {
    sum += values[at]!;
    squares += values[at]! ** 2;
  }
  const mean = sum / values.length;
  return Math.sqrt(Math.max(0, squares / values.length - mean * mean));
}

function percentileOf(values: Float32Array, percent: number): number {
  const sorted = values.slice().sort();
  const rank = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(rank)]!;
  return below + (sorted[Math.ceil(rank)]! - below) * (rank - Math.floor(rank));
}

/** Middle of the degree that weighs most, smoothed over five; absent when none stands out. */
function peakOf(angles: readonly number[], weights: readonly number[]): number | undefined {
  const histogram = new Float64Array(180);
  for (const [at, angle] of angles.entries()) histogram[Math.min(179, Math.floor(angle))]! += weights[at]!;
  const smoothed = histogram.map((_, degree) => {
    let sum = 0;
    for (let shift = -2; shift <= 2; shift++) sum += histogram[(degree + shift + 180) % 180]!;
    return sum / 5;
  });
  const sorted = smoothed.slice().sort();
  const median = (sorted[89]! + sorted[90]!) / 2;
  const highest = sorted[179]!;
  return (highest - median) / (spreadOf(smoothed) + 1e-9) < LEAST_PEAK ? undefined : smoothed.indexOf(highest) + 0.5;
}

/** Weighted mean of the angles within 3° of the peak; angles are doubled, for 0° and 180° are the same. */
function meanNear(angles: readonly number[], weights: readonly number[], peak: number): number {
  let [sine, cosine, found] = [0, 0, false];
  for (const [at, angle] of angles.entries()) {
    const distance = Math.abs(angle - peak);
    if (Math.min(distance, 180 - distance) > 3) continue;
    found = true;
    sine += weights[at]! * Math.sin((angle * Math.PI) / 90);
    cosine += weights[at]! * Math.cos((angle * Math.PI) / 90);
  }
  return found ? (Math.atan2(sine, cosine) * 90) / Math.PI : peak;
}
