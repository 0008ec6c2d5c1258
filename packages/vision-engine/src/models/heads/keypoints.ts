// keypoint columns of a YOLO pose graph → keypoint columns of detections
import type { Columns, ColumnValue } from "../../frames/detections.ts";
import type { KeypointClass } from "../model-description.ts";
import type { Candidates } from "./candidates.ts";
import { type Placement, toPictureX, toPictureY } from "./placement.ts";
import type { Matrix } from "./yolo-heads.ts";

export interface KeypointOptions {
  readonly keypoints: readonly KeypointClass[];
  readonly placement: Placement;
  /** Keypoints below are left out. */
  readonly confidence: number;
  /** Place and confidence of keypoint `slot` of a candidate, in pixels of the input. */
  readonly read: (source: number, slot: number) => readonly [x: number, y: number, confidence: number];
}

/** Reads keypoints that stand below the class scores of a column. */
export function keypointsInColumns({ data, columns }: Matrix, classes: number): KeypointOptions["read"] {
  return (source, slot) => {
    const at = (4 + classes + 3 * slot) * columns + source;
    return [data[at]!, data[at + columns]!, data[at + 2 * columns]!];
  };
}

/** Reads keypoints that stand behind score and class of a row. */
export function keypointsInRows({ data, columns }: Matrix): KeypointOptions["read"] {
  return (source, slot) => {
    const at = source * columns + 6 + 3 * slot;
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  };
}

/** The `keypoints_…` columns for the rows that stayed; only what was seen is in them. */
export function keypointColumns(
  { classId, source }: Candidates,
  rows: readonly number[],
  options: KeypointOptions,
): Columns {
  const places: ColumnValue[] = [];
  const confidences: ColumnValue[] = [];
  const ids: ColumnValue[] = [];
  const names: ColumnValue[] = [];
  for (const row of rows) {
    const slots = options.keypoints.find((each) => each.classId === classId[row])?.names ?? [];
    const seen = slots
      .map((name, slot) => ({ name, slot, place: options.read(source[row]!, slot) }))
      .filter(({ place: [, , confidence] }) => confidence >= options.confidence && confidence > 0);
    places.push(seen.map(({ place: [x, y] }) => [toPictureX(options.placement, x), toPictureY(options.placement, y)]));
    confidences.push(seen.map(({ place }) => place[2]));
    ids.push(seen.map(({ slot }) => slot));
    names.push(seen.map(({ name }) => name));
  }
  return {
    keypoints_xy: places,
    keypoints_confidence: confidences,
    keypoints_class_id: ids,
    keypoints_class_name: names,
  };
}
