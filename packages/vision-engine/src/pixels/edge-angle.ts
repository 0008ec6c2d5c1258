// grey picture → angle of its straight edges
import { roundHalfEven } from "../geometry/points.ts";
import { clahe } from "./clahe.ts";
import { gaussianBlur } from "./gaussian-blur.ts";
import { sobelGradients } from "./gradients.ts";
import type { Plane } from "./plane.ts";
import { resizeArea } from "./resize-area.ts";

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
