// a picture of a camera, with its time and what moved in it
import type { FrameMetadata } from "@vision-agent/protocol";
import { inputError } from "../errors.ts";
import type { DetectionTable } from "./detections.ts";

/** One picture: pixels with where and when. */
export interface Frame {
  readonly metadata: FrameMetadata;
  /** RGBA, 8 bits, rows from the top without padding. Valid until the source's next frame is taken. */
  readonly rgba: Uint8ClampedArray;
  /** What is really in the picture; only simulated sources know it. */
  readonly truth?: DetectionTable | undefined;
  /** What moved since the frame before; absent when nobody looked. */
  readonly motion?: Motion | undefined;
  /** Of a part that was cut out: where it was, and how large the whole is. */
  readonly partOf?: Rect | undefined;
}

/** Width and height, mostly in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels to read from. */
export interface PixelPicture extends PixelSize {
  /** RGBA, 8 bits, rows from the top without padding. */
  readonly rgba: Uint8ClampedArray;
}

/** A part of a picture, in pixels. */
export interface Rect extends PixelSize {
  readonly x: number;
  readonly y: number;
}

/** The pixels of a part of a picture, in memory of their own. */
export function cutPixels({ rgba, width: stride }: PixelPicture, { x, y, width, height }: Rect): Uint8ClampedArray {
  const part = new Uint8ClampedArray(4 * width * height);
  for (let row = 0; row < height; row++) {
    const from = 4 * ((y + row) * stride + x);
    part.set(rgba.subarray(from, from + 4 * width), 4 * row * width);
  }
  return part;
}

/** The pixels of a frame. Throws when they are not as many as its size says. */
export function pictureOf({ rgba, metadata: { width, height } }: Frame): PixelPicture {
  if (width > 0 && height > 0 && rgba.length === 4 * width * height) return { rgba, width, height };
  throw inputError(`A picture of ${width}×${height} must have pixels, 4 bytes each, and it has ${rgba.length} bytes.`);
}

/** What moved since the picture before. */
export interface Motion {
  readonly moving: boolean;
  /** Where, in pixels of the frame; empty when all of it may have. */
  readonly regions: readonly Rect[];
}

/** Which video a picture belongs to, and where in it. */
export interface VideoMetadata {
  readonly videoIdentifier: string;
  /** Counts from 1. */
  readonly frameNumber: number;
  readonly timestamp: Timestamp;
  /** Declared frames per second; 0 when unknown. */
  readonly fps: number;
  readonly measuredFps?: number | undefined;
  /** True for files: time is then frame number ÷ fps. */
  readonly comesFromVideoFile?: boolean | undefined;
  readonly totalFrames?: number | undefined;
}

export function isVideoMetadata(value: unknown): value is VideoMetadata {
  return typeof value === "object" && value !== null && "videoIdentifier" in value && "frameNumber" in value;
}

/** Time of a frame in seconds: frame number ÷ fps for files, else the time it was taken. */
export function videoSeconds({ comesFromVideoFile, frameNumber, fps, timestamp }: VideoMetadata): number {
  return comesFromVideoFile === true && fps !== 0 ? frameNumber / fps : timestamp.seconds;
}

/** A moment with microseconds, as text of ISO 8601 and as a number. */
export class Timestamp {
  /** As it was given, with its offset: `2026-01-01T00:00:00.100000+00:00`. */
  readonly iso: string;
  #seconds: number | undefined;

  constructor(iso: string) {
    this.iso = iso;
  }

  /** From milliseconds since 1970, in UTC. */
  static ofMs(ms: number): Timestamp {
    return new Timestamp(new Date(ms).toISOString().replace("Z", "000+00:00"));
  }

  /** Seconds since 1970; a time without offset is taken as UTC. Not a number when the text is no time. */
  get seconds(): number {
    this.#seconds ??= secondsOf(this.iso);
    return this.#seconds;
  }

  toJSON(): string {
    return this.iso;
  }
}

const PARTS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?$/;

function secondsOf(iso: string): number {
  const parts = PARTS.exec(iso);
  if (parts === null) return Date.parse(iso) / 1000;
  const [, date, time, fraction = "", offset = "Z"] = parts;
  // Microseconds are added apart: a `Date` has milliseconds only.
  return Date.parse(`${date}T${time}${offset}`) / 1000 + Number(`0.${fraction}0`);
}
