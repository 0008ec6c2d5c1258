// detections → points, areas, groups: what shapes say about them
import { inputError } from "../errors.ts";
import { type Detections, selectRows } from "../frames/detections.ts";
import { maskArea, maskCentroid, uniteMasks } from "../frames/mask.ts";
import { mergeDetections } from "../frames/merge-detections.ts";
import { anchorPoint, type BoxAnchor, boxArea } from "./boxes.ts";
import { boxGroups, boxNms, type NmsOptions, type ScoredBoxes } from "./nms.ts";
import type { Point } from "./points.ts";

/** One point for each detection. The centre of mass needs masks. */
export function anchorPoints(detections: Detections, anchor: BoxAnchor | "CENTER_OF_MASS"): readonly Point[] {
  const { xyxy, masks, length } = detections;
  if (anchor !== "CENTER_OF_MASS") {
    return Array.from({ length }, (_, row) => anchorPoint(xyxy, anchor, row));
  }
  if (masks === undefined)
    throw inputError("The centre of mass needs detections with masks: use a segmentation model.");
  return masks.map(maskCentroid);
}

/** Pixels of the mask; of the box for detections without masks. */
export function areaOf({ masks, xyxy }: Detections, row: number): number {
  return masks === undefined ? boxArea(xyxy, row) : maskArea(masks[row]!);
}

/** Detections without those that a more confident one of their class hides. Masks decide where there are any. */
export function suppressHidden(detections: Detections, options: NmsOptions): Detections {
  return selectRows(detections, boxNms(scored(detections), { ...options, masks: detections.masks }));
}

/** Detections with those joined that overlap: see `mergePair`. */
export function mergeOverlapping(detections: Detections, options: NmsOptions): Detections {
  const groups = boxGroups(scored(detections), { ...options, masks: detections.masks });
  const merged = groups.map((rows) => rows.map((row) => selectRows(detections, [row])).reduce(mergePair));
  return merged.length === 0 ? detections : mergeDetections(merged);
}

function scored({ xyxy, confidence, classId }: Detections): ScoredBoxes {
  if (confidence === undefined) throw inputError("Overlaps can only be filtered in detections with a confidence.");
  return { xyxy, confidence, classId };
}

/**
 * One detection out of two: the box around both, the pixels of both, the confidence by area; all else from the more
 * confident one.
 */
export function mergePair(one: Detections, other: Detections): Detections {
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

function weighted(one: Detections, other: Detections): number {
  const [first, second] = [boxArea(one.xyxy, 0), boxArea(other.xyxy, 0)];
  const sum = first + second;
  if (sum === 0) return one.confidence![0]!;
  return (first * one.confidence![0]! + second * other.confidence![0]!) / sum;
}
