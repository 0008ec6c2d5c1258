// boxes that overlap → those that stay, or groups that are one thing
import type { Mask } from "../frames/mask.ts";
import { boxOverlap, maskOverlap, type OverlapMetric } from "./overlap.ts";

/** What suppression needs to know; `Detections` with a confidence fits. */
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
