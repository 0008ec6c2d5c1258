import type { AgentExecutor, ArtifactStore, Clock, Metrics } from "@vision-agent/agent-core";
import type { Jobs } from "@vision-agent/agent-core/jobs";
import type {
  CameraRecording,
  ProbeResult,
  SceneEvent,
  ServerStatus,
  UsageReport,
  WorkflowProblem,
  WorkflowSpec,
} from "@vision-agent/protocol";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Admission } from "../../access/admission.ts";
import type { Access } from "../../access/open-access.ts";
import type { TlsFiles } from "../../access/own-certificate.ts";
import type { SpendingLimits } from "../../agent/spending-limits.ts";
import type { Explain } from "../../alerts/explain-camera.ts";
import type { AlertRouter } from "../../alerts/route-alert.ts";
import type { TestWatch } from "../../alerts/test-watch.ts";
import type { BlockCatalog } from "../../backends/block-catalog.ts";
import type { Backends } from "../../backends/select-backend.ts";
import type { ConfigView } from "../../config/to-config-view.ts";
import type { Egress } from "../../egress/open-egress.ts";
import type { Memory } from "../../memory/memory.ts";
import type { PipelineRegistry } from "../../pipelines/pipeline-registry.ts";
import type { ReplayWatch } from "../../replay/create-replay.ts";
import type { Conversations } from "../../sessions/conversations.ts";
import type { Pauses } from "../../sessions/pauses.ts";
import type { SkillStore } from "../../skills/skill-store.ts";
import type { DestinationStore } from "../../store/destination-store.ts";
import type { Forget } from "../../store/forget.ts";
import type { SceneEventLog } from "../../store/open-scene-event-log.ts";
import type { CameraAdmin } from "../../tools/camera-admin.ts";
import type { ChangeLedger } from "../../tools/change-ledger.ts";
import type { Resized, ResizeOptions } from "../../tools/resize-picture.ts";
import type { UndoJournal } from "../../tools/undo/undo-journal.ts";
import type { Modes } from "../../watches/open-modes.ts";
import type { WatchRegistry } from "../../watches/watch-registry.ts";
import type { RegisteredCamera } from "../../workspace/camera-registry.ts";
import type { CameraStore } from "../../workspace/camera-store.ts";
import type { CredentialStore } from "../../workspace/credential-store.ts";
import type { PlaceStore } from "../../workspace/place-store.ts";

/** Everything the routes stand on. */
export interface HttpParts {
  readonly version: string;
  readonly mode: "model" | "offline";
  /** Who answers in the chat, for people. */
  readonly speaker: string;
  readonly clock: Clock;
  /** Who may come in. */
  readonly access: Access;
  /** How clients reach the server. Default: under the names of loopback only, without TLS. */
  readonly reach?: ServerReach;
  /** Default: what a person with a few browsers never meets. */
  readonly limits?: HttpLimits;
  readonly conversations: Conversations;
  readonly pauses: Pauses;
  readonly executor: AgentExecutor;
  readonly artifacts: ArtifactStore;
  readonly cameras: Pick<CameraStore, "list" | "find">;
  /** Adds, changes and removes them. */
  readonly cameraAdmin: Pick<CameraAdmin, "uses" | "add" | "change" | "remove">;
  /** What was before each change, for a day. */
  readonly undo: Pick<UndoJournal, "during" | "list" | "undo">;
  readonly pipelines: PipelineRegistry;
  readonly backends: Pick<Backends, "configured" | "list" | "choose">;
  readonly blocks: BlockCatalog;
  /** Inference servers as they are now. Never rejects because of a server. */
  readonly servers: () => Promise<readonly ServerStatus[]>;
  readonly events: SceneEventLog;
  readonly alerts: Pick<AlertRouter, "list" | "onAlert">;
  readonly watches: Pick<WatchRegistry, "create" | "list" | "get" | "update" | "setEnabled" | "remove">;
  readonly testWatch: TestWatch;
  readonly replayWatch: ReplayWatch;
  readonly why: Pick<Explain, "explain">;
  readonly recordings: CameraRecordings;
  /** Zones and lines of cameras by their names. */
  readonly places: Pick<PlaceStore, "list" | "find" | "set" | "remove">;
  readonly modes: Modes;
  /** Where a person let the agent reach. */
  readonly destinations: Pick<DestinationStore, "list" | "forget">;
  /** What the agent did. */
  readonly changes: Pick<ChangeLedger, "list">;
  readonly memory: Pick<Memory, "search" | "observations">;
  readonly skills: SkillStore;
  readonly jobs: Pick<Jobs, "list" | "history" | "remove" | "runNow">;
  /** Which pictures left this machine, and which may. */
  readonly egress: Pick<Egress, "rules" | "ledger">;
  /** Counts or removes what cameras showed. */
  readonly forget: Forget["forget"];
  /** What was used and paid. */
  readonly usage: () => Promise<UsageReport>;
  /** The settings in force, without a secret. */
  readonly settings: () => Promise<ConfigView>;
  /** What models may cost. */
  readonly spendingLimits: SpendingLimits;
  /** Counts of runs, models and tools since the start. */
  readonly metrics: Metrics["registry"];
  /** Throws when there are too many of something already. */
  readonly admission: Pick<Admission, "enter">;
  /** Everything wrong with a workflow; empty when it can run. */
  readonly validate: (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;
  /** Opens a source once. Never rejects because of the source. */
  readonly probe: (source: string, signal: AbortSignal) => Promise<ProbeResult>;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Where the built dashboard lies; it need not be there. */
  readonly webFolder: string;
  /** Keeps the passwords of the addresses that people send; nobody behind the routes sees them. */
  readonly credentials: Pick<CredentialStore, "take">;
  /** Takes secrets out of the texts in every answer and every stream. Default: nothing is taken out. */
  readonly redact?: <T>(value: T) => T;
  /** Told of what went wrong inside. Must not throw. */
  readonly onFault: (error: unknown) => void;
}

/** Which cameras are recorded, and clips of events. */
export interface CameraRecordings {
  status(camera: RegisteredCamera): Promise<CameraRecording>;
  set(camera: RegisteredCamera, isOn: boolean): Promise<CameraRecording>;
  /** An MP4 from before until after an event; undefined when nothing was recorded then. */
  clipOf(event: SceneEvent, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** How clients on other computers reach the server. */
export interface ServerReach {
  /** Host names and addresses beside those of loopback. */
  readonly names: readonly string[];
  /** Where people find it, when a reverse proxy stands in front: `https://cameras.example.org`. */
  readonly publicUrl?: string;
  /** Addresses of proxies whose `X-Forwarded-*` is believed. */
  readonly proxies?: readonly string[];
  /** PEM. Absent: plain HTTP. */
  readonly tls?: TlsFiles;
}

export interface HttpLimits {
  /** Requests of one client at once. Default 1200. */
  readonly burst?: number;
  /** Requests of one client in the long run. Default 200. */
  readonly perSecond?: number;
  /** For the headers of a request to arrive. Default 15,000. */
  readonly headersMs?: number;
  /** For a whole request to arrive. Default 120,000. */
  readonly requestMs?: number;
}

/** The server with zod schemas as types of its routes. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
