import { z } from "zod";

export const jobStateSchema = z.enum([
  "scheduled",
  "claimed",
  "running",
  "paused",
  "completed",
  "failed",
  "timed_out",
  "cancelled",
  "skipped",
]);
export type JobState = z.infer<typeof jobStateSchema>;

/** One run of a heartbeat, a cron task or a background action. */
export const jobRunSchema = z.object({
  id: z.string(),
  job_id: z.string(),
  kind: z.enum(["action", "cron", "heartbeat"]),
  state: jobStateSchema,
  due_at: z.iso.datetime(),
  started_at: z.iso.datetime().optional(),
  ended_at: z.iso.datetime().optional(),
  /** Why it was skipped or failed. */
  reason: z.string().optional(),
});
