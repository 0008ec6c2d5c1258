// a watch on what was seen before: how often it would have told, and what a change would change
import { z } from "zod";
import { severitySchema } from "./scene-event.ts";
import { watchChangeSchema, watchRequestSchema } from "./watch.ts";

const time = z.iso.datetime({ offset: true });

/** `POST /api/watches/preview`: a watch that does not exist yet, or one by its id or words with changes. */
export const watchReplayRequestSchema = z.object({
  watch: z.union([watchRequestSchema, z.string().min(1)]),
  changes: watchChangeSchema.optional(),
  /** Path of a video file. Absent: what the cameras showed in the period. */
  clip: z.string().min(1).optional(),
  /** When the clip was taken. Absent: hours, days, dates and modes are left out of account. */
  starts: time.optional(),
  /** The camera that the clip stands for. Default: the first of the watch. */
  camera: z.string().optional(),
  /** Default: the last day. */
  from: time.optional(),
  to: time.optional(),
  /** Runs the detectors over what was recorded in the period. Default: the trace of what they found then is judged. */
  footage: z.boolean().optional(),
});
export type WatchReplayRequest = z.infer<typeof watchReplayRequestSchema>;

/** An alert as it would have been told. */
export const replayedAlertSchema = z.object({
  /** Absent for a clip that nobody said the time of. */
  at: z.iso.datetime().optional(),
  /** For clips: how far into it. */
  footage_seconds: z.number().nonnegative().optional(),
  camera: z.string(),
  severity: severitySchema,
  text: z.string(),
  visit_id: z.string().optional(),
  /** Artifact id of a picture that was kept of it. */
  picture: z.string().optional(),
});
export type ReplayedAlert = z.infer<typeof replayedAlertSchema>;

/**
 * Against the watch as it is: `same`, `gained` (only with the change, or all of a new watch), `lost` (not any more), or
 * `moved` (the same thing told at another time; `before` says when, or `before_seconds` how far into an undated clip).
 */
const alertDifferenceSchema = z.object({
  change: z.enum(["same", "gained", "lost", "moved"]),
  alert: replayedAlertSchema,
  before: z.iso.datetime().optional(),
  before_seconds: z.number().nonnegative().optional(),
});
export type AlertDifference = z.infer<typeof alertDifferenceSchema>;

const footageGapSchema = z.object({ camera: z.string(), from: z.iso.datetime(), to: z.iso.datetime() });
export type FootageGap = z.infer<typeof footageGapSchema>;

export const watchReplaySchema = z.object({
  words: z.string(),
  /** Id of the watch that it was compared with. */
  against: z.string().optional(),
  /** What was looked at: first and last picture (absent for an undated clip), and for how many seconds there were pictures. */
  footage: z
    .object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional(), seconds: z.number() })
    .optional(),
  /** What detectors found then (`trace`), what they find now in what was recorded (`footage`), or in a clip. */
  judged_on: z.enum(["trace", "footage", "clip"]),
  /** Length of the period, all cameras together; absent for a clip. */
  asked_seconds: z.number().optional(),
  /** For `footage`: what is missing of the period. */
  gaps: z.array(footageGapSchema).optional(),
  /** How often the condition came true. */
  seen: z.int().nonnegative(),
  sent: z.int().nonnegative(),
  /** Absent when too little was seen to tell. */
  sent_per_day: z.number().optional(),
  suppressed: z.array(z.object({ gate: z.string(), count: z.int() })),
  alerts: z.array(alertDifferenceSchema),
  /** Where a vision model is asked first. */
  check: z.object({ questions: z.int(), per_day: z.number().optional(), most_usd_per_day: z.number() }).optional(),
  /** What could not be judged, a sentence each. */
  not_judged: z.array(z.string()),
});
export type WatchReplay = z.infer<typeof watchReplaySchema>;
