import { z } from "zod";

export const severitySchema = z.enum(["info", "warning", "critical"]);
export type Severity = z.infer<typeof severitySchema>;

/** A person is told. */
export const alertSchema = z.object({
  id: z.string(),
  severity: severitySchema,
  timestamp: z.iso.datetime(),
  camera: z.string(),
  text: z.string(),
  /** The scene event that caused it. */
  event_id: z.string(),
  picture: z.string().optional(),
  /** How many more of the same were held back by the cooldown since the last one. */
  held_back: z.int().nonnegative(),
});
export type Alert = z.infer<typeof alertSchema>;
