import { z } from "zod";

/**
 * What can happen in front of a camera, or to it. `camera_up`: whatever was wrong with it is over · `camera_ended`: a
 * recording has come to its end.
 */
export const sceneEventKindSchema = z.enum([
  "appeared",
  "left",
  "line_crossed",
  "zone_entered",
  "zone_left",
  "stayed",
  "count_changed",
  "condition_true",
  "condition_false",
  "camera_down",
  "camera_up",
  "camera_frozen",
  "camera_covered",
  "camera_moved",
  "camera_dark",
  "camera_ended",
]);
export type SceneEventKind = z.infer<typeof sceneEventKindSchema>;

/** Something happened in front of a camera. */
export const sceneEventSchema = z.object({
  id: z.string(),
  kind: sceneEventKindSchema,
  /** Capture time of the frame that showed it. */
  timestamp: z.iso.datetime(),
  /** For recordings: how far into it, in seconds. */
  footage_seconds: z.number().nonnegative().optional(),
  camera: z.string(),
  pipeline_id: z.string(),
  /** The watch whose condition this is, for condition_true and condition_false. */
  watch_id: z.string().optional(),
  frame_number: z.int().nonnegative(),
  class_name: z.string().optional(),
  tracker_id: z.int().optional(),
  /** One thing from appearing to leaving: the same in all events about it. */
  visit_id: z.string().optional(),
  /** Key of the line or zone that it happened at, e.g. `line 0.500 0.000 0.500 1.000`. */
  area: z.string().optional(),
  /** How sure the model was of it at best, 0 to 1; absent when nobody can say. */
  confidence: z.number().min(0).max(1).optional(),
  /** Left, top, right, bottom in pixels of the frame. */
  box_xyxy: z.tuple([z.number(), z.number(), z.number(), z.number()]).optional(),
  /** For line_crossed: which way. */
  direction: z.enum(["in", "out"]).optional(),
  /** For count_changed: how many there are now. */
  count: z.int().nonnegative().optional(),
  /** One sentence for people. */
  text: z.string(),
  /** Artifact id of the picture, absent when none could be kept. */
  picture: z.string().optional(),
});
export type SceneEvent = z.infer<typeof sceneEventSchema>;

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
  /** A person tried the watch: nothing happened. */
  test: z.literal(true).optional(),
  /** How many more of the same were held back by the cooldown since the last one. */
  held_back: z.int().nonnegative(),
});
export type Alert = z.infer<typeof alertSchema>;
