import { z } from "zod";
import { detectionsSchema } from "./detection.ts";
import { frameMetadataSchema } from "./frame.ts";
import { jsonSchema } from "./json.ts";

/** One output of a workflow for one frame. Pictures are named here and fetched apart, never inlined. */
export const outputValueSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("detections"), detections: detectionsSchema }),
  z.object({ kind: z.literal("image"), width: z.int().positive(), height: z.int().positive() }),
  z.object({ kind: z.literal("value"), value: jsonSchema }),
]);
export type OutputValue = z.infer<typeof outputValueSchema>;

/** What a workflow said about one frame. */
export const frameResultSchema = z.object({
  frame: frameMetadataSchema,
  /** Output name → value, as the workflow names its outputs. */
  outputs: z.record(z.string(), outputValueSchema),
  /** Time from frame in hand to outputs complete. */
  latency_ms: z.number().nonnegative(),
});
export type FrameResult = z.infer<typeof frameResultSchema>;
