// what a caller gives for an input → value of the kind that the input declares
import { isDictionary, type QueryDictionary, type QueryValue, runtimeInputError, typeNameOf } from "./query-value.ts";
import { readDetections } from "./read-detections.ts";
import { type ImageAccess, readImage, readVideoMetadata, toTimestamp } from "./read-image.ts";

/** What reading needs besides the value. */
export interface DeserializeOptions extends ImageAccess {
  /** For predictions that come without an id. */
  readonly newId: () => string;
}

type Reader = (value: unknown, name: string, options: DeserializeOptions) => QueryValue | Promise<QueryValue>;

const readText: Reader = (value, name) => (typeof value === "string" ? value : refuse(name, "a text", value));
const readOptionalText: Reader = (value, name, options) => (value === null ? null : readText(value, name, options));
const readList: Reader = (value, name) => (Array.isArray(value) ? value : refuse(name, "a list", value));
const readRleDetections: Reader = (value, name, { newId }) => readDetections(value, name, { newId, keepRle: true });
const readPlainDetections: Reader = (value, name, { newId }) => readDetections(value, name, { newId });

const READERS: Readonly<Record<string, Reader>> = {
  image: readImage,
  video_metadata: readVideoMetadata,
  object_detection_prediction: readPlainDetections,
  instance_segmentation_prediction: readPlainDetections,
  keypoint_detection_prediction: readPlainDetections,
  qr_code_detection: readPlainDetections,
  bar_code_detection: readPlainDetections,
  rle_instance_segmentation_prediction: readRleDetections,
  semantic_segmentation_prediction: readRleDetections,
  classification_prediction: readClassification,
  action_recognition_prediction: readList,
  numpy_array: readList,
  list_of_values: readList,
  detections_overlaps: readList,
  dictionary: readDictionary,
  boolean: (value, name) => (typeof value === "boolean" ? value : refuse(name, "true or false", value)),
  integer: (value, name) => (isWhole(value) ? value : refuse(name, "a whole number", value)),
  float: readNumber,
  float_zero_to_one: readShare,
  string: readText,
  top_class: readText,
  language_model_output: readText,
  prediction_type: readText,
  parent_id: readText,
  inference_id: readText,
  roboflow_model_id: readText,
  roboflow_project: readText,
  roboflow_solution: readText,
  roboflow_api_key: readOptionalText,
  ROBOFLOW_MANAGED_KEY: readOptionalText,
  point: readPoint,
  labeled_points: readLabeledPoints,
  zone: readZone,
  rgb_color: readColor,
  bytes: readBytes,
  timestamp: (value, name) => toTimestamp(value) ?? refuse(name, "a time as text of ISO 8601", value),
};

/**
 * Reads what was given for the input `name` as a value of `kind`; kinds that are read by nobody pass as they are.
 * Throws an `EngineError` of type `RuntimeInputError` when the value does not fit.
 */
export function deserializeValue(
  kind: string,
  value: unknown,
  name: string,
  options: DeserializeOptions,
): QueryValue | Promise<QueryValue> {
  const read = READERS[kind];
  return read === undefined ? (value as QueryValue) : read(value, name, options);
}

/** True for kinds whose values are checked. */
export function isDeserializedKind(kind: string): boolean {
  return Object.hasOwn(READERS, kind);
}

function refuse(name: string, wanted: string, value: unknown): never {
  throw runtimeInputError(`Input "${name}" must be ${wanted}, not a value of type ${typeNameOf(value)}.`);
}

function isWhole(value: unknown): value is number | boolean {
  return Number.isInteger(value) || typeof value === "boolean";
}

function readNumber(value: unknown, name: string): number {
  if (typeof value === "number" || typeof value === "boolean") return Number(value);
  return refuse(name, "a number", value);
}

function readShare(value: unknown, name: string): number {
  const share = readNumber(value, name);
  if (share >= 0 && share <= 1) return share;
  throw runtimeInputError(`Input "${name}" must lie between 0 and 1; it is ${share}.`);
}

function readDictionary(value: unknown, name: string): QueryDictionary {
  return isDictionary(value) ? value : refuse(name, "a dictionary", value);
}

function readClassification(value: unknown, name: string, { newId }: DeserializeOptions): QueryDictionary {
  const prediction = readDictionary(value, name);
  if (!("image" in prediction && "predictions" in prediction)) {
    throw runtimeInputError(`Input "${name}": a classification needs "image" and "predictions".`);
  }
  if (!("predicted_classes" in prediction) && !("top" in prediction && "confidence" in prediction)) {
    throw runtimeInputError(`Input "${name}": a classification needs "predicted_classes", or "top" and "confidence".`);
  }
  return {
    prediction_type: "classification",
    parent_id: name,
    root_parent_id: name,
    ...("inference_id" in prediction ? {} : { inference_id: newId() }),
    ...prediction,
  };
}

function isNumberPair(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((item) => typeof item === "number");
}

function readPoint(value: unknown, name: string): readonly number[] {
  if (!Array.isArray(value)) return refuse(name, "a point", value);
  const point = value.slice(0, 2);
  if (isNumberPair(point)) return point;
  throw runtimeInputError(`Input "${name}" must be a point of two numbers: [x, y].`);
}

function readZone(value: unknown, name: string): readonly QueryValue[] {
  if (Array.isArray(value) && value.length >= 3 && value.every(isNumberPair)) return value;
  throw runtimeInputError(`Input "${name}" must be a zone of at least 3 points: [[x, y], [x, y], [x, y]].`);
}

function readLabeledPoints(value: unknown, name: string): readonly QueryValue[] {
  if (!Array.isArray(value)) return refuse(name, "a list of points", value);
  return value.map((point: unknown) => {
    const [x, y, positive = true] = labeledParts(point);
    if (typeof x === "number" && typeof y === "number") return { x, y, positive: Boolean(positive) };
    throw runtimeInputError(`Input "${name}": every point must be {x, y, positive}, [x, y] or [x, y, positive].`);
  });
}

function labeledParts(point: unknown): readonly unknown[] {
  if (isDictionary(point)) return [point.x, point.y, point.positive];
  return Array.isArray(point) && point.length <= 3 ? point : [];
}

function readColor(value: unknown, name: string): QueryValue {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return refuse(name, "a colour as text or [red, green, blue]", value);
  if (value.length < 3) throw runtimeInputError(`Input "${name}": a colour needs red, green and blue.`);
  return value.slice(0, 3);
}

function readBytes(value: unknown, name: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return new Uint8Array(Buffer.from(value, "base64"));
  return refuse(name, "bytes or base64", value);
}
