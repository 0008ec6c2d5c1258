import { createCharCounter, createToolRegistry, type Tool, toSentTools } from "@vision-agent/agent-core";
import { createJobs, createMemoryJobStore } from "@vision-agent/agent-core/jobs";
import { createCountingIds, createFakeClock, scriptedExecutor } from "@vision-agent/agent-core/testing";
import { COCO_CLASSES, listKnownBlocks } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { createFakeMemory } from "../testing/create-fake-memory.ts";
import { fakeCameras, fakePipelines, NO_DESTINATIONS } from "../testing/fake-app.ts";
import { fakeChanges } from "../testing/fake-changes.ts";
import { NO_EGRESS_QUESTIONS } from "../testing/fake-egress.ts";
import { fakeMoney } from "../testing/fake-limits.ts";
import { fakeModes, fakePlaces } from "../testing/fake-places.ts";
import { QUIET_SCENE } from "../testing/fake-scene.ts";
import { fakeCameraAdmin, fakeOrders, fakeUndo } from "../testing/fake-undo.ts";
import { createMemoryEvents } from "../testing/memory-events.ts";
import { createWatchRegistry } from "../watches/watch-registry.ts";
import { createTools } from "./create-tools.ts";
import type { ToolParts } from "./tool-parts.ts";

/** Parameters that must keep their names, by tool. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  run_inference: ["image", "model_id", "workspace_name", "workflow_id", "workflow_spec", "parameters", "confidence"],
  ask_about_image: ["image", "question", "model"],
  detect_zero_shot: ["image", "class_names", "confidence"],
  start_pipeline: [
    "video_reference",
    "pipeline_name",
    "workflow_spec",
    "workspace_name",
    "workflow_id",
    "model_id",
    "max_fps",
    "parameters",
  ],
  get_pipeline_results: ["pipeline_id", "max_results", "include_frame"],
  list_pipelines: [],
  stop_pipeline: ["pipeline_id"],
  pause_pipeline: ["pipeline_id"],
  resume_pipeline: ["pipeline_id"],
  list_workflow_blocks: ["category"],
  get_block_details: ["block_type"],
  remember: ["content", "category", "camera_id"],
  recall: ["query", "max_results"],
  think: ["thought"],
};

const OURS = [
  "capture_frame",
  "validate_workflow",
  "load_skill",
  "search_events",
  "schedule_task",
  "list_tasks",
  "cancel_task",
  "send_alert",
  "ask_user",
  "create_watch",
  "update_watch",
  "mute_watch",
  "test_watch",
  "preview_watch",
  "explain_event",
  "set_mode",
  "list_watches",
  "remove_watch",
  "save_camera",
  "remove_camera",
  "save_place",
  "start_count",
  "list_alerts",
  "show_picture",
  "undo",
  "list_changes",
  "forget",
  "forget_note",
  "get_usage",
  "set_limit",
];

describe("the tools of the agent", () => {
  const tools = createTools(fakeParts());

  it("S000-5.1 are all there, and every parameter keeps its name", () => {
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...Object.keys(NAMED), ...OURS].toSorted());
    for (const [name, parameters] of Object.entries(NAMED)) {
      expect(propertiesOf(tools.find((tool) => tool.name === name)), name).toEqual(
        expect.arrayContaining([...parameters]),
      );
    }
  });

  it("have schemas that a registry takes", () => {
    expect(createToolRegistry(tools).listTools()).toHaveLength(tools.length);
  });

  it("fit into 5,000 tokens as far as they are always there", () => {
    const told = toSentTools(tools).map(({ name, description, parameters }) =>
      JSON.stringify({ name, description, parameters }),
    );
    expect(createCharCounter().text(told.join(""))).toBeLessThanOrEqual(5000);
  });

  it("decide for every call whether a person is asked", () => {
    expect(tools.filter(({ approval }) => typeof approval !== "function")).toEqual([]);
  });
});

function propertiesOf(tool: Tool | undefined): readonly string[] {
  return Object.keys((tool?.parameters.properties ?? {}) as object);
}

function fakeParts(): ToolParts {
  const clock = createFakeClock();
  const ids = createCountingIds();
  const cameras = fakeCameras("street");
  const pipelines = fakePipelines();
  const classesOf = () => COCO_CLASSES;
  const detectorFor = () => "detector";
  const nobody = async (): Promise<never> => {
    throw new Error("Nobody asks here.");
  };
  const onProblem = () => undefined;
  const store = { load: async () => [], save: async () => undefined };
  return {
    level: "supervised",
    egressQuestions: NO_EGRESS_QUESTIONS,
    forget: nobody,
    destinations: NO_DESTINATIONS,
    mayObeyText: true,
    clock,
    timeZone: "UTC",
    cameras,
    places: fakePlaces(),
    modes: fakeModes(),
    pipelines,
    watches: createWatchRegistry({
      pipelines,
      scene: QUIET_SCENE,
      cameras,
      store,
      modelFor: detectorFor,
      classesOf,
      clock,
      ids,
      onProblem,
    }),
    events: createMemoryEvents(),
    alerts: { tell: nobody, list: () => [], decisions: () => [], channelNames: () => [] },
    storedPicture: async () => undefined,
    testWatch: nobody,
    replayWatch: nobody,
    why: { explain: nobody, questionOf: (id) => ({ camera: id }) },
    memory: createFakeMemory({ now: clock.now }),
    skills: { list: async () => [], load: async () => undefined },
    changes: fakeChanges(),
    cameraAdmin: fakeCameraAdmin({ cameras }),
    undo: fakeUndo(),
    orders: fakeOrders,
    ...fakeMoney(),
    jobs: createJobs({ executor: scriptedExecutor(clock, () => ({})), store: createMemoryJobStore(), clock, ids }),
    run: nobody,
    validate: async () => [],
    loadSaved: nobody,
    listBlocks: nobody,
    listKnownBlocks,
    detectorFor,
    classesOf,
    probe: nobody,
    look: nobody,
    openPicture: nobody,
    resize: nobody,
  };
}
