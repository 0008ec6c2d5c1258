// what each tool gives back as data: programs read this, the model reads the text made from it
import { z } from "zod";
import {
  jobStateSchema,
  memoryAnswerSchema,
  skillSchema,
  spendingLimitSchema,
  watchStatusSchema,
  watchTestSchema,
  whySchema,
} from "./app-api.ts";
import { blockSummarySchema } from "./backends-api.ts";
import { cameraSchema, probeResultSchema } from "./camera.ts";
import { changeSchema, effectSchema, undoneSchema } from "./effect.ts";
import { eventCountSchema } from "./event-counts.ts";
import { forgetReceiptSchema } from "./forget-api.ts";
import { pipelineStatusSchema } from "./pipeline-status.ts";
import { watchReplaySchema } from "./replay-api.ts";
import { alertSchema, sceneEventKindSchema, sceneEventSchema } from "./scene-event.ts";
import { cameraPlaceSchema, currentModeSchema } from "./watch.ts";
import { jsonSchema, workflowProblemSchema, workflowSpecSchema } from "./workflow-spec.ts";

/** How many of one class are there. */
const classCountSchema = z.object({ class_name: z.string(), count: z.int().positive() });
export type ClassCount = z.infer<typeof classCountSchema>;

/** One thing in a picture: left, top, right, bottom in pixels of the frame. */
const seenBoxSchema = z.object({
  class_name: z.string(),
  confidence: z.number(),
  tracker_id: z.int().optional(),
  xyxy: z.tuple([z.number(), z.number(), z.number(), z.number()]),
});
export type SeenBox = z.infer<typeof seenBoxSchema>;

/** What one picture shows. */
const sightingSchema = z.object({
  /** Whose picture it is: a camera's, file's or pipeline's name. */
  subject: z.string(),
  /** Most frequent first. */
  counts: z.array(classCountSchema),
  /** Single values that the workflow gives, such as line counts. */
  figures: z.array(z.object({ name: z.string(), value: z.string() })),
  frame: z.object({ width: z.int(), height: z.int(), timestamp: z.string() }),
  /** Size of the picture that comes with it, where there is one. */
  shown: z.object({ width: z.int(), height: z.int() }).optional(),
  /** The largest ones first, cut off at a few. */
  boxes: z.array(seenBoxSchema),
  boxes_total: z.int().nonnegative(),
  models: z.array(z.string()),
  /** What must be known to judge it. */
  notes: z.array(z.string()),
});
export type Sighting = z.infer<typeof sightingSchema>;

/** A scheduled task. */
const taskSchema = z.object({
  id: z.string(),
  kind: z.enum(["action", "cron", "heartbeat"]),
  /** When it runs, for people. */
  schedule: z.string(),
  instructions: z.string(),
  /** Absent when it does not run again. */
  next_at: z.iso.datetime().optional(),
  last: z.object({ state: jobStateSchema, due_at: z.string(), reason: z.string().optional() }).optional(),
});
export type Task = z.infer<typeof taskSchema>;

/** What turns of one purpose used. */
const purposeUseSchema = z.object({
  purpose: z.enum(["conversation", "task", "heartbeat"]),
  calls: z.int().nonnegative(),
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});

/** A note as it was before it was removed. */
const removedNoteSchema = z.object({
  path: z.string(),
  line: z.int().positive(),
  text: z.string(),
  category: z.enum(["observation", "knowledge", "preference"]),
  camera: z.string().optional(),
});

/** What the call changed. */
const effects = z.array(effectSchema);
const pipelineChange = z.object({ pipeline: pipelineStatusSchema, effects });

/** By tool name. */
export const toolDataSchemas = {
  capture_frame: z.object({
    camera: z.string(),
    seen: sightingSchema,
    /** The pipeline whose frame it is; absent when the camera was opened for this look. */
    pipeline: z.object({ name: z.string(), description: z.string() }).optional(),
    /** Why the picture may not show what is there now. */
    trouble: z
      .object({
        state: pipelineStatusSchema.shape.health.unwrap().shape.state,
        /** Absent when nobody noted it. */
        since: z.iso.datetime().optional(),
      })
      .optional(),
  }),
  run_inference: z.object({
    seen: sightingSchema,
    /** workspace/id of a workflow saved at Roboflow. */
    workflow: z.string().optional(),
    /** What a workflow gives beside boxes, in one line. */
    outputs: z.string().optional(),
  }),
  explain_event: whySchema,
  ask_about_image: z.union([
    z.object({ kind: z.literal("answered"), subject: z.string(), answer: z.string(), answered_by: z.string() }),
    /** No model here answers questions about pictures: what the detector finds, and what is missing. */
    z.object({ kind: z.literal("detected"), seen: sightingSchema, missing: z.array(z.string()) }),
  ]),
  detect_zero_shot: z.object({
    subject: z.string(),
    /** Measured by a detector; absent when only a model's guess is there. */
    seen: sightingSchema.optional(),
    found_by: z.string().optional(),
    /** What the configured model guesses from the picture. */
    guess: z
      .object({
        by: z.string(),
        looked_for: z.array(z.string()),
        counts: z.array(classCountSchema),
        /** Fractions of the picture: left, top, right, bottom. */
        boxes: z.array(z.object({ class_name: z.string(), share: z.array(z.number()) })),
        /** Its answer, where it gave no list. */
        words: z.string().optional(),
      })
      .optional(),
    not_looked_for: z.array(z.string()),
    /** Why no zero-shot model looked. */
    reason: z.string().optional(),
  }),
  start_pipeline: pipelineChange.extend({
    note: z.string().optional(),
    /** Made together with it, for alert_when. */
    watch: watchStatusSchema.optional(),
  }),
  start_count: pipelineChange.extend({
    camera: z.string(),
    /** Empty: everything. */
    classes: z.array(z.string()),
    place: cameraPlaceSchema,
    /** What in and out mean at a line, as somebody who looks at the picture sees it. */
    directions: z.object({ in: z.string(), out: z.string() }).optional(),
    /** Why the count may be wrong: too few pictures a second. */
    doubt: z.string().optional(),
    /** False when the same was counted already, by that pipeline. */
    is_new: z.boolean(),
  }),
  list_pipelines: z.object({ pipelines: z.array(pipelineStatusSchema) }),
  get_pipeline_results: z.object({
    pipeline: pipelineStatusSchema,
    /** The newest frame; absent when there is no result yet. */
    seen: sightingSchema.optional(),
    /** One line a frame, oldest first. */
    frames: z.array(z.string()),
    /** Why there is no picture although one was asked for. */
    note: z.string().optional(),
  }),
  pause_pipeline: pipelineChange,
  resume_pipeline: pipelineChange,
  stop_pipeline: z.object({
    stopped: z.array(pipelineStatusSchema),
    /** What still runs. */
    pipelines: z.array(pipelineStatusSchema),
    effects,
  }),
  list_workflow_blocks: z.object({
    /** Which engine or server speaks. */
    source: z.string(),
    note: z.string().optional(),
    category: z.string().optional(),
    blocks: z.array(blockSummarySchema.pick({ type: true, name: true, family: true, description: true })),
    /** Types that fit but do not run on the backend in use. */
    elsewhere: z.array(z.string()),
  }),
  get_block_details: z.object({
    block: blockSummarySchema,
    properties: z.array(
      z.object({
        name: z.string(),
        required: z.boolean(),
        type: z.string().optional(),
        default: jsonSchema.optional(),
      }),
    ),
    /** Absent when it does not run here, or there is no small one. */
    example: workflowSpecSchema.optional(),
  }),
  validate_workflow: z.object({
    valid: z.boolean(),
    problems: z.array(workflowProblemSchema),
    warnings: z.array(workflowProblemSchema),
    /** What it does; absent when it is not valid. */
    description: z.string().optional(),
  }),
  create_watch: z.object({
    watch: watchStatusSchema,
    models: z.array(z.string()),
    /** Id of the watch whose place it takes. */
    replaced: z.string().optional(),
    effects,
  }),
  update_watch: z.object({
    watch: watchStatusSchema,
    /** In words, before and after. */
    changed: z.array(z.object({ what: z.string(), before: z.string(), after: z.string() })),
    effects,
  }),
  mute_watch: z.object({ watch: watchStatusSchema, effects }),
  get_usage: z.object({
    limit: spendingLimitSchema,
    today: z.array(purposeUseSchema),
    month: z.array(purposeUseSchema),
    spent_today_usd: z.number(),
    /** Not of turns that have ended: watches that ask a model, and turns that go on. */
    other_today_usd: z.number(),
  }),
  set_limit: z.object({ limit: spendingLimitSchema, before: spendingLimitSchema, effects }),
  forget_note: z.object({ note: removedNoteSchema, effects }),
  set_mode: z.object({
    mode: currentModeSchema,
    /** Watches that tell nothing in it. */
    quiet: z.array(z.object({ id: z.string(), words: z.string() })),
    effects,
  }),
  save_place: z.object({ camera: z.string(), place: cameraPlaceSchema, effects }),
  list_watches: z.object({ watches: z.array(watchStatusSchema) }),
  remove_watch: z.object({
    removed: watchStatusSchema,
    /** What is still watched. */
    watches: z.array(watchStatusSchema),
    effects,
  }),
  search_events: z.object({
    /** Most frequent first. */
    totals: z.array(
      z.object({
        kind: sceneEventKindSchema,
        class_name: z.string().optional(),
        count: z.int().positive(),
        /** Different things that crossed, where that is known. */
        things: z.int().nonnegative().optional(),
      }),
    ),
    /** All that fit, however many. */
    total: z.int().nonnegative(),
    /** As `group_by` asked. */
    groups: eventCountSchema.shape.groups.optional(),
    groups_left_out: z.int().nonnegative().optional(),
    order: z.enum(["newest", "oldest"]),
    /** From one end of the time, as many as were asked for. */
    events: z.array(sceneEventSchema),
    /** For the page after these; absent at the end. */
    next_cursor: z.string().optional(),
  }),
  send_alert: z.object({
    alert: alertSchema,
    /** Channels that it did not get through. */
    failures: z.array(z.object({ channel: z.string(), reason: z.string() })),
    effects,
  }),
  preview_watch: watchReplaySchema,
  test_watch: watchTestSchema.extend({ effects }),
  list_alerts: z.object({
    state: z.enum(["sent", "suppressed"]),
    /** All that fit, however many are shown. */
    total: z.object({
      /** What somebody asked to be told of, whatever became of it. */
      seen: z.int().nonnegative(),
      sent: z.int().nonnegative(),
      suppressed: z.int().nonnegative(),
    }),
    /** Beside the alert log. */
    channels: z.array(z.string()),
    /** Oldest first, each with the channels that it did not get through. */
    alerts: z.array(alertSchema.extend({ failures: whySchema.shape.decisions.element.shape.failures })),
    /** Oldest first. */
    suppressed: z.array(
      z.object({
        timestamp: z.iso.datetime(),
        camera: z.string(),
        watch_id: z.string().optional(),
        event_id: z.string(),
        gate: z.string(),
        reason: z.string(),
      }),
    ),
  }),
  show_picture: z.object({
    camera: z.string(),
    timestamp: z.iso.datetime(),
    text: z.string(),
    /** Id of the artifact. */
    picture: z.string(),
  }),
  save_camera: z.object({
    camera: cameraSchema,
    is_new: z.boolean(),
    /** Its name until now, when that was another. */
    was: z.string().optional(),
    /** Whether it opens; absent when its source stayed the same. */
    probe: probeResultSchema.optional(),
    effects,
  }),
  remove_camera: z.object({ camera: cameraSchema, effects }),
  remember: z.object({
    category: z.enum(["observation", "knowledge", "preference"]),
    path: z.string(),
    line: z.int(),
    camera: z.string().optional(),
    effects,
  }),
  recall: memoryAnswerSchema,
  load_skill: skillSchema,
  schedule_task: z.object({
    task: taskSchema,
    /** Tools before which it will wait for a person. */
    asks: z.array(z.string()),
    effects,
  }),
  list_tasks: z.object({ tasks: z.array(taskSchema) }),
  cancel_task: z.object({ task: taskSchema, effects }),
  forget: z.object({ receipt: forgetReceiptSchema, effects }),
  undo: undoneSchema,
  list_changes: z.object({
    /** The last of them, oldest first. */
    changes: z.array(changeSchema),
    /** All that fit. */
    total: z.int().nonnegative(),
  }),
} as const;

export type ToolName = keyof typeof toolDataSchemas;
export type ToolDataOf<N extends ToolName> = z.infer<(typeof toolDataSchemas)[N]>;

/** Tools that may change, write or send something: their data lists `effects`. */
export const CHANGING_TOOLS: ReadonlySet<string> = new Set(
  Object.entries(toolDataSchemas).flatMap(([tool, schema]) => (listsEffects(schema) ? [tool] : [])),
);

/** What cannot be looked into counts as changing. */
function listsEffects(schema: unknown): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some(listsEffects);
  return !(schema instanceof z.ZodObject) || "effects" in schema.shape;
}
