// RGBA pixels → resized and normalised planes, in one pass
import { roundHalfEven } from "../../geometry/points.ts";
import type { Region } from "./placement.ts";

/** Pixels to read from: RGBA, rows from the top without padding. */
export interface Picture {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Planes of a graph's input, and the rectangle of each that is written. */
export interface PlaneTarget {
  /** Three planes of `width × height`, one after the other. */
  readonly planes: Float32Array;
  readonly width: number;
  readonly height: number;
  readonly rectangle: Region;
  /** Which plane takes red, green and blue. */
  readonly planeOf: readonly [red: number, green: number, blue: number];
  /** What is written for each level 0 to 255 of red, green and blue. */
  readonly levels: readonly [red: Float32Array, green: Float32Array, blue: Float32Array];
}

/** Writes a part of a picture into planes, scaled to the target's rectangle. */
export type Resize = (picture: Picture, region: Region, target: PlaneTarget) => void;

/** Where a target row or column lies: two neighbours in the source and their weights in 1/2048. */
interface Taps {
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly firstWeight: Int32Array;
  readonly secondWeight: Int32Array;
}

const WEIGHT_ONE = 2048;

/**
 * Bilinear as OpenCV does it on 8 bits: weights of 11 bits, rounded to whole levels. Keeps the weights of the last
 * size, so each stream of pictures should have its own.
 */
export function createLinearResize(): Resize {
  let columns: Taps | undefined;
  let rows: Taps | undefined;
  let shape = "";
  return (picture, region, target) => {
    const { width, height } = target.rectangle;
    const wanted = `${region.left} ${region.top} ${region.width} ${region.height} ${width} ${height}`;
    if (wanted !== shape || columns === undefined || rows === undefined) {
      columns = tapsOf({ start: region.left, length: region.width, target: width, clampShare: true });
      rows = tapsOf({ start: region.top, length: region.height, target: height, clampShare: false });
      shape = wanted;
    }
    writePlanes(pixelsOf(picture), picture.width, { columns, rows }, target);
  };
}

/** One number a pixel: alpha, blue, green, red from the highest byte on. */
export function pixelsOf({ rgba, width, height }: Picture): Int32Array {
  const aligned = rgba.byteOffset % 4 === 0 ? rgba : Uint8ClampedArray.from(rgba);
  return new Int32Array(aligned.buffer, aligned.byteOffset, width * height);
}

function writePlanes(
  pixels: Int32Array,
  stride: number,
  { columns, rows }: { readonly columns: Taps; readonly rows: Taps },
  { planes, width, height, rectangle, levels, planeOf }: PlaneTarget,
): void {
  const [reds, greens, blues] = levels;
  const { first, second, firstWeight, secondWeight } = columns;
  const redPlane = planeOf[0] * width * height;
  const greenPlane = planeOf[1] * width * height;
  const bluePlane = planeOf[2] * width * height;
  for (let y = 0; y < rectangle.height; y++) {
    const upper = rows.first[y]! * stride;
    const lower = rows.second[y]! * stride;
    const above = rows.firstWeight[y]!;
    const below = rows.secondWeight[y]!;
    let to = (rectangle.top + y) * width + rectangle.left;
    for (let x = 0; x < rectangle.width; x++, to++) {
      const left = first[x]!;
      const right = second[x]!;
      const a = firstWeight[x]!;
      const b = secondWeight[x]!;
      const p = pixels[upper + left]!;
      const q = pixels[upper + right]!;
      const r = pixels[lower + left]!;
      const s = pixels[lower + right]!;
      // Two shifts with a loss each, as OpenCV has them: products stay within 32 bits.
      const red =
        (((((p & 255) * a + (q & 255) * b) >> 4) * above) >> 16) +
        (((((r & 255) * a + (s & 255) * b) >> 4) * below) >> 16);
      const green =
        ((((((p >> 8) & 255) * a + ((q >> 8) & 255) * b) >> 4) * above) >> 16) +
        ((((((r >> 8) & 255) * a + ((s >> 8) & 255) * b) >> 4) * below) >> 16);
      const blue =
        ((((((p >> 16) & 255) * a + ((q >> 16) & 255) * b) >> 4) * above) >> 16) +
        ((((((r >> 16) & 255) * a + ((s >> 16) & 255) * b) >> 4) * below) >> 16);
      planes[redPlane + to] = reds[(red + 2) >> 2]!;
      planes[greenPlane + to] = greens[(green + 2) >> 2]!;
      planes[bluePlane + to] = blues[(blue + 2) >> 2]!;
    }
  }
}

interface Axis {
  /** Where the part begins in the source. */
  readonly start: number;
  /** Length of the part in the source and of the target. */
  readonly length: number;
  readonly target: number;
  /** At the borders one neighbour counts fully; else both lie on the border. */
  readonly clampShare: boolean;
}

function tapsOf({ start, length, target, clampShare }: Axis): Taps {
  const first = new Int32Array(target);
  const second = new Int32Array(target);
  const firstWeight = new Int32Array(target);
  const secondWeight = new Int32Array(target);
  const scale = 1 / (target / length);
  for (let at = 0; at < target; at++) {
    const place = Math.fround((at + 0.5) * scale - 0.5);
    let below = Math.floor(place);
    let share = Math.fround(place - below);
    if (clampShare && (below < 0 || below >= length - 1)) {
      below = Math.min(Math.max(below, 0), length - 1);
      share = 0;
    }
    first[at] = start + Math.min(Math.max(below, 0), length - 1);
    second[at] = start + Math.min(Math.max(below + 1, 0), length - 1);
    firstWeight[at] = roundHalfEven(Math.fround(1 - share) * WEIGHT_ONE);
    secondWeight[at] = roundHalfEven(share * WEIGHT_ONE);
  }
  return { first, second, firstWeight, secondWeight };
}
