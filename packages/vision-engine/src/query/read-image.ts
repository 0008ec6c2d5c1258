// base64, bytes, address or pixels → picture of a workflow
import { decodePicture } from "../frames/decode-picture.ts";
import { isVideoMetadata, Timestamp, type VideoMetadata } from "../frames/frame.ts";
import { type ImageFields, type ImageOrigin, ImageValue } from "../frames/image-value.ts";
import { isDictionary, runtimeInputError, typeNameOf } from "./query-value.ts";

/** Ways to bytes outside of the value itself; a form whose way is missing is refused. */
export interface ImageAccess {
  /** Bytes of a picture at an http(s) address. */
  readonly fetchImage?: (url: string) => Promise<Uint8Array>;
  /** Bytes of a file; `undefined` when there is none of that name. */
  readonly readImageFile?: (path: string) => Promise<Uint8Array | undefined>;
}

type Pixels = Pick<ImageFields, "width" | "height" | "rgba" | "channels">;

/**
 * Takes a picture, raw pixels, encoded bytes, base64, a data URL, an address or a path, alone or as `{type, value}` with
 * parents and video metadata. Throws a `RuntimeInputError`.
 */
export async function readImage(value: unknown, name: string, access: ImageAccess): Promise<ImageValue> {
  if (value instanceof ImageValue) return value;
  const written = isDictionary(value) && "value" in value ? value : undefined;
  const pixels = await readPixels(written?.value ?? value, written?.type, name, access);
  const { width, height } = pixels;
  const originOf = (id: unknown, origin: unknown): ImageOrigin | undefined => {
    if (typeof id !== "string" || id === "") return undefined;
    if (!origin) return { id, x: 0, y: 0, width, height };
    const read = readParentOrigin(origin, name);
    return { id, x: read.offset_x, y: read.offset_y, width: read.width, height: read.height };
  };
  const parent = originOf(written?.parent_id ?? name, written?.parent_origin) ?? {
    id: name,
    x: 0,
    y: 0,
    width,
    height,
  };
  const video = written?.video_metadata;
  return new ImageValue({
    ...pixels,
    parent,
    root: originOf(written?.root_parent_id, written?.root_parent_origin) ?? parent,
    video: video === undefined || video === null ? undefined : readVideoMetadata(video, name),
  });
}

async function decodeColors(bytes: Uint8Array): Promise<Pixels> {
  const { width, height, rgba } = await decodePicture(bytes);
  return { width, height, rgba, channels: 3 };
}

async function readPixels(value: unknown, type: unknown, name: string, access: ImageAccess): Promise<Pixels> {
  if (value instanceof ImageValue || isPixels(value)) {
    const { width, height, rgba, channels = 3 } = value;
    return { width, height, rgba, channels };
  }
  try {
    if (value instanceof Uint8Array) return await decodeColors(value);
    if (typeof value === "string") return await decodeColors(await bytesOf(value, type, access));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw runtimeInputError(`Input "${name}" is no picture that can be read: ${reason}`, error);
  }
  throw runtimeInputError(`Input "${name}" must be a picture or {"type", "value"} of one, not ${typeNameOf(value)}.`);
}

function isPixels(value: unknown): value is Pixels {
  return isDictionary(value) && (value as { rgba?: unknown }).rgba instanceof Uint8ClampedArray;
}

async function bytesOf(text: string, type: unknown, access: ImageAccess): Promise<Uint8Array> {
  if (/^https?:\/\//.test(text)) {
    if (access.fetchImage === undefined) throw new Error("pictures at addresses are not allowed here.");
    return access.fetchImage(text);
  }
  const base64 = text.replace(/^data:image\/[a-z+.-]+;base64,/, "");
  const isBase64 = type !== "file" && /^[A-Za-z0-9+/_=\s-]{24,}$/.test(base64);
  const file = isBase64 ? undefined : await readFile(text, access);
  if (file !== undefined) return file;
  if (type === "file") throw new Error("there is no such file.");
  return Buffer.from(base64, "base64");
}

async function readFile(path: string, { readImageFile }: ImageAccess): Promise<Uint8Array | undefined> {
  if (readImageFile === undefined) throw new Error("it is not base64, and pictures from files are not allowed here.");
  return readImageFile(path);
}

/** Throws a `RuntimeInputError` when a required part is missing or of the wrong kind. */
export function readVideoMetadata(value: unknown, name: string): VideoMetadata {
  if (isVideoMetadata(value)) return value;
  if (!isDictionary(value)) throw runtimeInputError(`Input "${name}": video metadata must be a dictionary.`);
  const { video_identifier, frame_number, frame_timestamp } = value;
  const timestamp = typeof frame_timestamp === "number" ? ofUnixTime(frame_timestamp) : toTimestamp(frame_timestamp);
  if (typeof video_identifier !== "string" || typeof frame_number !== "number" || timestamp === undefined) {
    throw runtimeInputError(
      `Input "${name}": video metadata needs the text video_identifier, the number frame_number and the time frame_timestamp.`,
    );
  }
  return {
    videoIdentifier: video_identifier,
    frameNumber: frame_number,
    timestamp,
    fps: numberIn(value.fps) ?? 0,
    measuredFps: numberIn(value.measured_fps),
    comesFromVideoFile: typeof value.comes_from_video_file === "boolean" ? value.comes_from_video_file : undefined,
    totalFrames: numberIn(value.total_frames),
  };
}

/** Text of ISO 8601; absent for anything that is no time. */
export function toTimestamp(value: unknown): Timestamp | undefined {
  if (value instanceof Timestamp) return value;
  if (typeof value !== "string") return undefined;
  const timestamp = new Timestamp(value);
  return Number.isNaN(timestamp.seconds) ? undefined : timestamp;
}

/** Seconds since 1970, or milliseconds where seconds would lie centuries ahead. */
function ofUnixTime(time: number): Timestamp {
  const micros = Math.round(Math.abs(time) > 2e10 ? time * 1e3 : time * 1e6);
  const rest = ((micros % 1000) + 1000) % 1000;
  const { iso } = Timestamp.ofMs((micros - rest) / 1000);
  return new Timestamp(iso.replace(/000(?=\+)/, String(rest).padStart(3, "0")));
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Place and size of a cut, as it is written with pictures and detections. */
export interface ParentOrigin {
  readonly offset_x: number;
  readonly offset_y: number;
  /** Size of the picture that it was cut from. */
  readonly width: number;
  readonly height: number;
}

/** Throws a `RuntimeInputError` when it is not whole numbers with a size above 0. */
export function readParentOrigin(value: unknown, name: string): ParentOrigin {
  if (!isDictionary(value)) throw runtimeInputError(`Input "${name}": an origin must be a dictionary.`);
  const { offset_x, offset_y, width, height } = value;
  if (isWhole(offset_x) && isWhole(offset_y) && isSize(width) && isSize(height)) {
    return { offset_x, offset_y, width, height };
  }
  throw runtimeInputError(
    `Input "${name}": an origin needs the whole numbers offset_x, offset_y, width and height, the last two above 0.`,
  );
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}

function isSize(value: unknown): value is number {
  return isWhole(value) && value > 0;
}
