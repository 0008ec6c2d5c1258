import { z } from "zod";
import { severitySchema } from "./alert.ts";
import { sceneEventKindSchema } from "./scene-event.ts";

/** A durable intention: in words, and in the compiled form that a program checks. */
export const watchSchema = z.object({
  id: z.string(),
  /** What the person said. */
  words: z.string(),
  cameras: z.array(z.string()).min(1),
  /** Scene events that count; empty means none are wanted yet. */
  on: z.array(sceneEventKindSchema),
  classes: z.array(z.string()),
  /** Local times between which it is awake, "HH:MM"; absent means always. */
  active_hours: z.object({ from: z.string(), to: z.string() }).optional(),
  cooldown_seconds: z.number().nonnegative(),
  severity: severitySchema,
  channels: z.array(z.string()),
  enabled: z.boolean(),
  created_at: z.iso.datetime(),
});
export type Watch = z.infer<typeof watchSchema>;
