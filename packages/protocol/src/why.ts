// why a watch told, or did not: the gates it went through, with their figures, and what would change the answer
import { z } from "zod";
import { watchChangeSchema } from "./watch.ts";

/** In the order in which they are met. */
export const whyGateSchema = z.enum([
  "off",
  "made",
  "frame",
  "motion",
  "detector",
  "track",
  "confidence",
  "size",
  "colour",
  "zone",
  "line",
  "rule",
  "told_before",
  "removed",
  "muted",
  "mode",
  "hours",
  "days",
  "dates",
  "cooldown",
  "check",
  "channel",
]);
export type WhyGate = z.infer<typeof whyGateSchema>;

const figure = z.union([z.number(), z.string()]);
export const gateVerdictSchema = z.object({
  gate: whyGateSchema,
  passed: z.boolean(),
  /** What there was, and what there should have been. */
  found: figure.optional(),
  needed: figure.optional(),
  unit: z.enum(["score", "results", "share of the picture", "share of the width", "s", "things"]).optional(),
});
export type GateVerdict = z.infer<typeof gateVerdictSchema>;

/** One watch, around one moment. Watches are judged as they are now. */
export const watchWhySchema = z.object({
  watch_id: z.string(),
  words: z.string(),
  /** `would_tell`: as it is now it would have told, and no decision is stored of then. */
  outcome: z.enum(["told", "not_told", "would_tell"]),
  alert_id: z.string().optional(),
  /** Up to the first that said no. */
  gates: z.array(gateVerdictSchema),
  /** The least that makes it tell, tried on what is stored of that time. Absent when no setting of the watch does. */
  change: z.object({ changes: watchChangeSchema, resume: z.boolean().optional() }).optional(),
});
export type WatchWhy = z.infer<typeof watchWhySchema>;
