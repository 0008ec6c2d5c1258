// keypoints of serialised predictions ↔ columns of detections
import { inputError } from "../errors.ts";
import { type ColumnValue, type DetectionTable, withColumns } from "../frames/detections.ts";
import { isDictionary, type QueryDictionary } from "./query-value.ts";

/** One keypoint as it is written. */
export interface WrittenKeypoint {
  readonly class_id: number;
  readonly class: string;
  readonly confidence: number;
  readonly x: number;
  readonly y: number;
}

/**
 * Adds the keypoints of predictions as columns of equal width: rows with fewer are filled up with nameless ones at 0.
 * Throws a `ValueError` when there is not one prediction a row.
 */
export function withKeypoints(detections: DetectionTable, rows: readonly QueryDictionary[]): DetectionTable {
  if (rows.length !== detections.length) {
    throw inputError(`There are ${detections.length} detections, but keypoints of ${rows.length}.`);
  }
  const lists = rows.map(({ keypoints }) => (Array.isArray(keypoints) ? keypoints.filter(isDictionary) : []));
  const width = Math.max(0, ...lists.map((list) => list.length));
  const column = (value: (keypoint: QueryDictionary) => ColumnValue, filling: ColumnValue): readonly ColumnValue[] =>
    lists.map((list) => Array.from({ length: width }, (_, at) => (at < list.length ? value(list[at]!) : filling)));
  return withColumns(detections, {
    keypoints_xy: column(({ x, y }) => [Number(x), Number(y)], [0, 0]),
    keypoints_confidence: column(({ confidence }) => Number(confidence), 0),
    keypoints_class_id: column(({ class_id }) => Number(class_id), 0),
    keypoints_class_name: column((keypoint) => String(keypoint.class), ""),
  });
}

/** Keypoints of one row without the filling; absent when the detections have none. */
export function writeKeypoints(
  data: Readonly<Record<string, readonly ColumnValue[]>>,
  row: number,
): readonly WrittenKeypoint[] | undefined {
  const { keypoints_xy, keypoints_confidence, keypoints_class_id, keypoints_class_name } = data;
  if (!keypoints_xy || !keypoints_confidence || !keypoints_class_id || !keypoints_class_name) return undefined;
  const points = keypoints_xy[row] as readonly (readonly number[])[];
  const names = keypoints_class_name[row] as readonly string[];
  const count = Math.min(points.length, names.filter((name) => name !== "").length);
  return points.slice(0, count).map(([x, y], at) => ({
    class_id: (keypoints_class_id[row] as readonly number[])[at]!,
    class: names[at]!,
    confidence: (keypoints_confidence[row] as readonly number[])[at]!,
    x: x!,
    y: y!,
  }));
}
