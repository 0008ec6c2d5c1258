import { z } from "zod";

export const severitySchema = z.enum(["info", "warning", "critical"]);
export type Severity = z.infer<typeof severitySchema>;

/** A person is told. */
export const alertSchema = z.object({
  id: z.string(),
  severity: severitySchema,
  timestamp: z.iso.datetime(),
  /** Empty when it is about no camera. */
  camera: z.string(),
  text: z.string(),
  /** The scene event that caused it; absent when the agent itself tells something. */
  event_id: z.string().optional(),
  /** The watch that asked for it. */
  watch_id: z.string().optional(),
  picture: z.string().optional(),
  /** How many more of the same were held back by the cooldown since the last one. */
  held_back: z.int().nonnegative(),
});
export type Alert = z.infer<typeof alertSchema>;
