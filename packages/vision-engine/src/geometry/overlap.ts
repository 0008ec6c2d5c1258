// two lists of boxes or masks → how much each of one overlaps each of the other
import { inputError } from "../errors.ts";
import { type Mask, maskArea, maskIntersection } from "../frames/mask.ts";
import { boxArea, boxIntersection } from "./boxes.ts";

/** Share of the union, or of the smaller one. */
export type OverlapMetric = "IOU" | "IOS";

/** Overlaps of every pair, row by row: row of the first list, column of the second. */
export interface OverlapMatrix {
  readonly columns: number;
  readonly values: Float32Array;
}

/** Reads the name of a metric in any case. */
export function parseOverlapMetric(name: string): OverlapMetric {
  const metric = name.toUpperCase();
  if (metric === "IOU" || metric === "IOS") return metric;
  throw inputError(`There is no overlap metric "${name}": take "iou" or "ios".`);
}

/** Overlap of box `a` of one list with box `b` of another; 0 without area. */
export function boxOverlap(
  first: { readonly xyxy: ArrayLike<number>; readonly row: number },
  second: { readonly xyxy: ArrayLike<number>; readonly row: number },
  metric: OverlapMetric = "IOU",
): number {
  const shared = boxIntersection(first.xyxy, first.row, second.xyxy, second.row);
  return ratio(shared, boxArea(first.xyxy, first.row), boxArea(second.xyxy, second.row), metric);
}

/** Flat left-top-right-bottom rows in, a matrix out. */
export function boxOverlaps(
  first: ArrayLike<number>,
  second: ArrayLike<number>,
  metric: OverlapMetric = "IOU",
): OverlapMatrix {
  const columns = second.length / 4;
  const values = new Float32Array((first.length / 4) * columns);
  for (let at = 0; at < values.length; at++) {
    const row = Math.floor(at / columns);
    values[at] = boxOverlap({ xyxy: first, row }, { xyxy: second, row: at % columns }, metric);
  }
  return { columns, values };
}

export function maskOverlap(first: Mask, second: Mask, metric: OverlapMetric = "IOU"): number {
  return ratio(maskIntersection(first, second), maskArea(first), maskArea(second), metric);
}

function ratio(shared: number, areaA: number, areaB: number, metric: OverlapMetric): number {
  const whole = metric === "IOU" ? areaA + areaB - shared : Math.min(areaA, areaB);
  return whole > 0 ? Math.fround(shared / whole) : 0;
}
