// value of a workflow → plain data for the outside
import { EngineError, inputError } from "../errors.ts";
import { Detections } from "../frames/detections.ts";
import { type ImageOrigin, ImageValue } from "../frames/image-value.ts";
import { encodeJpeg } from "../frames/jpeg.ts";
import { Timestamp } from "../frames/timestamp.ts";
import { isVideoMetadata, type VideoMetadata } from "../frames/video-metadata.ts";
import { isDictionary } from "./query-value.ts";
import type { ParentOrigin } from "./read-parent-origin.ts";
import { serializeDetections, serializeRleDetections } from "./serialize-detections.ts";

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
  if (value instanceof Detections) return serializeDetections(value);
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
export async function toBase64Jpeg(image: ImageValue, quality = 95): Promise<string> {
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

function detectionsIn(value: unknown): Detections {
  return fitting(value, value instanceof Detections);
}

function fitting<T>(value: unknown, fits: boolean): T {
  if (!fits) throw inputError("The value is of another kind.", "TypeError");
  return value as T;
}
