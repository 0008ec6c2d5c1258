// levels → 14-bit levels → equalised by overlapping tiles → levels

import { roundHalfEven } from "../geometry/polygons.ts";
import { borderIndices, type ColorPlanes, createPlane, histogramOf, mapLevels, type Plane, toLevel } from "./plane.ts";

/** Level below which `percent` of the pixels of all planes lie, blended between neighbours. */
function levelPercentile(planes: readonly Plane[], percent: number): number {
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

const GREY_LEVELS = 2 ** 14;
const BINS = 256;

/** Contrast-limited adaptive equalisation as scikit-image does it; `clipLimit` is the largest share of one bin in a tile. */
export function equalizeAdaptive(plane: Plane, clipLimit: number): Plane {
  const equalized = createPlane(plane.width, plane.height);
  const values = equalizedValues(plane, clipLimit);
  for (let at = 0; at < values.length; at++) equalized.data[at] = Math.floor(values[at]! * 255 + 1e-5);
  return equalized;
}

/** The same on the brightness (the greatest of red, green and blue) of each pixel; hue and saturation stay. */
export function equalizeAdaptiveColor(planes: ColorPlanes, clipLimit: number): ColorPlanes {
  const [red, green, blue] = planes;
  const brightness = createPlane(red.width, red.height);
  for (let at = 0; at < brightness.data.length; at++) {
    brightness.data[at] = Math.max(red.data[at]!, green.data[at]!, blue.data[at]!);
  }
  const values = equalizedValues(brightness, clipLimit);
  const scaled = (plane: Plane): Plane => {
    const result = createPlane(plane.width, plane.height);
    for (let at = 0; at < values.length; at++) {
      const before = brightness.data[at]!;
      const share = before === 0 ? 1 : plane.data[at]! / before;
      result.data[at] = Math.floor(values[at]! * share * 255 + 1e-5);
    }
    return result;
  };
  return [scaled(red), scaled(green), scaled(blue)];
}

/** Equalised brightness of each pixel, from 0 to 1. */
function equalizedValues(plane: Plane, clipLimit: number): Float64Array {
  const { width, height } = plane;
  const tile = { width: Math.max(width >> 3, 1), height: Math.max(height >> 3, 1) };
  const columns = borderIndices(width, tile.width >> 1, endPadding(width, tile.width), "reflect");
  const rows = borderIndices(height, tile.height >> 1, endPadding(height, tile.height), "reflect");
  const bins = toBins(plane);
  const across = Math.floor(columns.length / tile.width);
  const down = Math.floor(rows.length / tile.height);
  const area = tile.width * tile.height;
  const limit = Math.trunc(Math.max(clipLimit * area, 1));
  const tables = Array.from({ length: (across - 1) * (down - 1) }, (_, at) => {
    const top = (tile.height >> 1) + Math.floor(at / (across - 1)) * tile.height;
    const left = (tile.width >> 1) + (at % (across - 1)) * tile.width;
    const tileRows = rows.subarray(top, top + tile.height);
    return toTable(clip(tileHistogram(bins, width, tileRows, columns.subarray(left, left + tile.width)), limit), area);
  });
  const values = new Float64Array(width * height);
  for (let y = 0; y < height; y++) {
    const placeY = (y + (tile.height >> 1)) / tile.height;
    const tileY = Math.floor(placeY);
    for (let x = 0; x < width; x++) {
      const placeX = (x + (tile.width >> 1)) / tile.width;
      const tileX = Math.floor(placeX);
      const bin = bins[y * width + x]!;
      // Table n stands for the tile before place n, so those of a place are n − 1 and n, held at the edges.
      const value = (stepX: number, stepY: number): number => {
        const column = Math.min(Math.max(tileX + stepX - 1, 0), across - 2);
        const row = Math.min(Math.max(tileY + stepY - 1, 0), down - 2);
        return tables[row * (across - 1) + column]![bin]!;
      };
      const shareX = ((x + (tile.width >> 1)) % tile.width) / tile.width;
      const shareY = ((y + (tile.height >> 1)) % tile.height) / tile.height;
      // Added up in 32 bits, row by row, as the peer does: on flat pictures the last bit decides.
      let sum = Math.fround(value(0, 0) * ((1 - shareX) * (1 - shareY)));
      sum = Math.fround(sum + Math.fround(value(1, 0) * (shareX * (1 - shareY))));
      sum = Math.fround(sum + Math.fround(value(0, 1) * ((1 - shareX) * shareY)));
      sum = Math.fround(sum + Math.fround(value(1, 1) * (shareX * shareY)));
      values[y * width + x] = Math.floor(sum);
    }
  }
  return spread(values);
}

function endPadding(length: number, size: number): number {
  return ((size - (length % size)) % size) + Math.ceil(size / 2);
}

/** Levels spread over 14 bits, then put into 256 bins. */
function toBins({ data }: Plane): Uint8Array {
  let low = 255;
  let high = 0;
  for (const level of data) {
    low = Math.min(low, level);
    high = Math.max(high, level);
  }
  const binSize = 1 + Math.floor(GREY_LEVELS / BINS);
  const table = Uint8Array.from({ length: 256 }, (_, level) => {
    if (high === low) return Math.min(level * 257, GREY_LEVELS - 1) / binSize;
    return roundHalfEven(((level - low) / (high - low)) * (GREY_LEVELS - 1)) / binSize;
  });
  return data.map((level) => table[level]!);
}

/** How often each level occurs where these rows and columns of a picture meet. */
function tileHistogram(levels: Uint8Array, width: number, rows: Int32Array, columns: Int32Array): Int32Array {
  const histogram = new Int32Array(BINS);
  for (const row of rows) for (const column of columns) histogram[levels[row * width + column]!]! += 1;
  return histogram;
}

/** Cuts peaks at `limit`; tells how much was cut. */
function cutPeaks(histogram: Int32Array, limit: number): number {
  let excess = 0;
  for (let bin = 0; bin < BINS; bin++) {
    excess += Math.max(0, histogram[bin]! - limit);
    histogram[bin] = Math.min(histogram[bin]!, limit);
  }
  return excess;
}

/** Cuts peaks at `limit` and hands what was cut to the bins that have room. */
function clip(histogram: Int32Array, limit: number): Int32Array {
  let excess = cutPeaks(histogram, limit);
  const share = Math.floor(excess / BINS);
  for (let bin = 0; bin < BINS; bin++) {
    const before = histogram[bin]!;
    histogram[bin] = before < limit - share ? before + share : limit;
    excess -= histogram[bin]! - before;
  }
  handOut(histogram, limit, excess);
  return histogram;
}

/** One to each bin with room, in strides, until nothing is left or nobody has room. */
function handOut(histogram: Int32Array, limit: number, excess: number): void {
  let left = excess;
  while (left > 0) {
    const before = left;
    for (let start = 0; start < BINS && left > 0; start++) {
      const open = histogram.reduce((count, value) => count + (value < limit ? 1 : 0), 0);
      const stride = Math.max(1, Math.floor(open / left));
      for (let bin = start; bin < BINS; bin += stride) {
        if (histogram[bin]! >= limit) continue;
        histogram[bin]! += 1;
        left -= 1;
      }
    }
    if (left === before) return;
  }
}

function toTable(histogram: Int32Array, area: number): Float64Array {
  const table = new Float64Array(BINS);
  let sum = 0;
  for (let bin = 0; bin < BINS; bin++) {
    sum += histogram[bin]!;
    table[bin] = Math.trunc(Math.min((sum * (GREY_LEVELS - 1)) / area, GREY_LEVELS - 1));
  }
  return table;
}

/** From the least to the greatest value onto 0 to 1. */
function spread(values: Float64Array): Float64Array {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low === high) return values.map((value) => Math.min(value, 1));
  return values.map((value) => (value - low) / (high - low));
}

const TILES = 8;

/** Equalises the histogram of each of 8 × 8 tiles, with its peaks cut at `clipLimit` × the mean, and blends between tiles. */
export function clahe(plane: Plane, clipLimit: number): Plane {
  const { width, height } = plane;
  const tileWidth = Math.ceil(width / TILES);
  const tileHeight = Math.ceil(height / TILES);
  const columns = borderIndices(width, 0, tileWidth * TILES - width, "reflect");
  const rows = borderIndices(height, 0, tileHeight * TILES - height, "reflect");
  const tables = Array.from({ length: TILES * TILES }, (_, at) => {
    const [top, left] = [Math.floor(at / TILES) * tileHeight, (at % TILES) * tileWidth];
    const tileRows = rows.subarray(top, top + tileHeight);
    const histogram = tileHistogram(plane.data, width, tileRows, columns.subarray(left, left + tileWidth));
    return clippedTable(histogram, tileWidth * tileHeight, clipLimit);
  });
  return blend(plane, tables, { tileWidth, tileHeight });
}

function clippedTable(histogram: Int32Array, area: number, clipLimit: number): Uint8Array {
  const limit = Math.max(1, Math.trunc((clipLimit * area) / 256));
  const excess = cutPeaks(histogram, limit);
  const share = excess >> 8;
  let rest = excess - share * 256;
  const step = rest > 0 ? Math.max(1, Math.floor(256 / rest)) : 1;
  for (let level = 0; level < 256; level++) histogram[level]! += share;
  for (let level = 0; level < 256 && rest > 0; level += step, rest--) histogram[level]! += 1;
  const table = new Uint8Array(256);
  let sum = 0;
  for (let level = 0; level < 256; level++) {
    sum += histogram[level]!;
    table[level] = toLevel((sum * 255) / area);
  }
  return table;
}

function blend(plane: Plane, tables: readonly Uint8Array[], tile: { tileWidth: number; tileHeight: number }): Plane {
  const { width, height, data } = plane;
  const result = createPlane(width, height);
  const across = Array.from({ length: width }, (_, x) => betweenTiles(x, tile.tileWidth));
  for (let y = 0; y < height; y++) {
    const down = betweenTiles(y, tile.tileHeight);
    for (let x = 0; x < width; x++) {
      const level = data[y * width + x]!;
      const { one, other, share } = across[x]!;
      const upper = mix(tables[down.one * TILES + one]![level]!, tables[down.one * TILES + other]![level]!, share);
      const lower = mix(tables[down.other * TILES + one]![level]!, tables[down.other * TILES + other]![level]!, share);
      result.data[y * width + x] = toLevel(mix(upper, lower, down.share));
    }
  }
  return result;
}

/** The two tiles that a position lies between, and how much of the second it takes. */
function betweenTiles(position: number, size: number): { one: number; other: number; share: number } {
  const place = position / size - 0.5;
  const first = Math.floor(place);
  return { one: Math.max(first, 0), other: Math.min(first + 1, TILES - 1), share: place - first };
}

function mix(one: number, other: number, share: number): number {
  return one * (1 - share) + other * share;
}
