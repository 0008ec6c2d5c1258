import type { FrameMetadata, SceneEvent } from "@vision-agent/protocol";

/** When the frame was taken and, in a recording, how far into it. */
export function eventTimes({
  timestamp,
  frame_number,
  fps,
  comes_from_video_file,
}: FrameMetadata): Pick<SceneEvent, "timestamp" | "footage_seconds"> {
  if (!comes_from_video_file || fps <= 0) return { timestamp };
  return { timestamp, footage_seconds: Math.round((1000 * (frame_number - 1)) / fps) / 1000 };
}
