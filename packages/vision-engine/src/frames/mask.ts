// pixels of one thing ↔ runs of pixels

/** Which pixels of a picture belong to a thing, as runs: a mask of a full frame costs a few hundred numbers. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  /** Pairs (start, length) of set pixels in row-major order, ascending, never empty and never touching. */
  readonly runs: Int32Array;
}

/** `bits` has one byte a pixel, row by row; anything but 0 is set. */
export function maskFromBits(bits: Uint8Array | Uint8ClampedArray, width: number, height: number): Mask {
  const runs: number[] = [];
  let start = -1;
  const length = width * height;
  for (let at = 0; at < length; at++) {
    if (bits[at] !== 0) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      runs.push(start, at - start);
      start = -1;
    }
  }
  if (start >= 0) runs.push(start, length - start);
  return { width, height, runs: Int32Array.from(runs) };
}

/** One byte a pixel, 0 or 1, row by row. */
export function maskToBits({ width, height, runs }: Mask): Uint8Array {
  const bits = new Uint8Array(width * height);
  for (let at = 0; at < runs.length; at += 2) bits.fill(1, runs[at]!, runs[at]! + runs[at + 1]!);
  return bits;
}

/** Number of set pixels. */
export function maskArea({ runs }: Mask): number {
  let area = 0;
  for (let at = 1; at < runs.length; at += 2) area += runs[at]!;
  return area;
}

export function emptyMask(width: number, height: number): Mask {
  return { width, height, runs: new Int32Array(0) };
}

export function isMaskSet({ width, runs }: Mask, x: number, y: number): boolean {
  const pixel = y * width + x;
  let low = 0;
  let high = runs.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const start = runs[2 * middle]!;
    if (pixel < start) high = middle - 1;
    else if (pixel >= start + runs[2 * middle + 1]!) low = middle + 1;
    else return true;
  }
  return false;
}

/** Number of pixels set in both. */
export function maskIntersection(one: Mask, other: Mask): number {
  let area = 0;
  let a = 0;
  let b = 0;
  while (a < one.runs.length && b < other.runs.length) {
    const endA = one.runs[a]! + one.runs[a + 1]!;
    const endB = other.runs[b]! + other.runs[b + 1]!;
    area += Math.max(0, Math.min(endA, endB) - Math.max(one.runs[a]!, other.runs[b]!));
    if (endA < endB) a += 2;
    else b += 2;
  }
  return area;
}

/** Visits the set pixels row by row: `from` up to, but not including, `to`. */
export function eachRun({ width, runs }: Mask, visit: (y: number, from: number, to: number) => void): void {
  for (let at = 0; at < runs.length; at += 2) {
    const end = runs[at]! + runs[at + 1]!;
    for (let start = runs[at]!; start < end; ) {
      const y = Math.floor(start / width);
      const stop = Math.min(end, (y + 1) * width);
      visit(y, start - y * width, stop - y * width);
      start = stop;
    }
  }
}

/** The same pixels in a picture of another size, shifted; what falls outside is cut off. */
export function moveMask(mask: Mask, offset: readonly [x: number, y: number], width: number, height: number): Mask {
  const runs: number[] = [];
  eachRun(mask, (y, from, to) => {
    const row = y + offset[1];
    const left = Math.max(0, from + offset[0]);
    const right = Math.min(width, to + offset[0]);
    if (row >= 0 && row < height && left < right) addRun(runs, row * width + left, right - left);
  });
  return { width, height, runs: Int32Array.from(runs) };
}

/** Left, top, right, bottom of the set pixels, all included; absent for an empty mask. */
export function maskBounds(mask: Mask): readonly [number, number, number, number] | undefined {
  let [left, top, right, bottom] = [mask.width, mask.height, -1, -1];
  eachRun(mask, (y, from, to) => {
    left = Math.min(left, from);
    right = Math.max(right, to - 1);
    top = Math.min(top, y);
    bottom = y;
  });
  return right < 0 ? undefined : [left, top, right, bottom];
}

/** Middle of the set pixels, fractions cut off; (0, 0) for an empty mask. */
export function maskCentroid(mask: Mask): readonly [x: number, y: number] {
  let [area, sumX, sumY] = [0, 0, 0];
  eachRun(mask, (y, from, to) => {
    const length = to - from;
    area += length;
    sumX += ((from + to) / 2) * length;
    sumY += (y + 0.5) * length;
  });
  return area === 0 ? [0, 0] : [Math.trunc(sumX / area), Math.trunc(sumY / area)];
}

/** Pixels set in any of the masks, which are of one size. */
export function uniteMasks(masks: readonly [Mask, ...Mask[]]): Mask {
  return combineMasks(masks, (count) => count > 0);
}

/** Pixels set in all of the masks, which are of one size. */
export function intersectMasks(masks: readonly [Mask, ...Mask[]]): Mask {
  return combineMasks(masks, (count) => count === masks.length);
}

/** Sweeps over the ends of all runs and keeps the stretches where enough masks are set. */
function combineMasks(masks: readonly [Mask, ...Mask[]], isKept: (count: number) => boolean): Mask {
  const changes: [place: number, change: 1 | -1][] = [];
  for (const { runs } of masks) {
    for (let at = 0; at < runs.length; at += 2) {
      changes.push([runs[at]!, 1], [runs[at]! + runs[at + 1]!, -1]);
    }
  }
  changes.sort((a, b) => a[0] - b[0]);
  const runs: number[] = [];
  let count = 0;
  let place = 0;
  for (const [next, change] of changes) {
    if (next > place && isKept(count)) addRun(runs, place, next - place);
    place = next;
    count += change;
  }
  const [{ width, height }] = masks;
  return { width, height, runs: Int32Array.from(runs) };
}

/** Appends a run, joined with the last one where they touch. */
export function addRun(runs: number[], start: number, length: number): void {
  const last = runs.length - 2;
  if (last >= 0 && runs[last]! + runs[last + 1]! === start) runs[last + 1]! += length;
  else runs.push(start, length);
}
