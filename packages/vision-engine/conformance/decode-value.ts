// recorded value with tags → value of the engine
import sharp from "sharp";
import { BlockBatch } from "../src/blocks/block.ts";
import { type ColumnValue, DetectionTable } from "../src/frames/detections.ts";
import { Timestamp, type VideoMetadata } from "../src/frames/frame.ts";
import { type ImageOrigin, ImageValue } from "../src/frames/image-value.ts";
import type { Mask } from "../src/frames/mask.ts";
import { isObject, type Recorded, type RecordedObject } from "./vector-record.ts";

/** Sizes of the pictures that records name but do not hold; a blank one stands for them. */
const ASSET_SIZES: Readonly<Record<string, readonly [height: number, width: number]>> = {
  "dogs.jpg": [427, 640],
  "crowd.jpg": [425, 640],
  "license_plate.jpg": [1280, 1920],
};

/** Tags become values of the engine; arrays of numbers stay nested lists. */
export async function decodeValue(value: Recorded): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(decodeValue));
  if (!isObject(value)) return value;
  const [tag] = Object.keys(value);
  if (tag?.startsWith("$")) return decodeTag(tag, value);
  return decodeObject(value);
}

export async function decodeObject(value: RecordedObject): Promise<Record<string, unknown>> {
  const entries = Object.entries(value).map(async ([name, item]) => [name, await decodeValue(item)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function decodeTag(tag: string, value: RecordedObject): Promise<unknown> {
  const inner = value[tag]!;
  switch (tag) {
    case "$detections":
      return decodeDetections(inner as RecordedObject);
    case "$ndarray":
    case "$set":
      return decodeValue(inner);
    case "$image":
      return decodeImage(inner as RecordedObject);
    case "$workflow_image":
      return decodeWorkflowImage(inner as RecordedObject);
    case "$video_metadata":
      return decodeVideo(inner as RecordedObject);
    case "$batch":
      return new BlockBatch((await decodeValue(inner)) as never[], value.indices as number[][] | undefined);
    case "$datetime":
      return new Timestamp(inner as string);
    case "$bytes_base64":
      return new Uint8Array(Buffer.from(inner as string, "base64"));
    case "$float":
      return Number((inner as string).replace("inf", "Infinity"));
    case "$entries":
      return new Map((await decodeValue(inner)) as [unknown, unknown][]);
    default:
      return decodeValue(inner);
  }
}

export async function decodeDetections(recorded: RecordedObject): Promise<DetectionTable> {
  const { xyxy, confidence, class_id, tracker_id, mask, data, metadata } = recorded;
  const round = recorded.xyxy_dtype === "float32" ? Math.fround : (value: number) => value;
  return new DetectionTable({
    xyxy: Float64Array.from((xyxy as number[][]).flat(), round),
    confidence: numbers(confidence) && Float64Array.from(numbers(confidence)!),
    classId: numbers(class_id) && Int32Array.from(numbers(class_id)!),
    trackerId: numbers(tracker_id) && Int32Array.from(numbers(tracker_id)!),
    masks: mask ? decodeMasks(mask as RecordedObject) : undefined,
    data: (data ? await decodeObject(data as RecordedObject) : {}) as Record<string, ColumnValue[]>,
    metadata: (metadata ? await decodeObject(metadata as RecordedObject) : {}) as Record<string, ColumnValue>,
  });
}

function numbers(value: Recorded | undefined): readonly number[] | undefined {
  if (value === null || value === undefined) return undefined;
  return (isObject(value) ? value.$ndarray : value) as readonly number[];
}

export function decodeMasks({ shape, runs }: RecordedObject): readonly Mask[] | undefined {
  const [, height, width] = shape as number[];
  return (runs as number[][] | undefined)?.map((pairs) => ({
    width: width!,
    height: height!,
    runs: Int32Array.from(pairs),
  }));
}

export async function decodeImage(recorded: RecordedObject): Promise<ImageValue> {
  const { shape, fill, png_base64, asset } = recorded;
  if (typeof png_base64 === "string") return decodePng(png_base64, (shape as number[] | undefined)?.length === 2);
  const [height = 0, width = 0, depth = 1] = (shape as number[] | undefined) ?? assetShape(asset);
  // More channels than a picture has are kept: such an array is broken, and must fail where the peer's does.
  const rgba = new Uint8ClampedArray(width * height * Math.max(4, depth)).fill(255);
  const [blue = 0, green = blue, red = blue] = [fill ?? 0].flat() as number[];
  for (let at = 0; at < rgba.length; at += 4) {
    rgba[at] = red;
    rgba[at + 1] = green;
    rgba[at + 2] = blue;
  }
  return new ImageValue({ width, height, rgba, channels: depth === 1 ? 1 : 3 });
}

function assetShape(asset: Recorded | undefined): readonly number[] {
  const name = String(asset).split("/").at(-1)!;
  return [...(ASSET_SIZES[name] ?? [480, 640]), 3];
}

async function decodePng(base64: string, grey: boolean): Promise<ImageValue> {
  const picture = sharp(Buffer.from(base64, "base64")).toColourspace("srgb").ensureAlpha().raw();
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  const rgba = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  return new ImageValue({ width: info.width, height: info.height, rgba, channels: grey ? 1 : 3 });
}

async function decodeWorkflowImage(recorded: RecordedObject): Promise<ImageValue> {
  const picture = await decodeImage(recorded.image as RecordedObject);
  const { width, height } = picture;
  const whole = (id: Recorded | undefined): ImageOrigin => ({ id: String(id ?? "image"), x: 0, y: 0, width, height });
  const parent = originOf(recorded.parent_origin, recorded.parent_id) ?? whole(recorded.parent_id);
  const root =
    originOf(recorded.root_parent_origin ?? recorded.root_origin, recorded.root_parent_id ?? recorded.root_id) ??
    parent;
  const video = recorded.video_metadata ? decodeVideo(recorded.video_metadata as RecordedObject) : undefined;
  return new ImageValue({ width, height, rgba: picture.rgba, channels: picture.channels, parent, root, video });
}

/** Offsets are written with the names of either form of the peer. */
function originOf(origin: Recorded | undefined, id: Recorded | undefined): ImageOrigin | undefined {
  if (!isObject(origin)) return undefined;
  return {
    id: String(id ?? "image"),
    x: (origin.left_top_x ?? origin.offset_x ?? 0) as number,
    y: (origin.left_top_y ?? origin.offset_y ?? 0) as number,
    width: (origin.origin_width ?? origin.width) as number,
    height: (origin.origin_height ?? origin.height) as number,
  };
}

export function decodeVideo(recorded: RecordedObject): VideoMetadata {
  return {
    videoIdentifier: recorded.video_identifier as string,
    frameNumber: recorded.frame_number as number,
    timestamp: new Timestamp(recorded.frame_timestamp as string),
    fps: (recorded.fps ?? 0) as number,
    measuredFps: (recorded.measured_fps ?? undefined) as number | undefined,
    comesFromVideoFile: (recorded.comes_from_video_file ?? undefined) as boolean | undefined,
    totalFrames: (recorded.total_frames ?? undefined) as number | undefined,
  };
}
