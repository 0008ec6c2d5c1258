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
    "renamed",
  ]),
  what: z.enum(["pipeline", "watch", "alert", "task", "camera", "note", "history", "mode", "place", "limit"]),
  id: z.string(),
  /** Its id until then, where that was another. */
  was: z.string().optional(),
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

/** Everything that one order of a person changed: a turn of a conversation or a request. It can be undone for a day. */
export const undoStepSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  /** Who made it: the name of an account, or `agent`. */
  by: z.string(),
  /** What it changed; one line for many of a kind. */
  lines: z.array(z.string()),
  /** Why it cannot be undone; absent when it can. */
  blocked: z.string().optional(),
  /** Absent until it was undone. */
  undone_at: z.iso.datetime().optional(),
});
export type UndoStep = z.infer<typeof undoStepSchema>;

/** `GET /api/undo`, newest first. */
export const undoStepsSchema = z.object({ steps: z.array(undoStepSchema) });

/** `POST /api/undo`: the last change, or the one that is named; with `redo` what was undone last. */
export const undoRequestSchema = z.object({ step: z.string().optional(), redo: z.boolean().optional() });
export type UndoRequest = z.infer<typeof undoRequestSchema>;

/** What was undone, or done again, and what that changed. */
export const undoneSchema = z.object({
  step: undoStepSchema,
  /** What could not be undone, and later changes that were passed over, with the reasons. */
  passed: z.array(z.string()),
  effects: z.array(effectSchema),
  /** The same for people: one line for many of a kind. */
  lines: z.array(z.string()),
});
export type Undone = z.infer<typeof undoneSchema>;
