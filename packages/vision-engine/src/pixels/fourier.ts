/** Complex numbers in two arrays; transformed in place. */
export interface Spectrum {
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
export function transform2d({ real, imaginary }: Spectrum, width: number, height: number): void {
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
