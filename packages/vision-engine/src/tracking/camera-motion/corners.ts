// grey picture → points that can be found again in the next one
import type { Point } from "../../geometry/points.ts";
import { sobelGradients } from "../../pixels/gradients.ts";
import type { Plane } from "../../pixels/plane.ts";

export interface CornerOptions {
  /** At most this many, the strongest first. */
  readonly most: number;
  /** Weaker ones than this part of the strongest are left out. */
  readonly quality: number;
}

/** Corners by the smaller eigenvalue of the gradients around a pixel (Shi and Tomasi, 1994). */
export function findCorners(plane: Plane, { most, quality }: CornerOptions): readonly Point[] {
  const { width, height } = plane;
  const strength = cornerStrength(plane);
  const strongest = strength.reduce((best, value) => Math.max(best, value), 0);
  const corners: { readonly at: number; readonly value: number }[] = [];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const value = strength[at]!;
      if (value > quality * strongest && isPeak(strength, at, width)) corners.push({ at, value });
    }
  }
  corners.sort((one, other) => other.value - one.value);
  return corners.slice(0, most).map(({ at }) => [at % width, Math.trunc(at / width)]);
}

function isPeak(strength: Float32Array, at: number, width: number): boolean {
  const value = strength[at]!;
  for (let row = at - width; row <= at + width; row += width) {
    if (strength[row - 1]! > value || strength[row]! > value || strength[row + 1]! > value) return false;
  }
  return true;
}

/** For each pixel: how much the picture changes around it in the direction in which it changes least. */
function cornerStrength(plane: Plane): Float32Array {
  const { width, height } = plane;
  const { x, y } = sobelGradients(plane);
  const xx = x.map((value) => value * value);
  const xy = x.map((value, at) => value * y[at]!);
  const yy = y.map((value) => value * value);
  const strength = new Float32Array(width * height);
  for (let row = 1; row < height - 1; row++) {
    for (let at = row * width + 1; at < (row + 1) * width - 1; at++) {
      const a = sumAround(xx, at, width);
      const b = sumAround(xy, at, width);
      const c = sumAround(yy, at, width);
      strength[at] = (a + c - Math.sqrt((a - c) * (a - c) + 4 * b * b)) / 2;
    }
  }
  return strength;
}

function sumAround(values: Float32Array, at: number, width: number): number {
  let sum = 0;
  for (let row = at - width; row <= at + width; row += width) sum += values[row - 1]! + values[row]! + values[row + 1]!;
  return sum;
}
