// everything of the app → the tools of its agent, each asking as the level of autonomy says
import { createAskUserTool, createThinkTool, type Tool } from "@vision-agent/agent-core";
import type { ImageRef } from "../backends/backend.ts";
import { askAboutImageTool } from "./ask-about-image.ts";
import { withEgressQuestion } from "./ask-egress.ts";
import { blockDetailsTool, listBlocksTool, validateWorkflowTool } from "./block-tools.ts";
import { listChangesTool, withLedger } from "./change-ledger.ts";
import { detectZeroShotTool } from "./detect-zero-shot.ts";
import { explainEventTool } from "./explain-event.ts";
import { forgetTool } from "./forget.ts";
import { type GradedTool, withApproval, withMarkedErrors } from "./graded-tool.ts";
import { listAlertsTool } from "./list-alerts.ts";
import { captureFrameTool } from "./look-at-camera.ts";
import { forgetNoteTool, loadSkillTool, recallTool, rememberTool } from "./memory-tools.ts";
import { getUsageTool, setLimitTool } from "./money-tools.ts";
import {
  listPipelinesTool,
  pausePipelineTool,
  pipelineResultsTool,
  resumePipelineTool,
  stopPipelineTool,
} from "./pipeline-tools.ts";
import { previewWatchTool } from "./preview-watch.ts";
import { removeCameraTool } from "./remove-camera.ts";
import { runInferenceTool } from "./run-inference.ts";
import { saveCameraTool } from "./save-camera.ts";
import { savePlaceTool } from "./save-place.ts";
import { searchEventsTool } from "./search-events.ts";
import { sendAlertTool } from "./send-alert.ts";
import { setModeTool } from "./set-mode.ts";
import { showPictureTool } from "./show-picture.ts";
import { startCountTool } from "./start-count.ts";
import { startPipelineTool } from "./start-pipeline.ts";
import { cancelTaskTool, listTasksTool, scheduleTaskTool } from "./task-tools.ts";
import { testWatchTool } from "./test-watch-tool.ts";
import type { ToolParts } from "./tool-parts.ts";
import { undoTool, withUndo } from "./undo/undo-tool.ts";
import { listWatchesTool, muteWatchTool, removeWatchTool, updateWatchTool, watchTool } from "./watch-tools.ts";

/** In the order the model reads them: to look, to run, to compose, to watch, to remember, to plan. */
export function createTools(parts: ToolParts): readonly Tool[] {
  const { detectorFor, pipelines, watches, changes, undo } = parts;
  const modelFor = (image: ImageRef): string => detectorFor(image.kind === "source" ? image.address : "");
  const looking = { ...parts, modelFor };
  const changing: readonly GradedTool[] = [
    captureFrameTool(parts),
    runInferenceTool(looking),
    askAboutImageTool(looking),
    detectZeroShotTool(looking),
    startPipelineTool(parts),
    startCountTool(parts),
    listPipelinesTool(pipelines),
    pipelineResultsTool(parts),
    pausePipelineTool(pipelines, watches),
    resumePipelineTool(pipelines),
    stopPipelineTool(pipelines, watches),
    listBlocksTool(parts.listBlocks),
    blockDetailsTool(parts),
    validateWorkflowTool(parts.validate),
    watchTool(parts),
    updateWatchTool(parts),
    muteWatchTool(parts),
    setModeTool(parts.modes, watches),
    previewWatchTool(parts),
    testWatchTool(parts),
    explainEventTool(parts),
    listWatchesTool(watches),
    removeWatchTool(watches),
    searchEventsTool(parts),
    listAlertsTool(parts),
    showPictureTool(parts),
    sendAlertTool(parts),
    saveCameraTool(parts),
    removeCameraTool(parts.cameraAdmin),
    savePlaceTool(parts),
    rememberTool(parts),
    recallTool(parts.memory),
    loadSkillTool(parts.skills),
    scheduleTaskTool(parts),
    listTasksTool(parts),
    cancelTaskTool(parts),
    listChangesTool(parts),
    forgetTool(parts),
    forgetNoteTool(parts.memory),
    getUsageTool(parts),
    setLimitTool(parts),
  ];
  const graded = [
    ...changing.map((tool) => withUndo(tool, undo, (context) => parts.orders.of(context))),
    undoTool(undo, watches) as GradedTool,
  ];
  const talking = [createAskUserTool(), createThinkTool()].map((tool) => ({
    ...tool,
    approval: () => ({ decision: "allow" as const }),
  }));
  return [
    ...graded
      .map((tool) => withApproval(withMarkedErrors(withLedger(tool, changes)), parts))
      .map((tool) => withEgressQuestion(tool, parts.egressQuestions)),
    ...talking,
  ];
}
