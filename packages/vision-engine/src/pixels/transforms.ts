// planes → smaller, turned, mirrored
import type { PixelSize } from "../frames/frame.ts";
import { createPlane, type Plane, toLevel } from "./plane.ts";

/** Pixels of the source that a pixel of the result covers along one axis. */
interface Cover {
  readonly first: number;
  readonly weights: readonly number[];
}

/**
 * Another size: shrinking averages the area that falls onto a pixel; enlarging, or stretching one side while the other
 * shrinks, blends the two nearest.
 */
export function resizeArea(plane: Plane, width: number, height: number): Plane {
  const scaleX = plane.width / width;
  const scaleY = plane.height / height;
  const shrinks = scaleX >= 1 && scaleY >= 1;
  const columns = shrinks ? areaCovers(plane.width, width) : blendCovers(plane.width, width);
  const rows = shrinks ? areaCovers(plane.height, height) : blendCovers(plane.height, height);
  const resized = createPlane(width, height);
  const line = new Float64Array(plane.width);
  for (const [y, row] of rows.entries()) {
    line.fill(0);
    for (const [at, weight] of row.weights.entries()) {
      const from = (row.first + at) * plane.width;
      for (let x = 0; x < plane.width; x++) line[x]! += weight * plane.data[from + x]!;
    }
    for (let x = 0; x < width; x++) {
      const { first, weights } = columns[x]!;
      let sum = 0;
      for (let at = 0; at < weights.length; at++) sum += weights[at]! * line[first + at]!;
      resized.data[y * width + x] = toLevel(sum);
    }
  }
  return resized;
}

function areaCovers(from: number, to: number): readonly Cover[] {
  const scale = from / to;
  return Array.from({ length: to }, (_, at) => {
    const start = at * scale;
    const end = Math.min(start + scale, from);
    const first = Math.floor(start);
    const last = Math.min(Math.ceil(end - 1e-9), from);
    const weights: number[] = [];
    for (let pixel = first; pixel < last; pixel++) {
      weights.push((Math.min(end, pixel + 1) - Math.max(start, pixel)) / (end - start));
    }
    return { first, weights };
  });
}

function blendCovers(from: number, to: number): readonly Cover[] {
  const scale = from / to;
  return Array.from({ length: to }, (_, at) => {
    const first = Math.floor(at * scale);
    const beyond = at + 1 - (first + 1) / scale;
    const share = beyond <= 0 ? 0 : beyond - Math.floor(beyond);
    if (first >= from - 1) return { first: from - 1, weights: [1] };
    return { first, weights: [1 - share, share] };
  });
}

/** Where a point goes: x' = a·x + b·y + c, y' = d·x + e·y + f. */
type AffineMatrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export interface TurnedCanvas extends PixelSize {
  readonly matrix: AffineMatrix;
}

/** Turns a picture about its middle, counterclockwise for positive degrees, onto a canvas that holds all of it. */
export function turnOf(width: number, height: number, degrees: number): TurnedCanvas {
  const radians = (degrees * Math.PI) / 180;
  const cos = Math.cos(radians);
  const sin = Math.sin(radians);
  const centerX = Math.floor(width / 2);
  const centerY = Math.floor(height / 2);
  const turnedWidth = Math.trunc(height * Math.abs(sin) + width * Math.abs(cos));
  const turnedHeight = Math.trunc(height * Math.abs(cos) + width * Math.abs(sin));
  const shiftX = (1 - cos) * centerX - sin * centerY + turnedWidth / 2 - centerX;
  const shiftY = sin * centerX + (1 - cos) * centerY + turnedHeight / 2 - centerY;
  return { matrix: [cos, sin, shiftX, -sin, cos, shiftY], width: turnedWidth, height: turnedHeight };
}

/** Positions are rounded to 32nds of a pixel and blended from the four nearest; black where the source has nothing. */
export function warpAffine(plane: Plane, { matrix, width, height }: TurnedCanvas): Plane {
  const [a, b, c, d, e, f] = invert(matrix);
  const warped = createPlane(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const fromX = Math.floor((a * x + b * y + c) * 32 + 0.5);
      const fromY = Math.floor((d * x + e * y + f) * 32 + 0.5);
      warped.data[y * width + x] = blendAt(plane, fromX, fromY);
    }
  }
  return warped;
}

/** Level at a position given in 32nds of a pixel. */
function blendAt(plane: Plane, fromX: number, fromY: number): number {
  const x = fromX >> 5;
  const y = fromY >> 5;
  const right = fromX & 31;
  const lower = fromY & 31;
  const above = (32 - right) * levelAt(plane, x, y) + right * levelAt(plane, x + 1, y);
  const below = (32 - right) * levelAt(plane, x, y + 1) + right * levelAt(plane, x + 1, y + 1);
  return ((32 - lower) * above + lower * below + 512) >> 10;
}

function levelAt({ width, height, data }: Plane, x: number, y: number): number {
  return x >= 0 && x < width && y >= 0 && y < height ? data[y * width + x]! : 0;
}

function invert([a, b, c, d, e, f]: AffineMatrix): AffineMatrix {
  const determinant = a * e - b * d;
  const scale = determinant === 0 ? 0 : 1 / determinant;
  const [ia, ib, id, ie] = [e * scale, -b * scale, -d * scale, a * scale];
  return [ia, ib, -(ia * c + ib * f), id, ie, -(id * c + ie * f)];
}

/** Mirrors a picture: `vertical` puts the top at the bottom, `horizontal` the left at the right. */
export function flip(plane: Plane, { vertical, horizontal }: { vertical: boolean; horizontal: boolean }): Plane {
  const { width, height, data } = plane;
  const flipped = createPlane(width, height);
  for (let y = 0; y < height; y++) {
    const row = (vertical ? height - 1 - y : y) * width;
    for (let x = 0; x < width; x++) {
      flipped.data[y * width + x] = data[row + (horizontal ? width - 1 - x : x)]!;
    }
  }
  return flipped;
}
