import { z } from "zod";

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
  /** What must be known to judge them: for example that another model stood in for the one that was asked for. */
  note: z.string().optional(),
});
export type Detections = z.infer<typeof detectionsSchema>;
