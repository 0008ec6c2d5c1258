// value of a workflow → plain data for the outside
import { EngineError, inputError } from "../errors.ts";
import { type ColumnValue, columnOf, DetectionTable } from "../frames/detections.ts";
import { isVideoMetadata, Timestamp, type VideoMetadata } from "../frames/frame.ts";
import { type ImageOrigin, ImageValue } from "../frames/image-value.ts";
import { encodeJpeg } from "../frames/jpeg.ts";
import type { Mask } from "../frames/mask.ts";
import { boxAt } from "../geometry/boxes.ts";
import { contoursOf } from "../geometry/contours.ts";
import { type Polygon, polygonArea, roundHalfEven } from "../geometry/polygons.ts";
import { isDictionary } from "./query-value.ts";
import { PLAIN_COLUMNS, RECTANGLE_COLUMNS, writeKeypoints } from "./read-detections.ts";
import type { ParentOrigin } from "./read-image.ts";

/** What writing needs besides the value. */
export interface SerializeOptions {
  /** Wall clock in milliseconds: the time of pictures that have none. */
  readonly now: () => number;
}

type Writer = (value: unknown, options: SerializeOptions) => unknown;

const writeDetections: Writer = (value) => serializeDetections(detectionsIn(value));
const writeRleDetections: Writer = (value) => serializeRleDetections(detectionsIn(value));

const WRITERS: Readonly<Record<string, Writer>> = {
  image: (value, options) => serializeImage(fitting(value, value instanceof ImageValue), options),
  video_metadata: (value) => serializeVideoMetadata(fitting(value, isVideoMetadata(value))),
  object_detection_prediction: writeDetections,
  instance_segmentation_prediction: writeDetections,
  keypoint_detection_prediction: writeDetections,
  qr_code_detection: writeDetections,
  bar_code_detection: writeDetections,
  rle_instance_segmentation_prediction: writeRleDetections,
  semantic_segmentation_prediction: writeRleDetections,
  secret: (value) => hideSecret(fitting(value, typeof value === "string")),
  timestamp: (value) => fitting<Timestamp>(value, value instanceof Timestamp).iso,
  detections_overlaps: serializeAny,
  "*": serializeAny,
};

/**
 * Writes a value as the first of `kinds` that it fits. Kinds that are written by nobody let it pass as it is; times stay
 * `Timestamp`s, which JSON writes as text. Throws when it fits none.
 */
export async function serializeValue(
  kinds: readonly string[],
  value: unknown,
  options: SerializeOptions,
): Promise<unknown> {
  if (value === null || value === undefined) return null;
  const writers = kinds.map((kind) => WRITERS[kind]);
  let failure: unknown;
  for (const write of writers) {
    try {
      if (write !== undefined) return await write(value, options);
    } catch (error) {
      failure = error;
    }
  }
  if (writers.includes(undefined) || kinds.length === 0) return value;
  throw new EngineError({
    kind: "internal",
    type: "ExecutionEngineRuntimeError",
    context: "workflow_execution | output_construction",
    message: `A value could not be written as ${kinds.join(" or ")}.`,
    cause: failure,
  });
}

/** Pictures, detections and times inside lists and dictionaries included. */
export async function serializeAny(value: unknown, options: SerializeOptions): Promise<unknown> {
  if (value instanceof ImageValue) return serializeImage(value, options);
  if (value instanceof DetectionTable) return serializeDetections(value);
  if (value instanceof Timestamp) return value.iso;
  if (Array.isArray(value)) return Promise.all(value.map((item) => serializeAny(item, options)));
  if (!isDictionary(value)) return value;
  const entries = Object.entries(value).map(async ([name, item]) => [name, await serializeAny(item, options)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** JPEG as base64 with the video it belongs to, and where it was cut from if it was. */
export async function serializeImage(image: ImageValue, { now }: SerializeOptions): Promise<Record<string, unknown>> {
  const { parent, root } = image;
  const written: Record<string, unknown> = {
    type: "base64",
    value: await toBase64Jpeg(image),
    video_metadata: serializeVideoMetadata(image.videoOrDefault(now())),
  };
  if (parent.id === root.id) return written;
  return {
    ...written,
    parent_id: parent.id,
    parent_origin: originOf(parent),
    root_parent_id: root.id,
    root_parent_origin: originOf(root),
  };
}

/** `quality` 1 to 100. */
async function toBase64Jpeg(image: ImageValue, quality = 95): Promise<string> {
  const { jpeg } = await encodeJpeg(image, { quality });
  return Buffer.from(jpeg).toString("base64");
}

export function serializeVideoMetadata(video: VideoMetadata): Record<string, unknown> {
  return {
    video_identifier: video.videoIdentifier,
    frame_number: video.frameNumber,
    frame_timestamp: video.timestamp,
    fps: video.fps === 0 ? null : video.fps,
    measured_fps: video.measuredFps ?? null,
    comes_from_video_file: video.comesFromVideoFile ?? null,
    total_frames: video.totalFrames ?? null,
  };
}

/** Shows the ends of a long secret only. */
export function hideSecret(secret: string): string {
  const stars = "*".repeat(8);
  return secret.length < 8 ? stars : `${secret.slice(0, 2)}${stars}${secret.slice(-2)}`;
}

function originOf({ x, y, width, height }: ImageOrigin): ParentOrigin {
  return { offset_x: x, offset_y: y, width, height };
}

function detectionsIn(value: unknown): DetectionTable {
  return fitting(value, value instanceof DetectionTable);
}

function fitting<T>(value: unknown, fits: boolean): T {
  if (!fits) throw inputError("The value is of another kind.", "TypeError");
  return value as T;
}

/** Detections as they leave the engine. `x` and `y` are the centre. */
export interface SerializedDetections {
  readonly image: { readonly width: number | null; readonly height: number | null };
  readonly predictions: readonly SerializedPrediction[];
}

type SerializedPrediction = { readonly [name: string]: ColumnValue };

/** A row whose mask is empty is left out. Throws a `KeyError` without class names or ids. */
export function serializeDetections(detections: DetectionTable): SerializedDetections {
  const predictions: SerializedPrediction[] = [];
  for (let row = 0; row < detections.length; row++) {
    const prediction = serializeRow(detections, row);
    if (prediction !== undefined) predictions.push(prediction);
  }
  return { image: imageOf(detections), predictions };
}

/** With the masks as they came, and no polygons. Throws a `ValueError` without the column `rle_mask`. */
export function serializeRleDetections(detections: DetectionTable): SerializedDetections {
  const masks = detections.data.rle_mask;
  if (masks === undefined) throw inputError("The detections have no run-length masks.");
  const { image, predictions } = serializeDetections(detections.with({ masks: undefined }));
  return { image, predictions: predictions.map((prediction, row) => ({ ...prediction, rle_mask: masks[row]! })) };
}

/** Corners of the largest part of a mask, at least 3 of them; absent when the mask is empty. */
export function maskToPolygon(mask: Mask): Polygon | undefined {
  const contours = contoursOf(mask);
  const areas = contours.map(polygonArea);
  const largest = contours[areas.indexOf(Math.max(...areas))];
  if (largest === undefined) return undefined;
  return [...largest, ...new Array(Math.max(0, 3 - largest.length)).fill(largest.at(-1)!)];
}

function imageOf({ data, metadata, length }: DetectionTable): SerializedDetections["image"] {
  const size = (length > 0 ? data.image_dimensions?.[length - 1] : undefined) ?? metadata.image_dimensions;
  if (!Array.isArray(size)) return { width: null, height: null };
  const [height, width] = size as readonly number[];
  return { width: Math.trunc(width!), height: Math.trunc(height!) };
}

function serializeRow(detections: DetectionTable, row: number): SerializedPrediction | undefined {
  const { xyxy, confidence, classId, trackerId, data } = detections;
  const [left, top, right, bottom] = boxAt(xyxy, row);
  const width = Math.abs(right - left);
  const height = Math.abs(bottom - top);
  const written: Record<string, ColumnValue> = {
    width,
    height,
    x: left + width / 2,
    y: top + height / 2,
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
  Object.assign(written, originColumns(data, row));
  const keypoints = writeKeypoints(data, row);
  return keypoints === undefined ? written : { ...written, keypoints };
}

/** The parent, and for detections on a crop where that lies. */
function originColumns(data: DetectionTable["data"], row: number): Record<string, ColumnValue> {
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
