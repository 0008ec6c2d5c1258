import { borderIndices } from "./border.ts";
import { createPlane, type Plane, toLevel } from "./plane.ts";

const TILES = 8;

/** Equalises the histogram of each of 8 × 8 tiles, with its peaks cut at `clipLimit` × the mean, and blends between tiles. */
export function clahe(plane: Plane, clipLimit: number): Plane {
  const { width, height, data } = plane;
  const tileWidth = Math.ceil(width / TILES);
  const tileHeight = Math.ceil(height / TILES);
  const columns = borderIndices(width, 0, tileWidth * TILES - width, "reflect");
  const rows = borderIndices(height, 0, tileHeight * TILES - height, "reflect");
  const tables: Uint8Array[] = [];
  for (let tileY = 0; tileY < TILES; tileY++) {
    for (let tileX = 0; tileX < TILES; tileX++) {
      const histogram = new Int32Array(256);
      for (let y = tileY * tileHeight; y < (tileY + 1) * tileHeight; y++) {
        for (let x = tileX * tileWidth; x < (tileX + 1) * tileWidth; x++) {
          histogram[data[rows[y]! * width + columns[x]!]!]! += 1;
        }
      }
      tables.push(tableOf(histogram, tileWidth * tileHeight, clipLimit));
    }
  }
  return blend(plane, tables, { tileWidth, tileHeight });
}

function tableOf(histogram: Int32Array, area: number, clipLimit: number): Uint8Array {
  const limit = Math.max(1, Math.trunc((clipLimit * area) / 256));
  let excess = 0;
  for (let level = 0; level < 256; level++) {
    excess += Math.max(0, histogram[level]! - limit);
    histogram[level] = Math.min(histogram[level]!, limit);
  }
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
