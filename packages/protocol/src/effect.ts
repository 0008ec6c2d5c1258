// what the agent did, as the program saw it: effects, the ledger of them, and a run's receipt
import { z } from "zod";

/** One thing that a tool call changed, read back from where it is kept. */
export const effectSchema = z.object({
  kind: z.enum([
    "started",
    "stopped",
    "paused",
    "resumed",
    "created",
    "changed",
    "removed",
    "sent",
    "scheduled",
    "cancelled",
    "saved",
    "remembered",
  ]),
  what: z.enum(["pipeline", "watch", "alert", "task", "camera", "note", "history", "mode"]),
  id: z.string(),
  /** For people: a pipeline's name, a watch's words, the text of an alert or note. */
  name: z.string(),
  camera: z.string().optional(),
  /** One line for people, the same in every interface. */
  text: z.string(),
  /** Path of the page in the dashboard that shows it. */
  link: z.string(),
});
export type Effect = z.infer<typeof effectSchema>;

/** One line of the ledger: an effect, with when and in which call it came about. */
export const changeSchema = effectSchema.extend({
  at: z.iso.datetime(),
  run_id: z.string(),
  session_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
});
export type Change = z.infer<typeof changeSchema>;

/** `GET /api/changes?since=&until=&session=`, oldest first. */
export const changesSchema = z.object({ changes: z.array(changeSchema) });
export type Changes = z.infer<typeof changesSchema>;

/** What a run changed, from the ledger. Without effects it reads `NO_CHANGES`. */
export const receiptSchema = z.object({ effects: z.array(effectSchema) });
export type Receipt = z.infer<typeof receiptSchema>;

/** What an empty receipt says. */
export const NO_CHANGES = "No changes made.";
