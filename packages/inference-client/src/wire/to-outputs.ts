// serialised workflow outputs → protocol values + pictures
import type { Detections, Json, OutputValue } from "@vision-agent/protocol";
import { z } from "zod";
import { decodeImage, type ImageSize, imageSizeOf, mimeTypeOf } from "./image-file.ts";
import type { DetectedObject } from "./parse-inference-answer.ts";

/** Outputs of one picture, by output name, as a server writes them. */
export type SerialisedOutputs = { readonly [output: string]: Json };

export interface ServerOutputs {
  readonly outputs: Record<string, OutputValue>;
  /** Output name → file bytes (JPEG) of every output of kind `image`. */
  readonly pictures: ReadonlyMap<string, Uint8Array>;
}

const absent = z.undefined().optional();
const length = z.number().optional().catch(undefined);
/** Boxes with what a workflow may leave out. Answers of classifiers have predictions and an image, too. */
const detectionsSchema = z.object({
  image: z.object({ width: length, height: length }),
  predictions: z.array(
    z.object({
      x: z.number(),
      y: z.number(),
      width: z.number(),
      height: z.number(),
      confidence: z.number().catch(1),
      class: z.string().catch(""),
      class_id: z.number().catch(-1),
      tracker_id: z.number().transform(Math.trunc).optional().catch(undefined),
    }),
  ),
  top: absent,
  predicted_classes: absent,
});

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
    const found = picture === undefined ? detectionsSchema.safeParse(value).data : undefined;
    if (picture !== undefined) {
      outputs[name] = { kind: "image", ...(imageSizeOf(picture) ?? sent) };
      pictures.set(name, picture);
    } else if (found !== undefined) {
      const { width = sent.width, height = sent.height } = found.image;
      const rows = found.predictions.map(({ class: className, class_id: classId, tracker_id: trackerId, ...box }) => {
        return { ...box, className, classId, trackerId };
      });
      outputs[name] = { kind: "detections", detections: toDetections(rows, { width, height }) };
    } else outputs[name] = { kind: "value", value: withoutPictures(value) };
  }
  return { outputs, pictures };
}

/** Boxes by centre → the columns of the protocol. */
export function toDetections(
  rows: readonly Omit<DetectedObject, "detectionId" | "parentId">[],
  image: ImageSize,
): Detections {
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

/** The bytes of `{type:"base64", value}`, when they are a picture. */
function pictureOf(value: Json | undefined): Uint8Array | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const { type, value: base64 } = value;
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
