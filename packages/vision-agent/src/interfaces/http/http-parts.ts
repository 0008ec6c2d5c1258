import type { AgentExecutor, ArtifactStore, Clock } from "@vision-agent/agent-core";
import type { ProbeResult, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { AlertLog } from "../../alerts/alert-channel.ts";
import type { PipelineRegistry } from "../../pipelines/pipeline-registry.ts";
import type { SceneEventLog } from "../../scene-events/scene-event-log.ts";
import type { Conversations } from "../../sessions/conversations.ts";
import type { Resized, ResizeOptions } from "../../tools/resize-picture.ts";
import type { CameraRegistry } from "../../workspace/camera-registry.ts";

/** Everything the routes stand on. */
export interface HttpParts {
  readonly version: string;
  readonly mode: "model" | "offline";
  /** Who answers in the chat, for people. */
  readonly speaker: string;
  readonly clock: Clock;
  readonly conversations: Conversations;
  readonly executor: AgentExecutor;
  readonly artifacts: ArtifactStore;
  readonly cameras: CameraRegistry;
  readonly pipelines: PipelineRegistry;
  readonly events: SceneEventLog;
  readonly alerts: AlertLog;
  /** Everything wrong with a workflow; empty when it can run. */
  readonly validate: (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;
  /** Opens a source once. Never rejects because of the source. */
  readonly probe: (source: string, signal: AbortSignal) => Promise<ProbeResult>;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Where the built dashboard lies; it need not be there. */
  readonly webFolder: string;
  /** Told of what went wrong inside. Must not throw. */
  readonly onFault: (error: unknown) => void;
}

/** The server with zod schemas as types of its routes. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
