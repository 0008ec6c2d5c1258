import { z } from "zod";
import { colourSchema } from "./watch.ts";
import { jsonSchema } from "./workflow-spec.ts";

/** Where and when a picture was taken. The pixels travel apart from it. */
const frameMetadataSchema = z.object({
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

/**
 * What was found in one picture, as a struct of arrays: row `i` of every column describes the same thing.
 * Coordinates are pixels of the picture whose size stands in `image`.
 */
export const detectionsSchema = z.object({
  image: z.object({ width: z.int().nonnegative(), height: z.int().nonnegative() }),
  /** Flat: left, top, right, bottom of row 0, then of row 1, … */
  xyxy: z.array(z.number()),
  confidence: z.array(z.number().min(0).max(1)),
  class_id: z.array(z.int()),
  class_name: z.array(z.string()),
  /** Null until a tracker has run. */
  tracker_id: z.array(z.int()).nullable(),
  /** Of what is tracked, where the pixels were at hand; null for a box without any. */
  colour: z.array(colourSchema.nullable()).optional(),
  /** What must be known to judge them: for example that another model stood in for the one that was asked for. */
  note: z.string().optional(),
});
export type Detections = z.infer<typeof detectionsSchema>;

/** One output of a workflow for one frame. Pictures are named here and fetched apart, never inlined. */
const outputValueSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("detections"), detections: detectionsSchema }),
  z.object({ kind: z.literal("image"), width: z.int().positive(), height: z.int().positive() }),
  z.object({ kind: z.literal("value"), value: jsonSchema }),
]);
export type OutputValue = z.infer<typeof outputValueSchema>;

/** A box that was left out because its score is below what the step asked for. */
const weakDetectionSchema = z.object({
  class_name: z.string(),
  confidence: z.number().min(0).max(1),
  /** Left, top, right, bottom as fractions of the picture. */
  box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
});
export type WeakDetection = z.infer<typeof weakDetectionSchema>;

/** What a workflow said about one frame. */
export const frameResultSchema = z.object({
  frame: frameMetadataSchema,
  /** Output name → value, as the workflow names its outputs. */
  outputs: z.record(z.string(), outputValueSchema),
  /** Time from frame in hand to outputs complete. */
  latency_ms: z.number().nonnegative(),
  /** Whether something moved since the frame before; absent where nobody looked for that. */
  moving: z.boolean().optional(),
  /** The best boxes that scored too low for the detector; absent where nobody knows of them. */
  weak: z.array(weakDetectionSchema).optional(),
});
export type FrameResult = z.infer<typeof frameResultSchema>;
