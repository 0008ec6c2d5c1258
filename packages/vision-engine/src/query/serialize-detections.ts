// detections → predictions as plain data
import { inputError } from "../errors.ts";
import { type ColumnValue, columnOf, type Detections } from "../frames/detections.ts";
import type { Mask } from "../frames/mask.ts";
import { contoursOf } from "../geometry/contours.ts";
import { type Polygon, roundHalfEven } from "../geometry/points.ts";
import { polygonArea } from "../geometry/polygons.ts";
import { writeKeypoints } from "./keypoint-columns.ts";

/** Detections as they leave the engine. `x` and `y` are the centre. */
export interface SerializedDetections {
  readonly image: { readonly width: number | null; readonly height: number | null };
  readonly predictions: readonly SerializedPrediction[];
}

export type SerializedPrediction = { readonly [name: string]: ColumnValue };

/** Columns that are written under their own name. */
const PLAIN_COLUMNS: readonly string[] = [
  "path_deviation",
  "time_in_zone",
  "data",
  "velocity",
  "speed",
  "smoothed_velocity",
  "smoothed_speed",
  "area_px",
  "area_converted",
  "nearest_target_distance",
];
/** Written only together: the size of a turned rectangle stands in for that of the box. */
const RECTANGLE_COLUMNS: readonly string[] = ["angle", "rect", "height", "width"];

/** A row whose mask is empty is left out. Throws a `KeyError` without class names or ids. */
export function serializeDetections(detections: Detections): SerializedDetections {
  const predictions: SerializedPrediction[] = [];
  for (let row = 0; row < detections.length; row++) {
    const prediction = serializeRow(detections, row);
    if (prediction !== undefined) predictions.push(prediction);
  }
  return { image: imageOf(detections), predictions };
}

/** With the masks as they came, and no polygons. Throws a `ValueError` without the column `rle_mask`. */
export function serializeRleDetections(detections: Detections): SerializedDetections {
  const masks = detections.data.rle_mask;
  if (masks === undefined) throw inputError("The detections have no run-length masks.");
  const { image, predictions } = serializeDetections(detections.with({ masks: undefined }));
  return { image, predictions: predictions.map((prediction, row) => ({ ...prediction, rle_mask: masks[row]! })) };
}

/** Corners of the largest part of a mask, at least 3 of them; absent when the mask is empty. */
export function maskToPolygon(mask: Mask): Polygon | undefined {
  let largest: Polygon | undefined;
  let area = -1;
  for (const contour of contoursOf(mask)) {
    const candidate = polygonArea(contour);
    if (candidate <= area) continue;
    largest = contour;
    area = candidate;
  }
  if (largest === undefined) return undefined;
  const last = largest.at(-1)!;
  return [...largest, ...new Array(Math.max(0, 3 - largest.length)).fill(last)];
}

function imageOf({ data, metadata, length }: Detections): SerializedDetections["image"] {
  const size = (length > 0 ? data.image_dimensions?.[length - 1] : undefined) ?? metadata.image_dimensions;
  if (!Array.isArray(size)) return { width: null, height: null };
  const [height, width] = size as readonly number[];
  return { width: Math.trunc(width!), height: Math.trunc(height!) };
}

function serializeRow(detections: Detections, row: number): SerializedPrediction | undefined {
  const { xyxy, confidence, classId, trackerId, data } = detections;
  const [left, top, right, bottom] = xyxy.subarray(4 * row, 4 * row + 4);
  const width = Math.abs(right! - left!);
  const height = Math.abs(bottom! - top!);
  const written: Record<string, ColumnValue> = {
    width,
    height,
    x: left! + width / 2,
    y: top! + height / 2,
    confidence: confidence?.[row] ?? null,
    class_id: classId?.[row] ?? null,
  };
  const mask = detections.masks?.[row];
  if (mask !== undefined) {
    const polygon = writtenPolygon(data.polygon?.[row]) ?? maskToPolygon(mask);
    if (polygon === undefined) return undefined;
    written.points = polygon.map(([x, y]) => ({ x, y }));
  }
  if (trackerId !== undefined) written.tracker_id = trackerId[row]!;
  written.class = String(columnOf(detections, "class_name")[row]);
  written.detection_id = String(columnOf(detections, "detection_id")[row]);
  if (data.polygon !== undefined) written.polygon = roundedPoints(data.polygon[row]!);
  const columns = RECTANGLE_COLUMNS.every((name) => name in data)
    ? [...PLAIN_COLUMNS, ...RECTANGLE_COLUMNS]
    : PLAIN_COLUMNS;
  for (const name of columns) if (name in data) written[name] = data[name]![row]!;
  Object.assign(written, originOf(data, row));
  const keypoints = writeKeypoints(data, row);
  return keypoints === undefined ? written : { ...written, keypoints: keypoints.map((keypoint) => ({ ...keypoint })) };
}

/** The parent, and for detections on a crop where that lies. */
function originOf(data: Detections["data"], row: number): Record<string, ColumnValue> {
  const parent = data.parent_id?.[row];
  const root = data.root_parent_id?.[row];
  if (parent === undefined) return {};
  if (root === undefined || root === parent) return { parent_id: parent };
  const origin: Record<string, ColumnValue> = { parent_id: parent, root_parent_id: root };
  for (const prefix of ["parent", "root_parent"]) {
    const coordinates = data[`${prefix}_coordinates`]?.[row] as readonly number[] | undefined;
    const dimensions = data[`${prefix}_dimensions`]?.[row] as readonly number[] | undefined;
    if (coordinates === undefined || dimensions === undefined) continue;
    const [offset_x, offset_y] = coordinates.map(roundHalfEven);
    const [height, width] = dimensions.map(roundHalfEven);
    origin[`${prefix}_origin`] = { offset_x: offset_x!, offset_y: offset_y!, width: width!, height: height! };
  }
  return origin;
}

function writtenPolygon(value: ColumnValue | undefined): Polygon | undefined {
  return Array.isArray(value) && value.length > 2 ? (value as unknown as Polygon) : undefined;
}

function roundedPoints(points: ColumnValue): ColumnValue {
  return (points as readonly (readonly number[])[]).map((point) => point.map(roundHalfEven));
}
