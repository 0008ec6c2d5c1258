// RGBA pixels → resized and normalised planes, every source pixel counted
import { type Picture, type PlaneTarget, pixelsOf, type Resize } from "./linear-resize.ts";
import type { Region } from "./placement.ts";

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
  picture: Picture,
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
