// picture, small picture → how alike they are at every place
import type { PixelSize } from "../frames/frame.ts";
import type { Plane } from "./plane.ts";

/** Likeness from −1 to 1 for every place of the template's left top corner, row by row. */
export interface MatchMap extends PixelSize {
  readonly scores: Float32Array;
}

/** Share of the squares up to which a variance is but rounding: there is no pattern, and no likeness. */
const FLAT = 10 * 2 ** -23;

/** Correlation of both after taking off their means, divided by their spreads. The template must fit into the picture. */
export function matchTemplate(picture: Plane, template: Plane): MatchMap {
  const width = picture.width - template.width + 1;
  const height = picture.height - template.height + 1;
  const scores = new Float32Array(width * height);
  const area = template.width * template.height;
  const mean = template.data.reduce((sum, level) => sum + level, 0) / area;
  const spread = Math.sqrt(template.data.reduce((sum, level) => sum + (level - mean) ** 2, 0));
  // A flat template has no pattern to look for.
  if (spread < 1e-9) return { width, height, scores };
  const products = correlate(picture, template, mean);
  const sums = integralOf(picture, (level) => level);
  const squares = integralOf(picture, (level) => level * level);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const sum = sums(x, y, template);
      const square = squares(x, y, template);
      const variance = square - (sum * sum) / area;
      const isFlat = variance <= Math.min(0.5, FLAT * square);
      scores[at] = isFlat ? 0 : ratio(products.real[y * products.width + x]!, Math.sqrt(variance) * spread);
    }
  }
  return { width, height, scores };
}

/** Rounding may lift a perfect match a little above 1. */
function ratio(product: number, scale: number): number {
  if (Math.abs(product) < scale) return product / scale;
  return Math.abs(product) < scale * 1.125 ? Math.sign(product) : 0;
}

/** Sum of picture × (template − its mean) for every place, by way of the Fourier transform. */
function correlate(picture: Plane, template: Plane, mean: number): { real: Float64Array; width: number } {
  const width = powerOfTwoFrom(picture.width);
  const height = powerOfTwoFrom(picture.height);
  // One transform serves both: the picture as real part, the template as imaginary part.
  const real = new Float64Array(width * height);
  const imaginary = new Float64Array(width * height);
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) real[y * width + x] = picture.data[y * picture.width + x]!;
  }
  for (let y = 0; y < template.height; y++) {
    for (let x = 0; x < template.width; x++) {
      imaginary[y * width + x] = template.data[y * template.width + x]! - mean;
    }
  }
  transform2d({ real, imaginary }, width, height);
  const product = multiplyHalves({ real, imaginary }, width, height);
  transform2d(product, width, height);
  return { real: product.real.map((value) => value / (width * height)), width };
}

/** From the transform of a + ib: conjugate of (transform of a × conjugate of the transform of b), ready to go back. */
function multiplyHalves(
  { real, imaginary }: { real: Float64Array; imaginary: Float64Array },
  width: number,
  height: number,
): { real: Float64Array; imaginary: Float64Array } {
  const product = { real: new Float64Array(real.length), imaginary: new Float64Array(real.length) };
  for (let y = 0; y < height; y++) {
    const mirroredRow = ((height - y) % height) * width;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const mirrored = mirroredRow + ((width - x) % width);
      const aReal = (real[at]! + real[mirrored]!) / 2;
      const aImaginary = (imaginary[at]! - imaginary[mirrored]!) / 2;
      const bReal = (imaginary[at]! + imaginary[mirrored]!) / 2;
      const bImaginary = (real[mirrored]! - real[at]!) / 2;
      product.real[at] = aReal * bReal + aImaginary * bImaginary;
      product.imaginary[at] = aReal * bImaginary - aImaginary * bReal;
    }
  }
  return product;
}

function powerOfTwoFrom(length: number): number {
  return 2 ** Math.ceil(Math.log2(length));
}

/** Sums over any rectangle in four look-ups. */
function integralOf(
  { width, height, data }: Plane,
  measure: (level: number) => number,
): (x: number, y: number, size: { readonly width: number; readonly height: number }) => number {
  const stride = width + 1;
  const integral = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += measure(data[y * width + x]!);
      integral[(y + 1) * stride + x + 1] = integral[y * stride + x + 1]! + row;
    }
  }
  return (x, y, size) => {
    const top = y * stride + x;
    const bottom = top + size.height * stride;
    return integral[bottom + size.width]! - integral[bottom]! - integral[top + size.width]! + integral[top]!;
  };
}

/** Complex numbers in two arrays; transformed in place. */
interface Spectrum {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/** Roots of unity for a length that is a power of two. */
function rootsOf(length: number): Spectrum {
  const real = new Float64Array(length / 2);
  const imaginary = new Float64Array(length / 2);
  for (let at = 0; at < length / 2; at++) {
    real[at] = Math.cos((-2 * Math.PI * at) / length);
    imaginary[at] = Math.sin((-2 * Math.PI * at) / length);
  }
  return { real, imaginary };
}

/** Two-dimensional Fourier transform, in place; both sides are powers of two. */
function transform2d({ real, imaginary }: Spectrum, width: number, height: number): void {
  const rootsX = rootsOf(width);
  for (let y = 0; y < height; y++) {
    transform(real.subarray(y * width, (y + 1) * width), imaginary.subarray(y * width, (y + 1) * width), rootsX);
  }
  const rootsY = rootsOf(height);
  // Several columns at a time: the memory of neighbours is at hand then.
  const block = { real: new Float64Array(BLOCK * height), imaginary: new Float64Array(BLOCK * height) };
  for (let x = 0; x < width; x += BLOCK) {
    const columns = Math.min(BLOCK, width - x);
    eachCell(columns, height, (column, y) => {
      block.real[column * height + y] = real[y * width + x + column]!;
      block.imaginary[column * height + y] = imaginary[y * width + x + column]!;
    });
    for (let column = 0; column < columns; column++) {
      const [from, to] = [column * height, (column + 1) * height];
      transform(block.real.subarray(from, to), block.imaginary.subarray(from, to), rootsY);
    }
    eachCell(columns, height, (column, y) => {
      real[y * width + x + column] = block.real[column * height + y]!;
      imaginary[y * width + x + column] = block.imaginary[column * height + y]!;
    });
  }
}

const BLOCK = 16;

function eachCell(columns: number, rows: number, visit: (column: number, row: number) => void): void {
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) visit(column, row);
}

/** Cooley–Tukey, radix 2. */
function transform(real: Float64Array, imaginary: Float64Array, roots: Spectrum): void {
  const length = real.length;
  reorder(real);
  reorder(imaginary);
  for (let size = 2; size <= length; size *= 2) {
    const half = size >> 1;
    const step = length / size;
    for (let start = 0; start < length; start += size) {
      for (let at = start, root = 0; at < start + half; at++, root += step) {
        const rootReal = roots.real[root]!;
        const rootImaginary = roots.imaginary[root]!;
        const other = at + half;
        const turnedReal = real[other]! * rootReal - imaginary[other]! * rootImaginary;
        const turnedImaginary = real[other]! * rootImaginary + imaginary[other]! * rootReal;
        real[other] = real[at]! - turnedReal;
        imaginary[other] = imaginary[at]! - turnedImaginary;
        real[at]! += turnedReal;
        imaginary[at]! += turnedImaginary;
      }
    }
  }
}

/** Puts every value where the reversed bits of its position point. */
function reorder(values: Float64Array): void {
  for (let at = 1, mirrored = 0; at < values.length; at++) {
    let bit = values.length >> 1;
    for (; mirrored & bit; bit >>= 1) mirrored ^= bit;
    mirrored |= bit;
    if (at < mirrored) {
      const kept = values[at]!;
      values[at] = values[mirrored]!;
      values[mirrored] = kept;
    }
  }
}
