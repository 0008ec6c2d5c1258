import { z } from "zod";
import { receiptSchema } from "./effect.ts";
import { pipelineStatusSchema } from "./pipeline-status.ts";
import { alertSchema, sceneEventSchema } from "./scene-event.ts";
import { jsonSchema } from "./workflow-spec.ts";

/** How a run ended. */
export const runOutcomeSchema = z.object({
  status: z.enum(["finished", "stopped", "paused", "failed", "cancelled"]),
  /** The last text of the assistant, complete. */
  text: z.string(),
  /** Artifact ids of the pictures shown in this run, oldest first. */
  images: z.array(z.string()),
  /** For finished: who ended it; for paused: what a person is asked; else the reason in a sentence, which is not the assistant's. */
  reason: z.string(),
  /** For stopped: why, as a word for programs, such as `budget`. */
  code: z.string().optional(),
  /** For paused: what `POST /api/pauses/{id}` answers. */
  pause_id: z.string().optional(),
  /** What a person should know of this run, for who does not follow its stream. */
  warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  /** What the run changed, from the ledger; absent when no tool ran. */
  receipt: receiptSchema.optional(),
});
export type RunOutcome = z.infer<typeof runOutcomeSchema>;

/** What a run reports while it goes on: the `data` of each SSE event, whose `event` is the type. */
export const runEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("run_started"), run_id: z.string(), session_id: z.string(), speaker: z.string() }),
  z.object({ type: z.literal("text_delta"), message_id: z.string(), text: z.string() }),
  z.object({ type: z.literal("thinking_delta"), message_id: z.string(), text: z.string() }),
  /** Text shown so far under this message is void; the attempt is made again. */
  z.object({ type: z.literal("discarded"), message_id: z.string(), reason: z.string() }),
  z.object({ type: z.literal("tool_call"), call_id: z.string(), tool: z.string(), arguments: jsonSchema }),
  z.object({
    type: z.literal("tool_result"),
    call_id: z.string(),
    tool: z.string(),
    outcome: z.string(),
    text: z.string(),
    images: z.array(z.string()),
    /** The result as data, shaped as `toolDataSchemas` says for the tool; absent when it failed. */
    data: jsonSchema.optional(),
    duration_ms: z.number(),
  }),
  z.object({ type: z.literal("steered") }),
  z.object({ type: z.literal("retry"), attempt: z.int(), delay_ms: z.number(), reason: z.string() }),
  z.object({ type: z.literal("warning"), code: z.string(), message: z.string() }),
  z.object({ type: z.literal("error"), code: z.string(), message: z.string() }),
  z.object({ type: z.literal("run_ended"), outcome: runOutcomeSchema }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;

/** What `GET /api/stream` reports about the whole app. */
export const appEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("pipelines"), pipelines: z.array(pipelineStatusSchema) }),
  z.object({ type: z.literal("scene_event"), event: sceneEventSchema }),
  z.object({ type: z.literal("alert"), alert: alertSchema }),
  /** Something waits for a person, or no longer: `GET /api/pauses` says what. To owners only. */
  z.object({ type: z.literal("pauses") }),
]);
export type AppEvent = z.infer<typeof appEventSchema>;
