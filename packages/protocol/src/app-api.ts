// REST: pauses, watches, why, memory, skills, jobs, usage, settings
import { z } from "zod";
import { masksSchema } from "./camera.ts";
import { receiptSchema } from "./effect.ts";
import { pipelineStateSchema } from "./pipeline-status.ts";
import { alertSchema, sceneEventKindSchema } from "./scene-event.ts";
import { watchSchema } from "./watch.ts";
import { watchWhySchema } from "./why.ts";
import { jsonSchema } from "./workflow-spec.ts";

/** One row of `GET /api/pauses`: something waits for a person. */
export const pauseSchema = z.object({
  id: z.string(),
  session_id: z.string(),
  run_id: z.string(),
  kind: z.enum(["approval", "ask_user", "external_event", "budget", "reattach"]),
  /** What the person is asked. */
  prompt: z.string(),
  choices: z.array(z.string()),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  /** What waits for the answer. */
  calls: z.array(z.object({ call_id: z.string(), tool: z.string(), arguments: z.string() })),
});
export type Pause = z.infer<typeof pauseSchema>;

/** `POST /api/pauses/{id}` */
export const pauseAnswerSchema = z.object({
  decision: z.enum(["approve", "deny", "answer"]),
  /** The answer itself, or what the agent is told along with a decision. */
  text: z.string().trim().max(20_000).optional(),
});
export type PauseAnswer = z.infer<typeof pauseAnswerSchema>;

/** One row of `GET /api/destinations`: a place that a person said yes to, so that it is not asked about again. */
export const knownDestinationSchema = z.object({
  id: z.string(),
  /** What happens there: data is sent, files are written, a camera is opened, … */
  kind: z.enum(["sends", "writes", "connects", "paid", "secrets", "outward", "code", "address", "path"]),
  target: z.string(),
  approved_at: z.iso.datetime(),
});
export type KnownDestination = z.infer<typeof knownDestinationSchema>;

/** `POST /api/cameras` */
export const newCameraSchema = z.object({
  name: z.string().min(1).max(64),
  /** With its password, where it has one. 2,000 characters at most. */
  source: z.string().min(1),
  location: z.string().max(200).optional(),
  notes: z.string().max(500).optional(),
  /** Parts of the picture that nobody may see: polygons of places as fractions of width and height. */
  masks: masksSchema.optional(),
});

/** `PATCH /api/cameras/{name}` */
export const cameraChangeSchema = newCameraSchema.partial();

/** How often the condition came true, how often that was kept back, and how often it was told. */
const tallySchema = z.object({
  seen: z.int().nonnegative(),
  suppressed: z.int().nonnegative(),
  sent: z.int().nonnegative(),
});

/** A watch with how it is doing: `GET /api/watches`. */
export const watchStatusSchema = watchSchema.extend({
  /** The same in every interface. `blind`: it cannot see, whatever the reason. */
  state: z.object({
    kind: z.enum(["on", "muted", "outside_hours", "blind", "off"]),
    /** With the reason, for people. */
    text: z.string(),
    /** For muted. */
    until: z.iso.datetime({ offset: true }).optional(),
  }),
  /** Over restarts. */
  counts: z.object({ today: tallySchema, total: tallySchema }),
  pipelines: z.array(
    z.object({
      camera: z.string(),
      pipeline_id: z.string().optional(),
      status: pipelineStateSchema.optional(),
      /** Why none could be started. */
      reason: z.string().optional(),
    }),
  ),
});
export type WatchReport = z.infer<typeof watchStatusSchema>;

/** `POST /api/watches/{id}/test`: the alert that was sent to try the watch. */
export const watchTestSchema = z.object({
  alert: alertSchema,
  /** Channels that it did not get through. */
  failures: z.array(z.object({ channel: z.string(), reason: z.string() })),
  /** Why the alert has no picture. */
  no_picture: z.string().optional(),
});
export type WatchTest = z.infer<typeof watchTestSchema>;

/** `GET /api/why` */
export const whySchema = z.object({
  camera: z.string(),
  at: z.iso.datetime(),
  /** Nearest in time first. */
  decisions: z.array(
    z.object({
      event_id: z.string(),
      camera: z.string(),
      kind: sceneEventKindSchema,
      timestamp: z.iso.datetime(),
      watch_id: z.string().optional(),
      alert_id: z.string().optional(),
      /** What said no; absent when it was told. */
      gate: z
        .enum([
          "kind",
          "pipeline",
          "removed",
          "muted",
          "hours",
          "days",
          "dates",
          "mode",
          "cooldown",
          "check",
          "recovered",
        ])
        .optional(),
      /** Why it was told or not, in one sentence. */
      reason: z.string(),
      failures: z.array(z.object({ channel: z.string(), reason: z.string() })),
    }),
  ),
  /** How many of these a watch, a pipeline or a cooldown held back. */
  suppressed: z.int().nonnegative(),
  /** Every watch of the camera, or the one that was named: which gate said no, and what would change that. */
  watches: z.array(watchWhySchema),
});
export type Why = z.infer<typeof whySchema>;

/** `GET /api/memory?q=` */
export const memoryAnswerSchema = z.object({
  passages: z.array(
    z.object({
      text: z.string(),
      category: z.enum(["observation", "knowledge", "preference"]),
      path: z.string(),
      line: z.int(),
      day: z.string().optional(),
      time: z.string().optional(),
      camera: z.string().optional(),
      score: z.number(),
    }),
  ),
  /** What this search could not do, in a sentence. */
  notice: z.string().nullable(),
});
export type MemoryFound = z.infer<typeof memoryAnswerSchema>;

/** `GET /api/memory` without a query: one day's observations as Markdown. */
export const memoryDaySchema = z.object({ day: z.string().nullable(), markdown: z.string() });

/** `GET /api/skills`, and with its text `GET /api/skills/{name}` */
export const skillSummarySchema = z.object({ name: z.string(), description: z.string() });
export const skillSchema = skillSummarySchema.extend({ text: z.string() });

export const jobStateSchema = z.enum([
  "scheduled",
  "claimed",
  "running",
  "paused",
  "completed",
  "failed",
  "timed_out",
  "cancelled",
  "skipped",
]);

/** One row of `GET /api/jobs` */
export const jobSchema = z.object({
  id: z.string(),
  kind: z.enum(["action", "cron", "heartbeat"]),
  /** When it runs, for people. */
  schedule: z.string(),
  instructions: z.string(),
  enabled: z.boolean(),
  /** Newest first. */
  runs: z.array(
    z.object({
      id: z.string(),
      state: jobStateSchema,
      due_at: z.iso.datetime(),
      started_at: z.iso.datetime().nullable(),
      ended_at: z.iso.datetime().nullable(),
      text: z.string().nullable(),
      reason: z.string().nullable(),
      /** What it changed, from the ledger; absent when that is nothing. */
      receipt: receiptSchema.optional(),
    }),
  ),
});
export type Job = z.infer<typeof jobSchema>;

const tokensSchema = z.object({
  turns: z.int().nonnegative(),
  /** To a model. */
  calls: z.int().nonnegative(),
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});

/** `GET /api/usage` */
export const usageSchema = z.object({
  today: tokensSchema.extend({ day: z.string(), limit_usd: z.number().nullable() }),
  /** Newest first. */
  days: z.array(tokensSchema.extend({ day: z.string() })),
  /** Most recently used first. */
  sessions: z.array(tokensSchema.extend({ session_id: z.string(), title: z.string() })),
  /** Most recently used first. A turn about two watches counts for both. */
  watches: z.array(
    tokensSchema.extend({
      watch_id: z.string(),
      /** Null when the watch was removed. */
      words: z.string().nullable(),
    }),
  ),
  /** The last ones, newest first. */
  turns: z.array(
    tokensSchema.extend({
      run_id: z.string(),
      session_id: z.string(),
      ended_at: z.iso.datetime(),
      model: z.string(),
      /** Watches that it made, changed, removed or explained. */
      watch_ids: z.array(z.string()),
    }),
  ),
});
export type UsageReport = z.infer<typeof usageSchema>;

/** Dollars that models may cost, a hard stop. `PUT /api/usage/limit` answers with it. */
export const spendingLimitSchema = z.object({
  daily_usd: z.number().nonnegative(),
  /** Null: no limit. */
  monthly_usd: z.number().nonnegative().nullable(),
});
export type SpendingLimit = z.infer<typeof spendingLimitSchema>;

/** `PUT /api/usage/limit`; what is absent stays. */
export const limitChangeSchema = z.strictObject({
  daily_usd: z.number().min(0).max(100_000).optional(),
  monthly_usd: z.number().min(0).max(1_000_000).nullable().optional(),
});
export type LimitChange = z.infer<typeof limitChangeSchema>;

/** `GET /api/config`: the values in force under the names of `config.yaml`, keys masked. */
export const configViewSchema = z.record(z.string(), jsonSchema);
