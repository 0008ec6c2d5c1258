// picture → planes of another size
import type { PixelPicture, PixelSize } from "../../frames/frame.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import type { Region } from "./placement.ts";

/** Planes of a graph's input, and the rectangle of each that is written. */
interface PlaneTarget extends PixelSize {
  /** Three planes of `width × height`, one after the other. */
  readonly planes: Float32Array;
  readonly rectangle: Region;
  /** Which plane takes red, green and blue. */
  readonly planeOf: readonly [red: number, green: number, blue: number];
  /** What is written for each level 0 to 255 of red, green and blue. */
  readonly levels: readonly [red: Float32Array, green: Float32Array, blue: Float32Array];
}

/** Writes a part of a picture into planes, scaled to the target's rectangle. */
export type Resize = (picture: PixelPicture, region: Region, target: PlaneTarget) => void;

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
      columns = tapsOf(region.left, region.width, width, true);
      rows = tapsOf(region.top, region.height, height, false);
      shape = wanted;
    }
    writePlanes(pixelsOf(picture), picture.width, { columns, rows }, target);
  };
}

/** One number a pixel: alpha, blue, green, red from the highest byte on. */
function pixelsOf({ rgba, width, height }: PixelPicture): Int32Array {
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

/** `length` pixels of the source from `start` on become `target`. With `clampShare` one neighbour counts fully at the borders. */
function tapsOf(start: number, length: number, target: number, clampShare: boolean): Taps {
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

/** Weights are whole numbers in units of 2^-22, as Pillow has them. */
const WEIGHT_BITS = 22;
const HALF = 1 << (WEIGHT_BITS - 1);

/** For each target row or column: the first source pixel that counts, how many do, and their weights. */
interface Kernels {
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** `size` a target place. */
  readonly weights: Int32Array;
  readonly size: number;
}

/**
 * Bilinear as Pillow does it: when a picture is made smaller, the triangle is made wider. First across, then down,
 * rounded to whole levels after each.
 */
export function createAntialiasedResize(): Resize {
  let columns: Kernels | undefined;
  let rows: Kernels | undefined;
  let between = new Uint8Array(0);
  let shape = "";
  return (picture, region, target) => {
    const { width, height } = target.rectangle;
    const wanted = `${region.width} ${region.height} ${width} ${height}`;
    if (wanted !== shape || columns === undefined || rows === undefined) {
      columns = kernelsOf(region.width, width);
      rows = kernelsOf(region.height, height);
      between = new Uint8Array(3 * region.height * width);
      shape = wanted;
    }
    resizeAcross(picture, region, { kernels: columns, width, between });
    resizeDown(between, rows, target);
  };
}

function resizeAcross(
  picture: PixelPicture,
  region: Region,
  { kernels, width, between }: { readonly kernels: Kernels; readonly width: number; readonly between: Uint8Array },
): void {
  const pixels = pixelsOf(picture);
  const { first, count, weights, size } = kernels;
  let to = 0;
  for (let y = 0; y < region.height; y++) {
    const row = (region.top + y) * picture.width + region.left;
    for (let x = 0; x < width; x++, to += 3) {
      let red = HALF;
      let green = HALF;
      let blue = HALF;
      const start = row + first[x]!;
      const taps = count[x]!;
      for (let tap = 0; tap < taps; tap++) {
        const pixel = pixels[start + tap]!;
        const weight = weights[x * size + tap]!;
        red += (pixel & 255) * weight;
        green += ((pixel >> 8) & 255) * weight;
        blue += ((pixel >> 16) & 255) * weight;
      }
      between[to] = red >> WEIGHT_BITS;
      between[to + 1] = green >> WEIGHT_BITS;
      between[to + 2] = blue >> WEIGHT_BITS;
    }
  }
}

function resizeDown(between: Uint8Array, { first, count, weights, size }: Kernels, target: PlaneTarget): void {
  const { planes, width, height, rectangle, levels, planeOf } = target;
  const stride = 3 * rectangle.width;
  const sums = new Int32Array(stride);
  for (let y = 0; y < rectangle.height; y++) {
    sums.fill(HALF);
    for (let tap = 0; tap < count[y]!; tap++) {
      const weight = weights[y * size + tap]!;
      const from = (first[y]! + tap) * stride;
      for (let at = 0; at < stride; at++) sums[at]! += between[from + at]! * weight;
    }
    const row = (rectangle.top + y) * width + rectangle.left;
    for (let channel = 0; channel < 3; channel++) {
      const level = levels[channel]!;
      const to = planeOf[channel]! * width * height + row;
      for (let x = 0; x < rectangle.width; x++) planes[to + x] = level[sums[3 * x + channel]! >> WEIGHT_BITS]!;
    }
  }
}

function kernelsOf(length: number, target: number): Kernels {
  const scale = length / target;
  const reach = Math.max(scale, 1);
  const size = 2 * Math.ceil(reach) + 1;
  const first = new Int32Array(target);
  const count = new Int32Array(target);
  const weights = new Int32Array(target * size);
  for (let at = 0; at < target; at++) {
    const centre = (at + 0.5) * scale;
    const begin = Math.max(0, Math.trunc(centre - reach + 0.5));
    const end = Math.min(length, Math.trunc(centre + reach + 0.5));
    const shares = Array.from({ length: end - begin }, (_, tap) =>
      Math.max(0, 1 - Math.abs((begin + tap - centre + 0.5) / reach)),
    );
    const sum = shares.reduce((total, share) => total + share, 0);
    first[at] = begin;
    count[at] = end - begin;
    for (const [tap, share] of shares.entries()) {
      weights[at * size + tap] = Math.floor(0.5 + (share / sum) * (1 << WEIGHT_BITS));
    }
  }
  return { first, count, weights, size };
}
