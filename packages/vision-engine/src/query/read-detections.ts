// serialised predictions → detections

import { inputError } from "../errors.ts";
import { type ColumnValue, DetectionTable, emptyDetections, withColumns } from "../frames/detections.ts";
import type { Mask } from "../frames/mask.ts";
import { polygonToMask } from "../geometry/fill-polygon.ts";
import { type CocoRle, maskFromCocoRle, scaleMask } from "../geometry/mask-shapes.ts";
import { roundHalfEven } from "../geometry/polygons.ts";
import { isDictionary, type QueryDictionary, runtimeInputError } from "./query-value.ts";
import { readParentOrigin } from "./read-image.ts";

/** Columns that are written under their own name. */
export const PLAIN_COLUMNS: readonly string[] = [
  ..."path_deviation time_in_zone data velocity speed smoothed_velocity smoothed_speed".split(" "),
  ..."area_px area_converted nearest_target_distance".split(" "),
];
/** Written only together: the size of a turned rectangle stands in for that of the box. */
export const RECTANGLE_COLUMNS: readonly string[] = ["angle", "rect", "height", "width"];
/** Parts of a prediction that become columns under their own name when the first prediction has them. */
const OPTIONAL_COLUMNS = [...PLAIN_COLUMNS, ...RECTANGLE_COLUMNS, "polygon"];

export interface DetectionsReading {
  /** For predictions without an id. */
  readonly newId: () => string;
  /** Keeps the run-length masks as they are written, in the column `rle_mask`. */
  readonly keepRle?: boolean;
}

type Prediction = QueryDictionary;

/** Takes `{image: {width, height}, predictions: […]}`; detections pass. Throws a `RuntimeInputError`. */
export function readDetections(
  value: unknown,
  name: string,
  { newId, keepRle = false }: DetectionsReading,
): DetectionTable {
  if (value instanceof DetectionTable) return value;
  if (!isDictionary(value)) throw runtimeInputError(`Input "${name}" must hold detections as a dictionary.`);
  const { image, predictions } = value;
  if (!isDictionary(image) || !Array.isArray(predictions)) {
    throw runtimeInputError(`Input "${name}": detections need "image" (width and height) and a list of "predictions".`);
  }
  const rows = predictions.filter((row) => isDictionary(row) && !isShortPolygon(row)) as readonly Prediction[];
  const { height, width } = image;
  if (typeof height !== "number" || typeof width !== "number") {
    if (rows.length > 0) throw runtimeInputError(`Input "${name}": the size of the detections' image is missing.`);
    return emptyDetections();
  }
  if (rows.length === 0) return emptyDetections({ image_dimensions: [height, width] });
  const detections = detectionsOf(rows, { width, height }, name).with({
    data: {
      ...columnsOf(rows, name, newId),
      image_dimensions: rows.map(() => [height, width]),
      ...(keepRle ? rleColumn(rows) : {}),
    },
  });
  return "keypoints" in rows[0]! ? withKeypoints(detections, rows) : detections;
}

function detectionsOf(
  rows: readonly Prediction[],
  size: { readonly width: number; readonly height: number },
  name: string,
): DetectionTable {
  const numberIn = (row: Prediction, key: string): number => {
    const value = row[key];
    if (typeof value === "number") return value;
    throw runtimeInputError(`Input "${name}": every prediction needs the number "${key}".`);
  };
  const xyxy = new Float64Array(4 * rows.length);
  for (const [at, row] of rows.entries()) {
    const [width, height] = [numberIn(row, "width"), numberIn(row, "height")];
    const [left, top] = [numberIn(row, "x") - width / 2, numberIn(row, "y") - height / 2];
    xyxy.set([left, top, left + width, top + height], 4 * at);
  }
  const masks = rows.map((row) => maskOf(row, size, name));
  const trackerIds = rows.map(({ tracker_id }) => tracker_id);
  return new DetectionTable({
    xyxy,
    confidence: Float64Array.from(rows, (row) => numberIn(row, "confidence")),
    classId: Int32Array.from(rows, (row) => numberIn(row, "class_id")),
    trackerId: trackerIds.every((id) => typeof id === "number") ? Int32Array.from(trackerIds) : undefined,
    // One row without a mask leaves all without: masks are aligned with the boxes.
    masks: masks.every((mask) => mask !== undefined) ? masks : undefined,
  });
}

function columnsOf(
  rows: readonly Prediction[],
  name: string,
  newId: () => string,
): Record<string, readonly ColumnValue[]> {
  const column = (key: string, fallback: () => ColumnValue): readonly ColumnValue[] =>
    rows.map((row) => (key in row ? (row[key] as ColumnValue) : fallback()));
  const columns: Record<string, readonly ColumnValue[]> = {
    class_name: rows.map((row) => String(row.class)),
    detection_id: column("detection_id", newId),
    parent_id: column("parent_id", () => name),
    root_parent_id: column("root_parent_id", () => name),
    ...originColumns(rows, name, "parent"),
    ...originColumns(rows, name, "root_parent"),
  };
  for (const key of OPTIONAL_COLUMNS) if (key in rows[0]!) columns[key] = column(key, () => null);
  return columns;
}

function originColumns(
  rows: readonly Prediction[],
  name: string,
  prefix: "parent" | "root_parent",
): Record<string, readonly ColumnValue[]> {
  if (!rows.every((row) => row[`${prefix}_origin`])) return {};
  const origins = rows.map((row) => readParentOrigin(row[`${prefix}_origin`], name));
  return {
    [`${prefix}_coordinates`]: origins.map(({ offset_x, offset_y }) => [offset_x, offset_y]),
    [`${prefix}_dimensions`]: origins.map(({ width, height }) => [height, width]),
  };
}

function rleColumn(rows: readonly Prediction[]): Record<string, readonly ColumnValue[]> {
  const masks = rows.map(({ rle_mask = null }) => rle_mask as ColumnValue);
  return masks.some((mask) => mask === null) ? {} : { rle_mask: masks };
}

/** A polygon of fewer than 3 points encloses nothing; run-length masks are believed over polygons. */
function isShortPolygon(row: Prediction): boolean {
  return rleOf(row) === undefined && Array.isArray(row.points) && row.points.length < 3;
}

function rleOf({ rle, rle_mask }: Prediction): CocoRle | undefined {
  return [rle, rle_mask].find((value) => isDictionary(value) && "size" in value && "counts" in value) as
    | CocoRle
    | undefined;
}

function maskOf(
  row: Prediction,
  { width, height }: { readonly width: number; readonly height: number },
  name: string,
): Mask | undefined {
  const rle = rleOf(row);
  const decoded = rle && maskFromCocoRle(rle);
  if (decoded !== undefined) return scaleMask(decoded, width, height);
  if (!Array.isArray(row.points) || row.points.length < 3) return undefined;
  const points = (row.points as readonly Prediction[]).map(({ x, y }): [number, number] => {
    if (typeof x === "number" && typeof y === "number") return [roundHalfEven(x), roundHalfEven(y)];
    throw runtimeInputError(`Input "${name}": a polygon has a point that is not two numbers.`);
  });
  return polygonToMask(points, width, height);
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
): readonly { readonly [name: string]: ColumnValue }[] | undefined {
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
