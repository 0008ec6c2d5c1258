// boxes, masks, detections → how much they overlap, and which of them stay
import { inputError } from "../errors.ts";
import { type DetectionTable, mergeDetections, selectRows } from "../frames/detections.ts";
import { type Mask, maskArea, maskCentroid, maskIntersection, uniteMasks } from "../frames/mask.ts";
import { anchorPoint, type BoxAnchor, boxArea, boxIntersection } from "./boxes.ts";
import type { Point } from "./polygons.ts";

/** Share of the union, or of the smaller one. */
export type OverlapMetric = "IOU" | "IOS";

/** Overlaps of every pair, row by row: row of the first list, column of the second. */
export interface OverlapMatrix {
  readonly columns: number;
  readonly values: Float32Array;
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

/** What suppression needs to know; `DetectionTable` with a confidence fits. */
export interface ScoredBoxes {
  readonly xyxy: ArrayLike<number>;
  readonly confidence: ArrayLike<number>;
  /** Boxes of different classes leave each other alone; absent: all are of one class. */
  readonly classId?: ArrayLike<number> | undefined;
}

export interface NmsOptions {
  readonly threshold: number;
  /** Default `IOU`. */
  readonly metric?: OverlapMetric;
  /** Compared instead of the boxes. */
  readonly masks?: readonly Mask[] | undefined;
}

/** Rows that stay, in their order: a row goes when a more confident one of its class overlaps it by more than the threshold. */
export function boxNms(boxes: ScoredBoxes, options: number | NmsOptions): readonly number[] {
  const { threshold, overlap } = comparisonOf(boxes, options);
  const kept: number[] = [];
  for (const row of byConfidence(boxes)) {
    const hidden = kept.some((other) => isSameClass(boxes, row, other) && overlap(other, row) > threshold);
    if (!hidden) kept.push(row);
  }
  return kept.sort((a, b) => a - b);
}

/**
 * Groups of rows that are one thing: class by class, the most confident row left takes all that overlap it by the
 * threshold or more. Most confident first, in and among groups.
 */
export function boxGroups(boxes: ScoredBoxes, options: number | NmsOptions): readonly (readonly number[])[] {
  const { threshold, overlap } = comparisonOf(boxes, options);
  const order = byConfidence(boxes);
  const classes = [...new Set(order.map((row) => boxes.classId?.[row] ?? 0))].sort((a, b) => a - b);
  const groups: (readonly number[])[] = [];
  for (const classId of classes) {
    let rest = order.filter((row) => (boxes.classId?.[row] ?? 0) === classId);
    while (rest.length > 0) {
      const [head, ...others] = rest as [number, ...number[]];
      const joins = (row: number): boolean => overlap(head, row) >= threshold;
      groups.push([head, ...others.filter(joins)]);
      rest = others.filter((row) => !joins(row));
    }
  }
  return groups;
}

function comparisonOf({ xyxy }: ScoredBoxes, options: number | NmsOptions) {
  const {
    threshold,
    metric = "IOU",
    masks,
  }: NmsOptions = typeof options === "number" ? { threshold: options } : options;
  const overlap = (a: number, b: number): number =>
    masks === undefined
      ? boxOverlap({ xyxy, row: a }, { xyxy, row: b }, metric)
      : maskOverlap(masks[a]!, masks[b]!, metric);
  return { threshold, overlap };
}

/** Most confident first; of equals the later one. */
function byConfidence({ confidence }: ScoredBoxes): readonly number[] {
  return Array.from({ length: confidence.length }, (_, row) => row).sort(
    (a, b) => confidence[b]! - confidence[a]! || b - a,
  );
}

function isSameClass({ classId }: ScoredBoxes, a: number, b: number): boolean {
  return classId === undefined || classId[a] === classId[b];
}

/** One point for each detection. The centre of mass needs masks. */
export function anchorPoints(detections: DetectionTable, anchor: BoxAnchor | "CENTER_OF_MASS"): readonly Point[] {
  const { xyxy, masks, length } = detections;
  if (anchor !== "CENTER_OF_MASS") {
    return Array.from({ length }, (_, row) => anchorPoint(xyxy, anchor, row));
  }
  if (masks === undefined)
    throw inputError("The centre of mass needs detections with masks: use a segmentation model.");
  return masks.map(maskCentroid);
}

/** Pixels of the mask; of the box for detections without masks. */
export function areaOf({ masks, xyxy }: Pick<DetectionTable, "masks" | "xyxy">, row: number): number {
  return masks === undefined ? boxArea(xyxy, row) : maskArea(masks[row]!);
}

/** Detections without those that a more confident one of their class hides. Masks decide where there are any. */
export function suppressHidden(detections: DetectionTable, options: NmsOptions): DetectionTable {
  return selectRows(detections, boxNms(scored(detections), { ...options, masks: detections.masks }));
}

/** Detections with those joined that overlap: see `mergePair`. */
export function mergeOverlapping(detections: DetectionTable, options: NmsOptions): DetectionTable {
  const groups = boxGroups(scored(detections), { ...options, masks: detections.masks });
  const merged = groups.map((rows) => rows.map((row) => selectRows(detections, [row])).reduce(mergePair));
  return merged.length === 0 ? detections : mergeDetections(merged);
}

function scored({ xyxy, confidence, classId }: DetectionTable): ScoredBoxes {
  if (confidence === undefined) throw inputError("Overlaps can only be filtered in detections with a confidence.");
  return { xyxy, confidence, classId };
}

/**
 * One detection out of two: the box around both, the pixels of both, the confidence by area; all else from the more
 * confident one.
 */
export function mergePair(one: DetectionTable, other: DetectionTable): DetectionTable {
  if (one.length !== 1 || other.length !== 1) throw inputError("Only single detections can be joined.");
  for (const part of ["masks", "confidence", "classId", "trackerId"] as const) {
    if ((one[part] === undefined) !== (other[part] === undefined)) {
      throw inputError(`Only one of two detections has "${part}": they cannot be joined.`);
    }
  }
  const winner = (one.confidence?.[0] ?? 0) >= (other.confidence?.[0] ?? 0) ? one : other;
  return winner.with({
    xyxy: Float64Array.from(one.xyxy, (value, at) => (at < 2 ? Math.min : Math.max)(value, other.xyxy[at]!)),
    confidence: one.confidence && Float64Array.of(weighted(one, other)),
    masks: one.masks && [uniteMasks([one.masks[0]!, other.masks![0]!])],
  });
}

function weighted(one: DetectionTable, other: DetectionTable): number {
  const [first, second] = [boxArea(one.xyxy, 0), boxArea(other.xyxy, 0)];
  const sum = first + second;
  if (sum === 0) return one.confidence![0]!;
  return (first * one.confidence![0]! + second * other.confidence![0]!) / sum;
}
