// levels → 14-bit levels → equalised by overlapping tiles → levels
import { roundHalfEven } from "../geometry/points.ts";
import { borderIndices } from "./border.ts";
import { type ColorPlanes, createPlane, type Plane } from "./plane.ts";

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
  const tables = tileTables({ bins, width, columns, rows, tile, across, down, clipLimit });
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

interface TileGrid {
  readonly bins: Uint8Array;
  readonly width: number;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly tile: { readonly width: number; readonly height: number };
  readonly across: number;
  readonly down: number;
  readonly clipLimit: number;
}

function tileTables({ bins, width, columns, rows, tile, across, down, clipLimit }: TileGrid): readonly Float64Array[] {
  const area = tile.width * tile.height;
  const limit = Math.trunc(Math.max(clipLimit * area, 1));
  const tables: Float64Array[] = [];
  for (let tileY = 0; tileY < down - 1; tileY++) {
    for (let tileX = 0; tileX < across - 1; tileX++) {
      const histogram = new Int32Array(BINS);
      const top = (tile.height >> 1) + tileY * tile.height;
      const left = (tile.width >> 1) + tileX * tile.width;
      for (let y = top; y < top + tile.height; y++) {
        for (let x = left; x < left + tile.width; x++) histogram[bins[rows[y]! * width + columns[x]!]!]! += 1;
      }
      tables.push(toTable(clip(histogram, limit), area));
    }
  }
  return tables;
}

/** Cuts peaks at `limit` and hands what was cut to the bins that have room. */
function clip(histogram: Int32Array, limit: number): Int32Array {
  let excess = 0;
  for (let bin = 0; bin < BINS; bin++) {
    excess += Math.max(0, histogram[bin]! - limit);
    histogram[bin] = Math.min(histogram[bin]!, limit);
  }
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
