import { z } from "zod";
import { zoneSchema } from "./watch.ts";

/** Parts of a picture that nobody may see. */
export const masksSchema = z.array(zoneSchema).max(32);

/** A named source. The address is shown without its credentials. */
export const cameraSchema = z.object({
  name: z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63}$/u),
  /** rtsp://…, a file, sim://scene, … with user and password removed. */
  source: z.string(),
  location: z.string(),
  notes: z.string(),
  /** Painted over before anything else sees a frame; absent or empty when all may be seen. */
  masks: masksSchema.optional(),
});
export type Camera = z.infer<typeof cameraSchema>;

/** Why a source does not open, as a word to branch on. */
const probeFailureSchema = z.enum([
  "unknown_scheme",
  "unknown_scene",
  "bad_option",
  "name_not_found",
  "refused",
  "timeout",
  "credentials",
  "no_video",
  "no_pictures",
  "codec",
  "not_found",
  "not_readable",
  "busy",
  "no_decoder",
  "other",
]);
export type ProbeFailure = z.infer<typeof probeFailureSchema>;

/** What opening a source once told us. */
export const probeResultSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    width: z.int().positive(),
    height: z.int().positive(),
    fps: z.number(),
    /** What it is: rtsp, http, webcam, video, image, folder or sim. */
    kind: z.string().optional(),
    /** As ffmpeg names it: h264, hevc, mjpeg, … */
    codec: z.string().optional(),
  }),
  z.object({ ok: z.literal(false), reason: probeFailureSchema, message: z.string() }),
]);
export type ProbeResult = z.infer<typeof probeResultSchema>;

/** `GET` and `PUT /api/cameras/{name}/recording`. */
export const cameraRecordingSchema = z.object({
  camera: z.string(),
  on: z.boolean(),
  /** Why nothing is copied although it is on, or could be. */
  reason: z.string().optional(),
  /** What there is on the disk, and since when. */
  bytes: z.int().nonnegative(),
  since: z.iso.datetime().optional(),
});
export type CameraRecording = z.infer<typeof cameraRecordingSchema>;
