import { z } from "zod";
import { backendNameSchema } from "./pipeline-status.ts";
import { frameResultSchema } from "./workflow-result.ts";
import { jsonSchema, workflowSpecSchema } from "./workflow-spec.ts";

/** One Inference server as it is now. */
const serverStatusSchema = z.object({
  label: z.string(),
  /** Without credentials. */
  url: z.string(),
  reachable: z.boolean(),
  version: z.string().nullable(),
  /** Time of one short answer. */
  latency_ms: z.number().nonnegative().nullable(),
  /** Hosted pipelines that run there, ours and others'; null when it does not say. */
  pipelines: z.int().nonnegative().nullable(),
  /** Why it is not used now, or how its version differs, in a sentence. */
  note: z.string().nullable(),
});
export type ServerStatus = z.infer<typeof serverStatusSchema>;

/** `GET /api/backends` */
export const backendsSchema = z.object({
  /** `inference.backend` of the configuration. */
  configured: backendNameSchema,
  backends: z.array(
    z.object({
      name: backendNameSchema,
      available: z.boolean(),
      /** Where it runs, or why it does not, in a sentence. */
      about: z.string(),
      /** Pipelines of this app on it. */
      pipelines: z.array(z.string()),
    }),
  ),
  servers: z.array(serverStatusSchema),
});

/** A block type as workflow authors see it. */
export const blockSummarySchema = z.object({
  type: z.string(),
  aliases: z.array(z.string()),
  name: z.string(),
  family: z.string(),
  description: z.string(),
  /** Whether the backend that was asked runs it. */
  runs: z.boolean(),
  properties: z.array(z.object({ name: z.string(), required: z.boolean() })),
  outputs: z.array(z.object({ name: z.string(), kinds: z.array(z.string()) })),
});
export type BlockSummary = z.infer<typeof blockSummarySchema>;

/** `GET /api/blocks` */
export const blocksSchema = z.object({
  backend: backendNameSchema,
  /** Which engine or server speaks, with its version. */
  source: z.string(),
  /** When the list was made; older ones are shown when a server does not answer. */
  as_of: z.iso.datetime().nullable(),
  /** What must be known to judge the list, in a sentence. */
  note: z.string().nullable(),
  /** Every family there is, whatever the filter. */
  families: z.array(z.string()),
  blocks: z.array(blockSummarySchema),
});
export type Blocks = z.infer<typeof blocksSchema>;

/** `GET /api/blocks/{type}` */
export const blockSchema = blockSummarySchema.extend({
  backend: backendNameSchema,
  /** As in the list. */
  source: z.string(),
});

/** `POST /api/infer`: a picture or a camera, and at most one of a model, a workflow and a saved workflow. */
export const inferSchema = z.object({
  /** Artifact id, camera name or source address. A form may send a file instead. */
  image: z.string().min(1).optional(),
  /** Default: the embedded detector; on a simulated camera its own truth. */
  model: z.string().min(1).optional(),
  /** Boxes below are left out; with a model. */
  confidence: z.number().min(0).max(1).optional(),
  /** Class names to keep; with a model. */
  classes: z.array(z.string().min(1)).optional(),
  workflow: workflowSpecSchema.optional(),
  /** A workflow saved at Roboflow, with `workflow_id`. */
  workspace_name: z.string().min(1).optional(),
  workflow_id: z.string().min(1).optional(),
  /** Values for the workflow's inputs. */
  parameters: z.record(z.string(), jsonSchema).optional(),
  backend: backendNameSchema.optional(),
});
export type Infer = z.infer<typeof inferSchema>;

/** Answer of `POST /api/infer` */
export const inferredSchema = z.object({
  backend: backendNameSchema,
  /** Why that backend, in a sentence. */
  backend_reason: z.string(),
  result: frameResultSchema,
  /** Artifact id of the drawn picture, where the workflow draws one. */
  annotated: z.string().nullable(),
  /** What must be known to judge the result, in a sentence. */
  note: z.string().nullable(),
});
