// what the tools of the agent stand on
import type { Clock } from "@vision-agent/agent-core";
import type { Jobs } from "@vision-agent/agent-core/jobs";
import type { ProbeResult, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import type { KnownBlock } from "@vision-agent/vision-engine";
import type { Explain } from "../alerts/explain-camera.ts";
import type { AlertRouter } from "../alerts/route-alert.ts";
import type { TestWatch } from "../alerts/test-watch.ts";
import type { ImageRef, InferenceBackend } from "../backends/backend.ts";
import type { BlockListing } from "../backends/block-catalog.ts";
import type { SavedWorkflows } from "../backends/saved-workflows.ts";
import type { OpenMemory } from "../memory/open-markdown-memory.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { ReplayWatch } from "../replay/create-replay.ts";
import type { SkillStore } from "../skills/skill-store.ts";
import type { Forget } from "../store/forget.ts";
import type { SceneEventLog } from "../store/open-scene-event-log.ts";
import type { Modes } from "../watches/open-modes.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import type { CameraStore } from "../workspace/camera-store.ts";
import type { PlaceStore } from "../workspace/place-store.ts";
import type { EgressQuestions } from "./ask-egress.ts";
import type { CameraAdmin } from "./camera-admin.ts";
import type { ChangeLedger } from "./change-ledger.ts";
import type { ApprovalPolicy } from "./graded-tool.ts";
import type { Look } from "./look-at-camera.ts";
import type { MoneyToolParts } from "./money-tools.ts";
import type { OpenPicture } from "./open-picture.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import type { RunOrders } from "./undo/run-orders.ts";
import type { UndoJournal } from "./undo/undo-journal.ts";
import type { AskServer, VisionModel } from "./vision-model.ts";

/** What the tools stand on. */
export interface ToolParts extends ApprovalPolicy, MoneyToolParts {
  readonly clock: Pick<Clock, "now">;
  /** IANA name. */
  readonly timeZone: string;
  readonly cameras: Pick<CameraStore, "list" | "find">;
  /** Adds, changes and removes them. */
  readonly cameraAdmin: Pick<CameraAdmin, "uses" | "add" | "change" | "remove">;
  readonly pipelines: PipelineRegistry;
  readonly watches: WatchRegistry;
  /** Zones and lines that have names. */
  readonly places: Pick<PlaceStore, "find" | "list" | "set">;
  readonly modes: Modes;
  readonly events: Pick<SceneEventLog, "list" | "get" | "visit" | "count" | "countCrossings">;
  readonly alerts: Pick<AlertRouter, "tell" | "list" | "decisions" | "channelNames">;
  /** Bytes of a picture that is stored; undefined when they are gone. */
  readonly storedPicture: (id: string) => Promise<Uint8Array | undefined>;
  readonly testWatch: TestWatch;
  readonly replayWatch: ReplayWatch;
  readonly why: Explain;
  readonly memory: Pick<OpenMemory, "store" | "search" | "notesIn" | "removeNote">;
  readonly skills: Pick<SkillStore, "list" | "load">;
  /** What the tools change goes there, and is read from there. */
  readonly changes: ChangeLedger;
  /** What was before each change, for a day. */
  readonly undo: Pick<UndoJournal, "during" | "plan" | "undo">;
  /** Which calls carry out the same order of a person. */
  readonly orders: Pick<RunOrders, "of">;
  /** Takes out what must never be written down. */
  readonly redact?: (text: string) => string;
  readonly jobs: Pick<Jobs, "upsert" | "list" | "history" | "remove">;
  /** Asks the backend that fits the question. */
  readonly run: InferenceBackend["run"];
  /** Everything wrong with a workflow; empty when it can run on the backend that would be chosen. */
  readonly validate: (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;
  readonly loadSaved: SavedWorkflows["load"];
  /** Blocks of the backend in use. */
  readonly listBlocks: (signal: AbortSignal) => Promise<BlockListing>;
  /** The engine's function of the same name. */
  readonly listKnownBlocks: () => readonly KnownBlock[];
  /** The detector for an address, unless somebody names another; an empty address is a picture. */
  readonly detectorFor: (address: string) => string;
  /** Class names that a model can find; undefined when nobody knows. */
  readonly classesOf: (modelId: string) => readonly string[] | undefined;
  /** Opens a source once. */
  readonly probe: (source: string, signal: AbortSignal) => Promise<ProbeResult>;
  readonly openPicture: OpenPicture;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Longest side in pixels of the pictures in results. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
  /** Results that one look at a pipeline gives at most. Default 10. */
  readonly maxResults?: number;
  /** The configured model; absent when the offline interpreter answers. */
  readonly visionModel?: VisionModel;
  /** Vision-language models of Inference servers; absent when pipelines run on this machine. */
  readonly askServer?: AskServer;
  /** Counts or removes what cameras showed. */
  readonly forget: Forget["forget"];
  /** Asks before pictures of a camera go to a new destination. */
  readonly egressQuestions: EgressQuestions;
  readonly look: (camera: string, signal: AbortSignal) => Promise<Look>;
}

/** The same for tools that look at a picture. */
export interface LookingParts extends ToolParts {
  /** The detector for a picture, when the call names none. */
  readonly modelFor: (image: ImageRef) => string;
}
