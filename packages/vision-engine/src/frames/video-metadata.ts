import type { Timestamp } from "./timestamp.ts";

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
