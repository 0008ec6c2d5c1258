import { roundHalfEven } from "../geometry/points.ts";
import { averageBlur } from "./average-blur.ts";
import { gaussianMean } from "./gaussian-blur.ts";
import { createPlane, histogramOf, mapLevels, type Plane } from "./plane.ts";

/** What becomes of levels above the threshold, and of the others. */
export type ThresholdKind = "binary" | "binary_inv" | "trunc" | "tozero" | "tozero_inv";

const RULES: Readonly<Record<ThresholdKind, (level: number, threshold: number, max: number) => number>> = {
  binary: (level, threshold, max) => (level > threshold ? max : 0),
  binary_inv: (level, threshold, max) => (level > threshold ? 0 : max),
  trunc: (level, threshold) => Math.min(level, threshold),
  tozero: (level, threshold) => (level > threshold ? level : 0),
  tozero_inv: (level, threshold) => (level > threshold ? 0 : level),
};

export function isThresholdKind(text: string): text is ThresholdKind {
  return Object.hasOwn(RULES, text);
}

export interface ThresholdOptions {
  readonly kind: ThresholdKind;
  /** Fractions are cut off: levels are whole. */
  readonly threshold: number;
  readonly max: number;
}

export function applyThreshold(plane: Plane, { kind, threshold, max }: ThresholdOptions): Plane {
  const limit = Math.floor(threshold);
  const top = roundHalfEven(max);
  const table = new Uint8ClampedArray(256);
  for (let level = 0; level < 256; level++) table[level] = RULES[kind](level, limit, top);
  return mapLevels(plane, new Uint8Array(table.buffer));
}

/** The level that parts dark from light best (Otsu): the first with the largest variance between both. */
export function otsuThreshold(plane: Plane): number {
  const share = histogramOf([plane]).map((count) => count / plane.data.length);
  const mean = share.reduce((sum, part, level) => sum + part * level, 0);
  let darkShare = 0;
  let darkMean = 0;
  let best = { level: 0, variance: 0 };
  for (let level = 0; level < 256; level++) {
    darkMean *= darkShare;
    darkShare += share[level]!;
    const lightShare = 1 - darkShare;
    if (Math.min(darkShare, lightShare) < 2 ** -23 || Math.max(darkShare, lightShare) > 1 - 2 ** -23) continue;
    darkMean = (darkMean + level * share[level]!) / darkShare;
    const lightMean = (mean - darkShare * darkMean) / lightShare;
    const variance = darkShare * lightShare * (darkMean - lightMean) ** 2;
    if (variance > best.variance) best = { level, variance };
  }
  return best.level;
}

export interface AdaptiveThresholdOptions {
  readonly mean: "average" | "gaussian";
  readonly max: number;
  /** Odd number of pixels across that a pixel is compared with. */
  readonly size: number;
  /** How far below the mean a pixel may lie and still count as light. */
  readonly offset: number;
}

/** Light where a pixel is not much darker than its surroundings. */
export function adaptiveThreshold(plane: Plane, options: AdaptiveThresholdOptions): Plane {
  const { size, offset } = options;
  const mean = options.mean === "average" ? averageBlur(plane, size, "replicate") : gaussianMean(plane, size);
  const max = Math.min(Math.max(roundHalfEven(options.max), 0), 255);
  const result = createPlane(plane.width, plane.height);
  const margin = Math.ceil(offset);
  for (let at = 0; at < result.data.length; at++) {
    result.data[at] = plane.data[at]! - mean.data[at]! > -margin ? max : 0;
  }
  return result;
}
