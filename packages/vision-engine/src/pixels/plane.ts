// RGBA pixels ↔ planes of one channel
import type { PixelPicture, PixelSize } from "../frames/frame.ts";
import { roundHalfEven } from "../geometry/polygons.ts";

/** One channel of a picture: 8 bits, rows from the top without padding. */
export interface Plane extends PixelSize {
  readonly data: Uint8Array;
}

/** A picture without its alpha: red, green and blue. */
export type ColorPlanes = readonly [red: Plane, green: Plane, blue: Plane];

export function createPlane(width: number, height: number): Plane {
  return { width, height, data: new Uint8Array(width * height) };
}

/** Luma of ITU-R BT.601 in fixed point, as OpenCV rounds it. */
export function toGrey(rgba: Uint8ClampedArray, width: number, height: number): Plane {
  const grey = createPlane(width, height);
  for (let at = 0, from = 0; at < grey.data.length; at++, from += 4) {
    grey.data[at] = (rgba[from]! * 9798 + rgba[from + 1]! * 19235 + rgba[from + 2]! * 3735 + 16384) >> 15;
  }
  return grey;
}

/** One channel: 0 red, 1 green, 2 blue. */
export function takeChannel(rgba: Uint8ClampedArray, size: PixelSize, channel: 0 | 1 | 2): Plane {
  const plane = createPlane(size.width, size.height);
  for (let at = 0, from = channel; at < plane.data.length; at++, from += 4) plane.data[at] = rgba[from]!;
  return plane;
}

export function splitColors(rgba: Uint8ClampedArray, width: number, height: number): ColorPlanes {
  const size = { width, height };
  return [takeChannel(rgba, size, 0), takeChannel(rgba, size, 1), takeChannel(rgba, size, 2)];
}

/** Opaque RGBA from three planes of one size; the same plane thrice gives grey. */
export function joinColors([red, green, blue]: ColorPlanes): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(red.data.length * 4);
  for (let at = 0, to = 0; at < red.data.length; at++, to += 4) {
    rgba[to] = red.data[at]!;
    rgba[to + 1] = green.data[at]!;
    rgba[to + 2] = blue.data[at]!;
    rgba[to + 3] = 255;
  }
  return rgba;
}

/** The picture with each colour changed for itself, opaque; its size may become another. */
export function mapColors({ rgba, width, height }: PixelPicture, change: (plane: Plane) => Plane): Uint8ClampedArray {
  const [red, green, blue] = splitColors(rgba, width, height);
  return joinColors([change(red), change(green), change(blue)]);
}

/** The nearest level of 8 bits, halves to the even one. */
export function toLevel(value: number): number {
  return Math.min(Math.max(roundHalfEven(value), 0), 255);
}

/** Every level replaced by the one that the table has for it. */
export function mapLevels(plane: Plane, table: Uint8Array): Plane {
  const mapped = createPlane(plane.width, plane.height);
  for (let at = 0; at < mapped.data.length; at++) mapped.data[at] = table[plane.data[at]!]!;
  return mapped;
}

/** How often each of the 256 levels occurs in all planes together. */
export function histogramOf(planes: readonly Plane[]): Float64Array {
  const histogram = new Float64Array(256);
  for (const { data } of planes) for (let at = 0; at < data.length; at++) histogram[data[at]!]! += 1;
  return histogram;
}

/** Which pixel stands for one beyond the edge: mirrored without repeating the edge, or the edge itself. */
export type BorderRule = "reflect" | "replicate";

/** For the positions `-before` up to `length + after`: the position inside that stands for each. */
export function borderIndices(length: number, before: number, after: number, rule: BorderRule): Int32Array {
  const indices = new Int32Array(before + length + after);
  for (let at = 0; at < indices.length; at++) {
    indices[at] = rule === "reflect" ? reflect(at - before, length) : clamp(at - before, length);
  }
  return indices;
}

function clamp(position: number, length: number): number {
  return Math.min(Math.max(position, 0), length - 1);
}

function reflect(position: number, length: number): number {
  if (length === 1) return 0;
  const period = 2 * (length - 1);
  const folded = Math.abs(position) % period;
  return folded < length ? folded : period - folded;
}
