import { z } from "zod";

/** Where and when a picture was taken. The pixels travel apart from it. */
export const frameMetadataSchema = z.object({
  /** Name of the camera, or the source address when it has no name. */
  source_id: z.string(),
  /** Counts from 1 within one opening of the source. */
  frame_number: z.int().nonnegative(),
  /** Time of capture, ISO 8601 with milliseconds. */
  timestamp: z.iso.datetime(),
  width: z.int().positive(),
  height: z.int().positive(),
  /** Declared frames per second of the source; 0 when unknown. */
  fps: z.number().nonnegative(),
  /** True for video files, whose time is the frame number divided by `fps`. */
  comes_from_video_file: z.boolean().optional(),
  /** Frames in the file, when known. */
  total_frames: z.int().nonnegative().optional(),
});
export type FrameMetadata = z.infer<typeof frameMetadataSchema>;
