import { z } from "zod";
import { receiptSchema } from "./effect.ts";
import { backendNameSchema } from "./pipeline-status.ts";
import { frameResultSchema } from "./workflow-result.ts";
import { workflowProblemSchema, workflowSpecSchema } from "./workflow-spec.ts";

/** Every error of the API has this body. */
export const apiErrorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});
export type ApiError = z.infer<typeof apiErrorSchema>;

/** `GET /healthz` */
export const healthSchema = z.object({
  status: z.literal("ok"),
  version: z.string(),
  mode: z.enum(["model", "offline"]),
  /** Who answers in the chat, for people: a model's name, or the offline interpreter. */
  speaker: z.string(),
  uptime_seconds: z.number(),
});
export type Health = z.infer<typeof healthSchema>;

/** `POST /api/sessions` */
export const sessionCreatedSchema = z.object({ id: z.string() });
export type SessionCreated = z.infer<typeof sessionCreatedSchema>;

/** One row of `GET /api/sessions` */
export const sessionSummarySchema = z.object({
  id: z.string(),
  updated_at: z.iso.datetime(),
  /** First words of the conversation, empty when nothing was said. */
  title: z.string(),
});
export type SessionSummary = z.infer<typeof sessionSummarySchema>;

/** One message as a person reads it: tool steps are folded into the assistant's turn that made them. */
export const chatMessageSchema = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  timestamp: z.iso.datetime(),
  text: z.string(),
  /** Artifact ids. */
  images: z.array(z.string()),
  steps: z.array(
    z.object({
      call_id: z.string(),
      tool: z.string(),
      arguments: z.json(),
      outcome: z.string(),
      text: z.string(),
      images: z.array(z.string()),
      /** The result as data, shaped as `toolDataSchemas` says for the tool; absent when it failed. */
      data: z.json().optional(),
      /** Null for a step read back from the transcript, where it was not kept. */
      duration_ms: z.number().nullable(),
    }),
  ),
  /** What the turn changed, from the ledger; absent when no tool ran. */
  receipt: receiptSchema.optional(),
  /** Why the turn ended before the assistant was done, in the program's words; absent when it was done. */
  notice: z.string().optional(),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** `GET /api/sessions/{id}` */
export const sessionDetailSchema = z.object({
  id: z.string(),
  messages: z.array(chatMessageSchema),
  /** The run that is going on, to attach to; null when it is quiet. */
  active_run: z.string().nullable(),
  /** How many of the messages stand before that run, whose events tell the rest again; absent when it is quiet. */
  before_run: z.int().nonnegative().optional(),
});
export type SessionDetail = z.infer<typeof sessionDetailSchema>;

/** `POST /api/sessions/{id}/messages` */
export const postMessageSchema = z.object({
  text: z.string().trim().min(1).max(20_000),
  images: z.array(z.string()).max(20).optional(),
});
export type PostMessage = z.infer<typeof postMessageSchema>;

/** `POST /api/runs/{id}/steer` */
export const steerSchema = z.object({ text: z.string().trim().min(1).max(20_000) });
export type Steer = z.infer<typeof steerSchema>;

/** `POST /api/pipelines` */
export const startPipelineSchema = z.object({
  /** Camera names or source addresses. */
  sources: z.array(z.string().min(1)).min(1),
  workflow: workflowSpecSchema,
  name: z.string().min(1).max(64).optional(),
  backend: backendNameSchema.optional(),
  max_fps: z.number().positive().max(60).optional(),
});

/** `GET /api/pipelines/{id}/results` */
export const pipelineResultsSchema = z.object({ results: z.array(frameResultSchema) });
export type PipelineResults = z.infer<typeof pipelineResultsSchema>;

/** `POST /api/workflows/validate` */
export const validationSchema = z.object({
  valid: z.boolean(),
  problems: z.array(workflowProblemSchema),
});
export type Validation = z.infer<typeof validationSchema>;

/** `POST /api/artifacts` */
export const artifactCreatedSchema = z.object({ id: z.string() });
export type ArtifactCreated = z.infer<typeof artifactCreatedSchema>;
