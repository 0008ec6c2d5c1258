// everything of the app → the tools of its agent, each asking as the level of autonomy says
import { type Clock, createAskUserTool, createThinkTool, type Tool } from "@vision-agent/agent-core";
import type { Jobs } from "@vision-agent/agent-core/jobs";
import type { WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import type { KnownBlock } from "@vision-agent/vision-engine";
import type { AlertRouter } from "../alerts/route-alert.ts";
import type { ImageRef, InferenceBackend } from "../backends/backend.ts";
import type { BlockListing } from "../backends/block-catalog.ts";
import type { SavedWorkflows } from "../backends/saved-workflows.ts";
import type { Memory } from "../memory/memory.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { SkillStore } from "../skills/skill-store.ts";
import type { SceneEventLog } from "../store/scene-event-log.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import type { CameraStore } from "../workspace/camera-store.ts";
import { type AskServer, askAboutImageTool } from "./ask-about-image.ts";
import { blockDetailsTool, listBlocksTool, validateWorkflowTool } from "./block-tools.ts";
import { type ChangeLedger, listChangesTool, withLedger } from "./change-ledger.ts";
import { detectZeroShotTool } from "./detect-zero-shot.ts";
import { type AutonomyLevel, type GradedTool, withAutonomy } from "./graded-tool.ts";
import { captureFrameTool, type Look } from "./look-at-camera.ts";
import { loadSkillTool, recallTool, rememberTool } from "./memory-tools.ts";
import type { OpenPicture } from "./open-picture.ts";
import {
  listPipelinesTool,
  pausePipelineTool,
  pipelineResultsTool,
  resumePipelineTool,
  stopPipelineTool,
} from "./pipeline-tools.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import { runInferenceTool } from "./run-inference.ts";
import { type SaveCameraOptions, saveCameraTool } from "./save-camera.ts";
import { searchEventsTool } from "./search-events.ts";
import { sendAlertTool } from "./send-alert.ts";
import { startPipelineTool } from "./start-pipeline.ts";
import { cancelTaskTool, listTasksTool, scheduleTaskTool } from "./task-tools.ts";
import type { VisionModel } from "./vision-model.ts";
import { listWatchesTool, removeWatchTool, watchTool } from "./watch-tools.ts";

export interface ToolParts {
  readonly level: AutonomyLevel;
  readonly clock: Pick<Clock, "now">;
  /** IANA name. */
  readonly timeZone: string;
  readonly cameras: Pick<CameraStore, "list" | "find" | "add" | "change">;
  readonly pipelines: PipelineRegistry;
  readonly watches: WatchRegistry;
  readonly events: Pick<SceneEventLog, "list">;
  readonly alerts: Pick<AlertRouter, "tell">;
  readonly memory: Pick<Memory, "store" | "search">;
  readonly skills: Pick<SkillStore, "list" | "load">;
  /** What the tools change goes there, and is read from there. */
  readonly changes: ChangeLedger;
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
  readonly probe: SaveCameraOptions["probe"];
  readonly look: (camera: string, signal: AbortSignal) => Promise<Look>;
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
}

/** In the order the model reads them: to look, to run, to compose, to watch, to remember, to plan. */
export function createTools(parts: ToolParts): readonly Tool<never>[] {
  const { level, detectorFor, pipelines, watches, changes } = parts;
  const modelFor = (image: ImageRef): string => detectorFor(image.kind === "source" ? image.address : "");
  const looking = { ...parts, modelFor };
  const graded: readonly GradedTool<never>[] = [
    captureFrameTool(parts),
    runInferenceTool(looking),
    askAboutImageTool(looking),
    detectZeroShotTool(looking),
    startPipelineTool({ ...parts, modelSpec: (modelId) => watchingWorkflow({ modelId }) }),
    listPipelinesTool(pipelines),
    pipelineResultsTool(parts),
    pausePipelineTool(pipelines),
    resumePipelineTool(pipelines),
    stopPipelineTool(pipelines),
    listBlocksTool(parts.listBlocks),
    blockDetailsTool(parts),
    validateWorkflowTool(parts.validate),
    watchTool({ ...parts, modelFor: detectorFor }),
    listWatchesTool(watches),
    removeWatchTool(watches),
    searchEventsTool(parts),
    sendAlertTool(parts),
    saveCameraTool(parts),
    rememberTool(parts),
    recallTool(parts.memory),
    loadSkillTool(parts.skills),
    scheduleTaskTool(parts),
    listTasksTool(parts),
    cancelTaskTool(parts),
    listChangesTool(parts),
  ];
  const talking = [createAskUserTool(), createThinkTool()].map((tool) => ({
    ...tool,
    approval: () => ({ decision: "allow" as const }),
  }));
  return [...graded.map((tool) => withAutonomy(withLedger(tool, changes), level)), ...talking];
}
