// video metadata as text → typed
import { Timestamp } from "../frames/timestamp.ts";
import { isVideoMetadata, type VideoMetadata } from "../frames/video-metadata.ts";
import { isDictionary } from "./query-value.ts";
import { runtimeInputError } from "./runtime-input-error.ts";

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
