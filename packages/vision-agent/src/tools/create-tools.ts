// everything of the app → the tools of its agent, each asking as the level of autonomy says
import type { Clock, Tool } from "@vision-agent/agent-core";
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
import type { SceneEventLog } from "../scene/scene-event-log.ts";
import type { SkillStore } from "../skills/skill-store.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import type { CameraStore } from "../workspace/camera-store.ts";
import { createAskAboutImageTool } from "./ask-about-image.ts";
import { createAskUserTool } from "./ask-user.ts";
import { type AutonomyLevel, type GradedTool, withAutonomy } from "./autonomy.ts";
import { createCancelTaskTool } from "./cancel-task.ts";
import { createCaptureFrameTool } from "./capture-frame.ts";
import { createCreateWatchTool } from "./create-watch.ts";
import { createDetectZeroShotTool } from "./detect-zero-shot.ts";
import { createGetBlockDetailsTool } from "./get-block-details.ts";
import { createGetPipelineResultsTool } from "./get-pipeline-results.ts";
import { createListPipelinesTool } from "./list-pipelines.ts";
import { createListTasksTool } from "./list-tasks.ts";
import { createListWatchesTool } from "./list-watches.ts";
import { createListWorkflowBlocksTool } from "./list-workflow-blocks.ts";
import { createLoadSkillTool } from "./load-skill.ts";
import type { Look } from "./look-at-camera.ts";
import type { OpenPicture } from "./open-picture.ts";
import { createPausePipelineTool } from "./pause-pipeline.ts";
import { createRecallTool } from "./recall.ts";
import { createRememberTool } from "./remember.ts";
import { createRemoveWatchTool } from "./remove-watch.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import { createResumePipelineTool } from "./resume-pipeline.ts";
import { createRunInferenceTool } from "./run-inference.ts";
import { createSaveCameraTool, type SaveCameraOptions } from "./save-camera.ts";
import { createScheduleTaskTool } from "./schedule-task.ts";
import { createSearchEventsTool } from "./search-events.ts";
import { createSendAlertTool } from "./send-alert.ts";
import type { AskServer } from "./server-vision.ts";
import { createStartPipelineTool } from "./start-pipeline.ts";
import { createStopPipelineTool } from "./stop-pipeline.ts";
import { createThinkTool } from "./think.ts";
import { createValidateWorkflowTool } from "./validate-workflow.ts";
import type { VisionModel } from "./vision-model.ts";

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
  const { level, detectorFor } = parts;
  const modelFor = (image: ImageRef): string => detectorFor(image.kind === "source" ? image.address : "");
  const seeing = { ...parts, modelFor };
  const graded: readonly GradedTool<never>[] = [
    createCaptureFrameTool(parts),
    createRunInferenceTool(seeing),
    createAskAboutImageTool(seeing),
    createDetectZeroShotTool(seeing),
    createStartPipelineTool({ ...parts, modelSpec: (modelId) => watchingWorkflow({ modelId }) }),
    createListPipelinesTool(parts),
    createGetPipelineResultsTool(parts),
    createPausePipelineTool(parts),
    createResumePipelineTool(parts),
    createStopPipelineTool(parts),
    createListWorkflowBlocksTool(parts),
    createGetBlockDetailsTool(parts),
    createValidateWorkflowTool(parts),
    createCreateWatchTool({ ...parts, modelFor: detectorFor }),
    createListWatchesTool(parts),
    createRemoveWatchTool(parts),
    createSearchEventsTool(parts),
    createSendAlertTool(parts),
    createSaveCameraTool(parts),
    createRememberTool(parts),
    createRecallTool(parts),
    createLoadSkillTool(parts),
    createScheduleTaskTool(parts),
    createListTasksTool(parts),
    createCancelTaskTool(parts),
    createAskUserTool(),
    createThinkTool(),
  ];
  return graded.map((tool) => withAutonomy(tool, level));
}
