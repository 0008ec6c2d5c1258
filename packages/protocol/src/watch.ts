import { z } from "zod";
import { severitySchema } from "./scene-event.ts";

/** A place in the picture as fractions of its width and height, from the top left corner. */
const placeSchema = z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]);
const lineSchema = z.tuple([placeSchema, placeSchema]);
/** A polygon. */
export const zoneSchema = z.array(placeSchema).min(3).max(64);

/** What must be seen for a watch to fire. Seconds are times of the pictures, not of the system clock. */
export const watchConditionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("appears") }),
  z.object({ kind: z.literal("leaves") }),
  /** Seen from the start of the line towards its end, `in` is to the left. */
  z.object({ kind: z.literal("crosses"), line: lineSchema, direction: z.enum(["in", "out", "any"]) }),
  z.object({ kind: z.literal("enters"), zone: zoneSchema }),
  /** Somebody or something stays; without a zone, in view. */
  z.object({ kind: z.literal("stays"), seconds: z.number().positive(), zone: zoneSchema.optional() }),
  z.object({
    kind: z.literal("count"),
    at_least: z.int().positive(),
    /** So long without a break. */
    for_seconds: z.number().nonnegative(),
    zone: zoneSchema.optional(),
  }),
  z.object({ kind: z.literal("absent"), for_seconds: z.number().positive(), zone: zoneSchema.optional() }),
]);
export type WatchCondition = z.infer<typeof watchConditionSchema>;

const timeOfDaySchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "a time of day such as 22:30");

/** What a person asks for: the part of a watch that is said, not made. */
export const watchRequestSchema = z.object({
  /** What the person said. */
  words: z.string().min(1).max(500),
  cameras: z.array(z.string().min(1)).min(1).max(32),
  /** Empty means anything that the detector knows. */
  classes: z.array(z.string().min(1)).max(80),
  condition: watchConditionSchema,
  /** Absent: the detector that the camera has by default. */
  model_id: z.string().min(1).optional(),
  /** Local times between which it tells; `from` later than `to` goes over midnight. Absent: always. */
  active_hours: z.object({ from: timeOfDaySchema, to: timeOfDaySchema }).optional(),
  /** After an alert nothing is told for so long. */
  cooldown_seconds: z.number().nonnegative().max(86_400).default(30),
  severity: severitySchema.default("info"),
});
export type WatchRequest = z.infer<typeof watchRequestSchema>;

/** A durable intention: in words, and in the compiled form that a program checks. */
export const watchSchema = watchRequestSchema.extend({
  id: z.string(),
  enabled: z.boolean(),
  created_at: z.iso.datetime(),
});
export type Watch = z.infer<typeof watchSchema>;
