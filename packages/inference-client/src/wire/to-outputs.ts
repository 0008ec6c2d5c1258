// serialised workflow outputs → protocol values + pictures
import type { Detections, Json, OutputValue } from "@vision-agent/protocol";
import { decodeImage, imageSizeOf, mimeTypeOf } from "./image-file.ts";
import type { DetectedObject, ImageSize } from "./inference-answer.ts";

/** Outputs of one picture, by output name, as a server writes them. */
export type SerialisedOutputs = { readonly [output: string]: Json };

export interface ServerOutputs {
  readonly outputs: Record<string, OutputValue>;
  /** Output name → file bytes (JPEG) of every output of kind `image`. */
  readonly pictures: ReadonlyMap<string, Uint8Array>;
}

type JsonFields = { readonly [field: string]: Json };

/** Below this a text is no picture, whatever it begins with. */
const SHORTEST_PICTURE = 100;
/** Base64 of the first bytes of JPEG, PNG and WebP files, and data URLs. */
const PICTURE_START = /^(?:\/9j\/|iVBORw0KGgo|UklGR|data:image\/)/;

/**
 * `sent` is the size of the picture that was sent: older servers give none with empty detections.
 * Pictures deeper inside a value are replaced by their size, so that no value carries bytes.
 */
export function toOutputs(serialised: SerialisedOutputs, sent: ImageSize): ServerOutputs {
  const outputs: Record<string, OutputValue> = {};
  const pictures = new Map<string, Uint8Array>();
  for (const [name, value] of Object.entries(serialised)) {
    const picture = pictureOf(value);
    if (picture !== undefined) {
      outputs[name] = { kind: "image", ...(imageSizeOf(picture) ?? sent) };
      pictures.set(name, picture);
    } else if (isDetections(value)) outputs[name] = { kind: "detections", detections: readDetections(value, sent) };
    else outputs[name] = { kind: "value", value: withoutPictures(value) };
  }
  return { outputs, pictures };
}

/** Boxes by centre → the columns of the protocol. */
export function toDetections(rows: readonly DetectedObject[], image: ImageSize): Detections {
  const isTracked = rows.length > 0 && rows.every(({ trackerId }) => trackerId !== undefined);
  return {
    image,
    xyxy: rows.flatMap(({ x, y, width, height }) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2]),
    confidence: rows.map(({ confidence }) => Math.min(1, Math.max(0, confidence))),
    class_id: rows.map(({ classId }) => Math.trunc(classId)),
    class_name: rows.map(({ className }) => className),
    tracker_id: isTracked ? rows.map(({ trackerId }) => trackerId ?? -1) : null,
  };
}

function isDetections(value: Json): value is JsonFields & { readonly predictions: readonly JsonFields[] } {
  if (!isObject(value) || !isObject(value.image ?? null) || "top" in value || "predicted_classes" in value)
    return false;
  const { predictions } = value;
  return (
    Array.isArray(predictions) && predictions.every((row) => isObject(row) && BOX.every((side) => isNumber(row[side])))
  );
}

const BOX = ["x", "y", "width", "height"] as const;

function readDetections(
  value: JsonFields & { readonly predictions: readonly JsonFields[] },
  sent: ImageSize,
): Detections {
  const image = isObject(value.image ?? null) ? (value.image as JsonFields) : {};
  const rows = value.predictions.map((row): DetectedObject => {
    const trackerId = row.tracker_id;
    return {
      x: numberOf(row.x, 0),
      y: numberOf(row.y, 0),
      width: numberOf(row.width, 0),
      height: numberOf(row.height, 0),
      confidence: numberOf(row.confidence, 1),
      className: typeof row.class === "string" ? row.class : "",
      classId: numberOf(row.class_id, -1),
      ...(isNumber(trackerId) && { trackerId: Math.trunc(trackerId) }),
    };
  });
  const size = { width: numberOf(image.width, sent.width), height: numberOf(image.height, sent.height) };
  return toDetections(rows, size);
}

/** The bytes of `{type:"base64", value}`, when they are a picture. */
function pictureOf(value: Json | undefined): Uint8Array | undefined {
  if (!isObject(value ?? null)) return undefined;
  const { type, value: base64 } = value as JsonFields;
  if (type !== "base64" || typeof base64 !== "string") return undefined;
  const bytes = decodeImage(base64);
  return mimeTypeOf(bytes) === undefined ? undefined : bytes;
}

function withoutPictures(value: Json): Json {
  if (typeof value === "string") {
    return value.length > SHORTEST_PICTURE && PICTURE_START.test(value) ? sizeOnly(decodeImage(value)) : value;
  }
  if (Array.isArray(value)) return value.map(withoutPictures);
  if (!isObject(value)) return value;
  const picture = pictureOf(value);
  if (picture !== undefined) return sizeOnly(picture);
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withoutPictures(held)]));
}

function sizeOnly(picture: Uint8Array): Json {
  return { type: "image", ...imageSizeOf(picture) };
}

function isObject(value: Json): value is { [field: string]: Json } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function numberOf(value: unknown, fallback: number): number {
  return isNumber(value) ? value : fallback;
}
