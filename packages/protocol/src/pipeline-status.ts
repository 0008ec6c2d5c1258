import { z } from "zod";

export const backendNameSchema = z.enum(["direct", "http", "webrtc"]);
export type BackendName = z.infer<typeof backendNameSchema>;

/**
 * `starting` no frame yet · `running` · `paused` by a person · `reconnecting` the source gave no frame and is tried again ·
 * `ended` the source had an end · `stopped` by a person · `failed` and will not go on by itself.
 */
export const pipelineStateSchema = z.enum([
  "starting",
  "running",
  "paused",
  "reconnecting",
  "ended",
  "stopped",
  "failed",
]);
export type PipelineState = z.infer<typeof pipelineStateSchema>;

/** A pipeline as people and tools speak of it, whichever backend runs it. */
const pipelineHandleSchema = z.object({
  pipeline_id: z.string(),
  name: z.string(),
  backend: backendNameSchema,
  /** Why that backend, in a sentence. */
  backend_reason: z.string().optional(),
  /** Camera name, or the source address when the source is no registered camera. */
  video_reference: z.string(),
  /** What it does, in a sentence. */
  workflow_description: z.string(),
  started_at: z.iso.datetime(),
  status: pipelineStateSchema,
});

/** The handle with live figures. */
export const pipelineStatusSchema = pipelineHandleSchema.extend({
  /** Frames per second over the last seconds. */
  fps: z.number().nonnegative(),
  frames_processed: z.int().nonnegative(),
  /** Frames left out by policy because a newer one was there. */
  frames_dropped: z.int().nonnegative(),
  /** Why it is not running, in one sentence. */
  reason: z.string().optional(),
  /** What is wrong with the camera although it runs; absent while all is well, and where nobody looks at its health. */
  health: z.object({ state: z.enum(["down", "frozen", "covered", "dark", "moved"]), message: z.string() }).optional(),
  /** When its camera was moved: lines and zones that were drawn before may lie elsewhere. Absent when it was not. */
  zones_doubtful_since: z.iso.datetime().optional(),
  /** Model ids in use, so that a simulated one is never taken for a real one. */
  models: z.array(z.string()),
  /** Lines and zones of the workflow, for drawing over the picture. */
  shapes: z.array(
    z.object({
      kind: z.enum(["line", "zone"]),
      step: z.string(),
      points: z.array(z.tuple([z.number(), z.number()])),
    }),
  ),
});
export type PipelineStatus = z.infer<typeof pipelineStatusSchema>;
