// detections made on crops → detections of the whole picture
import { inputError } from "../../errors.ts";
import { type ColumnValue, columnOf, Detections, emptyDetections } from "../../frames/detections.ts";
import { type Mask, maskBounds, moveMask } from "../../frames/mask.ts";
import type { Point } from "../../geometry/points.ts";
import { Batch } from "../batch.ts";
import type { BlockInputs, BlockValue } from "../block.ts";
import { detectionsOf, numberOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";
import { type ConfidenceStrategy, type CropFinding, joinFindings } from "./rollup-joins.ts";

/** Columns of keypoints travel with the finding; these tell of the crop and are told anew. */
const KEYPOINT_COLUMNS = ["keypoints_xy", "keypoints_class_name", "keypoints_class_id", "keypoints_confidence"];
const SIZE_COLUMNS = ["image_dimensions", "parent_dimensions", "root_parent_dimensions"];
const ORIGIN_COLUMNS = ["parent_coordinates", "root_parent_coordinates"];

export const detectionsListRollup = statelessBlock({
  type: "roboflow_core/detections_list_rollup@v1",
  description: "Puts detections made on crops back onto the picture and joins those of one class that overlap.",
  phrase: "puts what was found in the crops back onto the picture",
  run: (inputs, { newId }) => {
    const parent = detectionsOf(inputs, "parent_detection");
    const children = childrenOf(inputs);
    if (parent.length !== children.length) {
      throw inputError(
        `There are ${parent.length} crops but detections of ${children.length}: give one for each crop.`,
      );
    }
    const [size] = parent.data.root_parent_dimensions ?? [];
    if (size === undefined)
      throw inputError(`"parent_detection" has no "root_parent_dimensions": take it from a model.`);
    const [height, width] = size as readonly [number, number];
    const findings = children.flatMap((child, row) => findingsOf(child, parent, row, { width, height }));
    const joined = joinFindings(findings, {
      confidence: inputs.confidence_strategy as ConfidenceStrategy,
      overlapThreshold: numberOf(inputs, "overlap_threshold"),
      keypointThreshold: numberOf(inputs, "keypoint_merge_threshold"),
      byKeypoints: children.some((child) => child.data.prediction_type?.[0] === "keypoint-detection"),
    });
    return {
      rolled_up_detections:
        joined.length === 0 ? emptyDetections() : toDetections(joined, children, [height, width], newId),
      crop_zones: cropZones(parent),
    };
  },
});

function childrenOf({ child_detections: value }: BlockInputs): readonly Detections[] {
  const items = value instanceof Batch ? value.items : value;
  if (Array.isArray(items) && items.every((item) => item instanceof Detections)) return items as readonly Detections[];
  throw inputError(`"child_detections" must be a list of detections, one for each crop.`);
}

function findingsOf(
  child: Detections,
  parent: Detections,
  crop: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly CropFinding[] {
  const offset: Point = [Math.trunc(parent.xyxy[4 * crop]!), Math.trunc(parent.xyxy[4 * crop + 1]!)];
  return Array.from({ length: child.length }, (_, row) => {
    const keypoints = child.data.keypoints_xy?.[row] as readonly Point[] | undefined;
    return {
      classId: child.classId?.[row] ?? 0,
      confidence: child.confidence?.[row] ?? 0,
      box: Array.from(child.xyxy.subarray(4 * row, 4 * row + 4), (value, at) => value + offset[at % 2]!),
      mask: child.masks && moveMask(child.masks[row]!, offset, width, height),
      keypoints: keypoints?.map(([x, y]): Point => [x + offset[0], y + offset[1]]),
      keypointConfidence: child.data.keypoints_confidence?.[row] as readonly number[] | undefined,
      keypointNames: child.data.keypoints_class_name?.[row],
      keypointIds: child.data.keypoints_class_id?.[row],
    };
  });
}

function toDetections(
  findings: readonly CropFinding[],
  children: readonly Detections[],
  size: readonly [number, number],
  newId: () => string,
): Detections {
  const masks = findings.map(({ mask }) => mask).filter((mask) => mask !== undefined);
  return new Detections({
    xyxy: Float64Array.from(findings.flatMap(({ mask, box }) => (mask === undefined ? box : boxAround(mask)))),
    confidence: Float64Array.from(findings, ({ confidence }) => Math.fround(confidence)),
    classId: Int32Array.from(findings, ({ classId }) => classId),
    masks: masks.length > 0 ? masks : undefined,
    data: { ...columnsOf(findings, children, size, newId), ...keypointColumns(findings) },
  });
}

/** What is told of a class once holds for all of it. */
function columnsOf(
  findings: readonly CropFinding[],
  children: readonly Detections[],
  size: readonly [number, number],
  newId: () => string,
): Readonly<Record<string, readonly ColumnValue[]>> {
  const names = new Set(children.flatMap(({ data }) => Object.keys(data)));
  const columns: Record<string, readonly ColumnValue[]> = {};
  for (const name of names) {
    if (KEYPOINT_COLUMNS.includes(name)) continue;
    columns[name] = findings.map(({ classId }) => columnValue(name, classId));
  }
  return columns;

  function columnValue(name: string, classId: number): ColumnValue {
    if (name === "detection_id") return newId();
    if (name === "parent_id" || name === "inference_id") return children[0]?.data[name]?.[0] ?? newId();
    if (name === "prediction_type") return "instance-segmentation";
    if (SIZE_COLUMNS.includes(name)) return size;
    return sampleOf(children, classId, name) ?? (ORIGIN_COLUMNS.includes(name) ? [0, 0] : null);
  }
}

function sampleOf(children: readonly Detections[], classId: number, name: string): ColumnValue | undefined {
  for (const child of children) {
    const row = child.classId?.indexOf(classId) ?? -1;
    if (row >= 0) return child.data[name] === undefined ? undefined : columnOf(child, name)[row];
  }
  return undefined;
}

function keypointColumns(findings: readonly CropFinding[]): Readonly<Record<string, readonly ColumnValue[]>> {
  if (!findings.some(({ keypoints }) => keypoints !== undefined)) return {};
  return {
    keypoints_xy: findings.map(({ keypoints }) => keypoints ?? null),
    keypoints_class_name: findings.map(({ keypointNames }) => keypointNames ?? null),
    keypoints_class_id: findings.map(({ keypointIds }) => keypointIds ?? null),
    keypoints_confidence: findings.map(({ keypointConfidence }) => keypointConfidence ?? null),
  };
}

/** Right and bottom edge just beyond the last pixel. */
function boxAround(mask: Mask): readonly number[] {
  const [left, top, right, bottom] = maskBounds(mask) ?? [0, 0, -1, -1];
  return [left, top, right + 1, bottom + 1];
}

function cropZones({ xyxy, length }: Detections): BlockValue {
  return Array.from({ length }, (_, row) => {
    const [left, top, right, bottom] = xyxy.subarray(4 * row, 4 * row + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    return [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ];
  });
}
