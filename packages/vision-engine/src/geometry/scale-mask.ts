// mask → mask of the same thing in a picture of another size
import { eachRun, type Mask } from "../frames/mask.ts";

/** Every pixel takes the nearest one towards the left top, as OpenCV's `INTER_NEAREST`. */
export function scaleMask(mask: Mask, width: number, height: number): Mask {
  if (mask.width === width && mask.height === height) return mask;
  const spans: [from: number, to: number][][] = Array.from({ length: mask.height }, () => []);
  eachRun(mask, (y, from, to) => spans[y]!.push([from, to]));
  const columns = sourcesOf(width, mask.width);
  const rows = sourcesOf(height, mask.height);
  const runs: number[] = [];
  for (let y = 0; y < height; y++) {
    for (const [from, to] of spans[rows[y]!]!) {
      const left = columns.findIndex((source) => source >= from);
      const stop = columns.findIndex((source) => source >= to);
      const right = stop < 0 ? width : stop;
      if (left >= 0 && left < right) addRun(runs, y * width + left, right - left);
    }
  }
  return { width, height, runs: Int32Array.from(runs) };
}

/** For each pixel of a new line the one that it is taken from. */
function sourcesOf(length: number, from: number): Int32Array {
  // Two divisions, as OpenCV: one would round otherwise.
  const step = 1 / (length / from);
  return Int32Array.from({ length }, (_, at) => Math.min(Math.floor(at * step), from - 1));
}

/** Appends a run, joined with the last one where they touch. */
function addRun(runs: number[], start: number, length: number): void {
  const last = runs.length - 2;
  if (last >= 0 && runs[last]! + runs[last + 1]! === start) runs[last + 1]! += length;
  else runs.push(start, length);
}
