import { histogramOf, mapLevels, type Plane } from "./plane.ts";

/** Level below which `percent` of the pixels of all planes lie, blended between neighbours. */
export function levelPercentile(planes: readonly Plane[], percent: number): number {
  const histogram = histogramOf(planes);
  const count = planes.reduce((sum, { data }) => sum + data.length, 0);
  const rank = (percent / 100) * (count - 1);
  const below = levelOfRank(histogram, Math.floor(rank));
  const above = levelOfRank(histogram, Math.ceil(rank));
  return below + (above - below) * (rank - Math.floor(rank));
}

function levelOfRank(histogram: Float64Array, rank: number): number {
  let seen = 0;
  for (let level = 0; level < 256; level++) {
    seen += histogram[level]!;
    if (seen > rank) return level;
  }
  return 255;
}

/** Spreads the levels between the percentiles 2 and 98 of the whole picture over all 256. */
export function stretchContrast(planes: readonly Plane[]): readonly Plane[] {
  const low = levelPercentile(planes, 2);
  const high = levelPercentile(planes, 98);
  if (low === high) return planes;
  const table = tableOf((level) => ((Math.min(Math.max(level, low), high) - low) / (high - low)) * 255);
  return planes.map((plane) => mapLevels(plane, table));
}

/** Spreads the levels so that all occur about equally often, counted over the whole picture. */
export function equalizeHistogram(planes: readonly Plane[]): readonly Plane[] {
  const { centers, shares } = cumulativeShares(planes);
  const table = tableOf((level) => interpolate(Math.fround(level / 255), centers, shares) * 255);
  return planes.map((plane) => mapLevels(plane, table));
}

/** Share of pixels up to each of 256 bins between the least and the greatest value (0 to 1). */
function cumulativeShares(planes: readonly Plane[]): { centers: Float64Array; shares: Float64Array } {
  const histogram = histogramOf(planes);
  const used = Array.from(histogram.keys()).filter((level) => histogram[level]! > 0);
  let low = Math.fround((used[0] ?? 0) / 255);
  let high = Math.fround((used.at(-1) ?? 0) / 255);
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const width = (high - low) / 256;
  const shares = new Float64Array(256);
  for (const level of used) {
    const bin = Math.min(255, Math.floor((Math.fround(level / 255) - low) / width));
    shares[bin]! += histogram[level]!;
  }
  for (let bin = 1; bin < 256; bin++) shares[bin]! += shares[bin - 1]!;
  const total = shares[255]!;
  return {
    centers: Float64Array.from({ length: 256 }, (_, bin) => low + (bin + 0.5) * width),
    shares: shares.map((share) => share / total),
  };
}

function interpolate(value: number, positions: Float64Array, values: Float64Array): number {
  if (value <= positions[0]!) return values[0]!;
  const last = positions.length - 1;
  if (value >= positions[last]!) return values[last]!;
  let at = 0;
  while (positions[at + 1]! <= value) at++;
  const share = (value - positions[at]!) / (positions[at + 1]! - positions[at]!);
  return values[at]! + share * (values[at + 1]! - values[at]!);
}

export interface EnhanceOptions {
  /** Percent of the darkest and of the lightest pixels that are cut off. */
  readonly clipPercent: number;
  /** Distance from the middle level (128) is multiplied with this. */
  readonly multiplier: number;
  /** Exponent on levels from 0 to 1; 1 leaves them. */
  readonly gamma: number;
}

/** Spreads the levels of one plane over all 256, then strengthens and brightens; a flat plane stays as it is. */
export function enhanceContrast(plane: Plane, { clipPercent, multiplier, gamma }: EnhanceOptions): Plane {
  const low = levelPercentile([plane], clipPercent);
  const high = levelPercentile([plane], 100 - clipPercent);
  if (high <= low) return plane;
  const table = tableOf((level) => {
    const spread = ((level - low) / (high - low)) * 255;
    const strong = 128 + (spread - 128) * multiplier;
    return gamma === 1 ? strong : (Math.min(Math.max(strong, 0), 255) / 255) ** gamma * 255;
  });
  return mapLevels(plane, table);
}

/** Fractions are cut off. A little is added, for the peer computes in 32 bits and lands on whole numbers. */
function tableOf(rule: (level: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, level) => Math.min(Math.max(Math.floor(rule(level) + 1e-5), 0), 255));
}
