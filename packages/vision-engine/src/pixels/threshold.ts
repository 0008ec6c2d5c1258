// planes → black and white, grown and shrunk
import type { PixelSize } from "../frames/frame.ts";
import { roundHalfEven } from "../geometry/polygons.ts";
import { averageBlur, gaussianMean } from "./blur.ts";
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

/** A shape around a pixel: one run of columns for each row, `from` up to but not including `to`. */
export interface StructuringElement extends PixelSize {
  readonly rows: readonly { readonly from: number; readonly to: number }[];
}

export type MorphologyOperation = "erode" | "dilate" | "open" | "close" | "gradient" | "top_hat" | "black_hat";

export function rectangleElement(size: number): StructuringElement {
  return { width: size, height: size, rows: Array.from({ length: size }, () => ({ from: 0, to: size })) };
}

export function ellipseElement(size: number): StructuringElement {
  const radius = size >> 1;
  const rows = Array.from({ length: size }, (_, row) => {
    const dy = row - radius;
    if (Math.abs(dy) > radius) return { from: 0, to: 0 };
    const dx = radius === 0 ? 0 : Math.round(radius * Math.sqrt((radius * radius - dy * dy) / (radius * radius)));
    return { from: Math.max(radius - dx, 0), to: Math.min(radius + dx + 1, size) };
  });
  return { width: size, height: size, rows };
}

/** Pixels beyond the edge do not count. */
export function morph(plane: Plane, operation: MorphologyOperation, element: StructuringElement): Plane {
  switch (operation) {
    case "erode":
    case "dilate":
      return extremes(plane, element, operation);
    case "open":
      return extremes(extremes(plane, element, "erode"), element, "dilate");
    case "close":
      return extremes(extremes(plane, element, "dilate"), element, "erode");
    case "gradient":
      return subtract(extremes(plane, element, "dilate"), extremes(plane, element, "erode"));
    case "top_hat":
      return subtract(plane, morph(plane, "open", element));
    case "black_hat":
      return subtract(morph(plane, "close", element), plane);
  }
}

function subtract(one: Plane, other: Plane): Plane {
  const difference = createPlane(one.width, one.height);
  for (let at = 0; at < difference.data.length; at++) {
    difference.data[at] = Math.max(0, one.data[at]! - other.data[at]!);
  }
  return difference;
}

/** Least (erode) or greatest (dilate) level under the element. */
function extremes(plane: Plane, element: StructuringElement, operation: "erode" | "dilate"): Plane {
  const { width, height, data } = plane;
  const flip = operation === "dilate" ? 255 : 0;
  // Dilating is eroding the negative, so only minima are needed.
  const source = flip === 0 ? data : data.map((level) => 255 - level);
  const anchorX = element.width >> 1;
  const anchorY = element.height >> 1;
  const result = createPlane(width, height);
  result.data.fill(255);
  const minimaOfRun = new Map<string, Uint8Array>();
  for (const [row, { from, to }] of element.rows.entries()) {
    if (from >= to) continue;
    const key = `${from},${to}`;
    const minima = minimaOfRun.get(key) ?? rowMinima(source, plane, { from: from - anchorX, to: to - anchorX });
    minimaOfRun.set(key, minima);
    takeMinima(result, minima, row - anchorY);
  }
  if (flip !== 0) for (let at = 0; at < result.data.length; at++) result.data[at] = 255 - result.data[at]!;
  return result;
}

/** Lowers every pixel to the level that lies `shift` rows further down, if that is less. */
function takeMinima({ width, height, data }: Plane, minima: Uint8Array, shift: number): void {
  const first = Math.max(0, -shift) * width;
  const last = Math.min(height, height - shift) * width;
  for (let at = first, near = first + shift * width; at < last; at++, near++) {
    if (minima[near]! < data[at]!) data[at] = minima[near]!;
  }
}

/** For each pixel the least level of its row within [x + from, x + to). */
function rowMinima(source: Uint8Array, { width, height }: Plane, run: { from: number; to: number }): Uint8Array {
  if (run.from === 0 && run.to === 1) return source;
  const minima = new Uint8Array(width * height).fill(255);
  for (let shift = run.from; shift < run.to; shift++) {
    const first = Math.max(0, -shift);
    const last = Math.min(width, width - shift);
    for (let y = 0; y < height; y++) {
      const row = y * width;
      for (let x = first; x < last; x++) {
        const level = source[row + x + shift]!;
        if (level < minima[row + x]!) minima[row + x] = level;
      }
    }
  }
  return minima;
}
