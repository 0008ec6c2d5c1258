import { systemClock } from "@vision-agent/agent-core";
import type { SceneEvent, WorkflowProblem } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { BackendError, type JobResult } from "../backends/backend.ts";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import { ofCamera } from "../store/picture-origin.ts";
import {
  fakeContext as context,
  fakeCameras,
  fakePicture,
  fakePipelines,
  fakeResult,
  fakeStatus,
  NO_WATCHES,
  SPEC,
  textOf,
} from "../testing/fake-app.ts";
import { fakeEvent } from "../testing/fake-offline-app.ts";
import { NO_NEW_WATCHES } from "../testing/fake-undo.ts";
import { captureFrameTool, type LookOptions, lookAtCamera } from "./look-at-camera.ts";
import {
  listPipelinesTool,
  pausePipelineTool,
  pipelineResultsTool,
  resumePipelineTool,
  stopPipelineTool,
} from "./pipeline-tools.ts";
import { startPipelineTool } from "./start-pipeline.ts";

const SAVED = { ...SPEC, inputs: [...SPEC.inputs, { type: "WorkflowParameter", name: "limit", default_value: 1 }] };

describe("start_pipeline", () => {
  const setUp = (problems: readonly WorkflowProblem[] = []) => {
    const pipelines = fakePipelines();
    const cameras = fakeCameras("street", "dock");
    const loadSaved = async (workspace: string, workflowId: string) => {
      if (workspace !== "acme")
        throw new BackendError({ kind: "not_found", message: "Roboflow knows no such workflow." });
      const note = `This is the copy of ${workflowId}.`;
      return { spec: SAVED, fetchedAt: "2026-01-01T00:00:00.000Z", note };
    };
    const tool = startPipelineTool({
      clock: systemClock,
      cameras,
      pipelines,
      watches: NO_NEW_WATCHES,
      validate: async () => problems,
      loadSaved,
    });
    return { pipelines, tool };
  };

  it("S000-5.1.4 starts a checked workflow and reads back what runs", async () => {
    const { pipelines, tool } = setUp();
    const args = { video_reference: "STREET", pipeline_name: "count", workflow_spec: SPEC, max_fps: 5 };
    const { data, text } = await tool.execute(args, context());
    expect(pipelines.started).toEqual([{ videoReference: "street", spec: SPEC, name: "count", maxFps: 5 }]);
    const status = { name: "count", pipeline_id: "pl_1", video_reference: "street", status: "running" };
    expect(data).toMatchObject({ pipeline: status, effects: [{ kind: "started", what: "pipeline", id: "pl_1" }] });
    expect(text).toMatch(/^Started\.\ncount \(pl_1\) on street: running, /);
    expect(text).toContain("sim/truth (simulated");
  });

  it("S000-5.1.4 makes a workflow of a model id", async () => {
    const { pipelines, tool } = setUp();
    await tool.execute({ video_reference: "sim://street", model_id: "yolo" }, context());
    expect(pipelines.started[0]?.spec).toEqual(watchingWorkflow({ modelId: "yolo" }));
  });

  it("S000-5.1.4 S000-10.2.5 starts a workflow saved at Roboflow with its parameters and frame rate", async () => {
    const { pipelines, tool } = setUp();
    const saved = { workspace_name: "acme", workflow_id: "ppe-check", parameters: { limit: 3 } };
    const text = textOf(await tool.execute({ video_reference: "dock", max_fps: 2, ...saved }, context()));
    expect(pipelines.started[0]).toMatchObject({ videoReference: "dock", maxFps: 2 });
    expect(pipelines.started[0]?.spec.inputs[1]).toMatchObject({ name: "limit", default_value: 3 });
    expect(text).toContain("This is the copy of ppe-check.");
    const other = { ...saved, workspace_name: "elsewhere" };
    await expect(tool.execute({ video_reference: "dock", ...other }, context())).rejects.toThrow("knows no such");
  });

  it("passes on who is told of what", async () => {
    const { pipelines, tool } = setUp();
    const tracker = { type: "roboflow_core/byte_tracker@v3", name: "tracker" };
    const tracking = { ...SPEC, steps: [...SPEC.steps, tracker] };
    await tool.execute(
      { video_reference: "dock", workflow_spec: tracking, alert_on: ["appeared", "zone_entered"] },
      context(),
    );
    expect(pipelines.started[0]?.alertOn).toEqual(["appeared", "zone_entered"]);
    await expect(
      tool.execute({ video_reference: "dock", workflow_spec: SPEC, alert_on: ["appeared"] }, context()),
    ).rejects.toThrow("alert_on needs a tracker");
  });

  it("keeps parameters as defaults of the workflow's inputs", async () => {
    const { pipelines, tool } = setUp();
    const workflow_spec = { ...SPEC, inputs: [{ type: "WorkflowParameter", name: "confidence", default_value: 0.4 }] };
    await tool.execute({ video_reference: "street", workflow_spec, parameters: { confidence: 0.7 } }, context());
    expect(pipelines.started[0]?.spec.inputs).toEqual([
      { type: "WorkflowParameter", name: "confidence", default_value: 0.7 },
    ]);
    await expect(
      tool.execute({ video_reference: "street", workflow_spec, parameters: { size: 1 } }, context()),
    ).rejects.toThrow("no parameter size. Its parameters: confidence");
  });

  it("S000-10.2.3 VA-23 answers with every problem: step, property, what is wrong, nearest name", async () => {
    const { pipelines, tool } = setUp([
      { step: "line", property: "line_segment", message: "Two points are expected." },
      { step: "track", property: "type", message: "Unknown block.", did_you_mean: "roboflow_core/byte_tracker@v3" },
    ]);
    await expect(tool.execute({ video_reference: "street", workflow_spec: SPEC }, context())).rejects.toThrow(
      /Nothing was started.*2 problems:\n- line\.line_segment: Two points are expected\.\n- track\.type: Unknown block\. Did you mean "roboflow_core\/byte_tracker@v3"\?/,
    );
    expect(pipelines.started).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      "an unknown camera",
      { video_reference: "garage", workflow_spec: SPEC },
      /no camera called "garage". Cameras: street, dock\./,
    ],
    ["neither workflow nor model", { video_reference: "street" }, /one of workflow_spec, model_id, and/],
    ["half of a saved workflow", { video_reference: "street", workflow_id: "x" }, /workspace_name is missing/],
    ["both", { video_reference: "street", workflow_spec: SPEC, model_id: "m" }, /one of workflow_spec, model_id, and/],
    ["a workflow without steps", { video_reference: "street", workflow_spec: { version: "1.0" } }, /- steps: /],
  ])("says what to do about %s", async (_name, args, message) => {
    const { tool } = setUp();
    await expect(tool.execute(args as never, context())).rejects.toThrow(message);
  });
});

describe("list_pipelines and stop_pipeline", () => {
  const two = [fakeStatus(), fakeStatus({ pipeline_id: "pl_2", name: "dock-watch", video_reference: "loading dock" })];

  it("S000-5.1.6 lists what runs, as data and a line each", async () => {
    const { data, text } = await listPipelinesTool(fakePipelines({ running: two })).execute({}, context());
    expect(data.pipelines).toEqual(two);
    expect(text.split("\n")).toEqual([
      "street-count (pl_1) on street: running, 9.8 fps, 120 frames, 3 left out. Counts person crossing a line.",
      "dock-watch (pl_2) on loading dock: running, 9.8 fps, 120 frames, 3 left out. Counts person crossing a line.",
    ]);
  });

  it("says that nothing runs", async () => {
    const text = textOf(await listPipelinesTool(fakePipelines()).execute({}, context()));
    expect(text).toBe("No pipeline is running.");
  });

  it("S000-5.1.7 says what is still running after the stop", async () => {
    const tool = stopPipelineTool(fakePipelines({ running: two }), NO_WATCHES);
    expect(textOf(await tool.execute({ pipeline_id: "street-count" }, context()))).toBe(
      "Stopped street-count (pl_1). Still running: dock-watch.",
    );
    expect(textOf(await tool.execute({ pipeline_id: "pl_2" }, context()))).toBe(
      "Stopped dock-watch (pl_2). No pipeline is running.",
    );
  });

  it("stops all of them when told so", async () => {
    const pipelines = fakePipelines({ running: two });
    const tool = stopPipelineTool(pipelines, NO_WATCHES);
    expect(textOf(await tool.execute({ pipeline_id: "all" }, context()))).toBe(
      "Stopped street-count (pl_1), dock-watch (pl_2). No pipeline is running.",
    );
    expect(textOf(await tool.execute({ pipeline_id: "all" }, context()))).toBe("No pipeline is running.");
  });

  it("S000-5.1.8 pauses and goes on, and says what the pipeline is afterwards", async () => {
    const pipelines = fakePipelines({ running: two });
    const paused = await pausePipelineTool(pipelines, NO_WATCHES).execute({ pipeline_id: "street-count" }, context());
    expect(paused.data).toMatchObject({ pipeline: { status: "paused" }, effects: [{ kind: "paused", id: "pl_1" }] });
    const resumed = await resumePipelineTool(pipelines).execute({ pipeline_id: "pl_1" }, context());
    expect(resumed.data).toMatchObject({ pipeline: { status: "running" }, effects: [{ kind: "resumed" }] });
    const deaf = { ...pipelines, pause: async () => fakeStatus() };
    await expect(pausePipelineTool(deaf, NO_WATCHES).execute({ pipeline_id: "pl_1" }, context())).rejects.toThrow(
      "told to pause but is running",
    );
  });

  it("claims no stop that did not happen", async () => {
    const pipelines = { ...fakePipelines({ running: two }), stop: async () => fakeStatus() };
    await expect(stopPipelineTool(pipelines, NO_WATCHES).execute({ pipeline_id: "pl_1" }, context())).rejects.toThrow(
      "still listed",
    );
  });

  it("names what runs when the name is wrong", async () => {
    const tool = stopPipelineTool(fakePipelines({ running: two }), NO_WATCHES);
    await expect(tool.execute({ pipeline_id: "x" }, context())).rejects.toThrow("street-count, dock-watch");
  });
});

describe("list_pipelines", () => {
  it("says that lines and zones are doubtful since the camera was moved", async () => {
    const moved = fakeStatus({ zones_doubtful_since: "2026-01-01T10:00:00.000Z" });
    const text = textOf(await listPipelinesTool(fakePipelines({ running: [moved] })).execute({}, context()));
    expect(text).toContain(
      "Its camera was moved at 2026-01-01T10:00:00.000Z: lines and zones drawn before may be wrong.",
    );
  });
});

describe("get_pipeline_results", () => {
  const results = [fakeResult(["person"], { count_in: 1 }), fakeResult(["car", "person", "person"], { count_in: 4 })];
  const pipelines = fakePipelines({ running: [fakeStatus()], results });

  it("S000-5.1.5 begins with the newest result as a line that can be read back", async () => {
    const tool = pipelineResultsTool({ timeZone: "UTC", pipelines });
    const { data, text } = await tool.execute({ pipeline_id: "pl_1" }, context());
    expect(data.seen).toMatchObject({
      subject: "street-count",
      counts: [
        { class_name: "person", count: 2 },
        { class_name: "car", count: 1 },
      ],
      figures: [{ name: "count_in", value: "4" }],
    });
    expect(text).toMatch(/^street-count: 2 person, 1 car; count_in 4\.$/m);
    expect(text.match(/^frame 120/gm)).toHaveLength(2);
  });

  it("S000-11.2.5 keeps a frame within about a hundred tokens however much is in it", async () => {
    const classes = Array.from({ length: 200 }, (_, row) => `kind-${row}`);
    const crowded = fakePipelines({ running: [fakeStatus()], results: [fakeResult(classes)] });
    const tool = pipelineResultsTool({ timeZone: "UTC", pipelines: crowded });
    const text = textOf(await tool.execute({ pipeline_id: "pl_1" }, context()));
    const frame = text.split("\n").find((line) => line.startsWith("frame"));
    expect(frame?.length).toBeLessThan(400);
    expect(frame).toContain("more kinds");
  });

  it("VA-12 adds the picture only when asked", async () => {
    const stored = context();
    await pipelineResultsTool({ timeZone: "UTC", pipelines }).execute({ pipeline_id: "pl_1" }, stored);
    expect(stored.images).toEqual([]);
    await pipelineResultsTool({ timeZone: "UTC", pipelines }).execute(
      { pipeline_id: "pl_1", include_frame: true },
      stored,
    );
    expect(stored.images).toEqual(["street: 2 person, 1 car; count_in 4."]);
  });

  it("S000-5.1.5 shows the picture of the frame whose figures it reports", async () => {
    const asked: unknown[] = [];
    const picture: typeof pipelines.picture = async (_, request) => {
      asked.push(request?.frameNumber);
      return fakePicture();
    };
    const tool = pipelineResultsTool({ timeZone: "UTC", pipelines: { ...pipelines, picture } });
    await tool.execute({ pipeline_id: "pl_1", include_frame: true }, context());
    expect(asked).toEqual([results[1]!.frame.frame_number]);
  });

  it.each<readonly [string, () => Promise<undefined>]>([
    ["is not kept any more", async () => undefined],
    ["cannot be had", () => Promise.reject(new BackendError({ kind: "unavailable", message: "Gone." }))],
  ])("S000-5.1.5 gives the figures even when the picture %s", async (_, picture) => {
    const tool = pipelineResultsTool({ timeZone: "UTC", pipelines: { ...pipelines, picture } });
    const text = textOf(await tool.execute({ pipeline_id: "pl_1", include_frame: true }, context()));
    expect(text).toMatch(/^street-count: 2 person, 1 car; count_in 4\.$/m);
    expect(text).toContain("capture_frame takes a new one");
  });

  it("gives another answer when there is a newer frame, so that waiting for it is no loop", async () => {
    const newest = fakeResult(["person"], { count_in: 1 });
    const answers = [120, 121].map(async (frame_number) => {
      const result = { ...newest, frame: { ...newest.frame, frame_number } };
      const fresh = fakePipelines({ running: [fakeStatus()], results: [result] });
      return textOf(
        await pipelineResultsTool({ timeZone: "UTC", pipelines: fresh }).execute({ pipeline_id: "pl_1" }, context()),
      );
    });
    const [first, second] = await Promise.all(answers);
    expect(first).not.toBe(second);
  });

  it("S000-5.1.5 gives five results, or as many as the settings allow in one call", async () => {
    const many = fakePipelines({
      running: [fakeStatus()],
      results: Array.from({ length: 20 }, () => fakeResult(["car"])),
    });
    const framesOf = async (maxResults?: number) => {
      const tool = pipelineResultsTool({ timeZone: "UTC", pipelines: many, maxResults });
      const properties = tool.parameters.properties as { readonly max_results: { readonly maximum: number } };
      const text = textOf(await tool.execute({ pipeline_id: "pl_1" }, context()));
      return [text.match(/^frame 120/gm)?.length, properties.max_results.maximum];
    };
    expect(await framesOf()).toEqual([5, 10]);
    expect(await framesOf(3)).toEqual([3, 3]);
  });

  it("says that there are no results yet", async () => {
    const quiet = fakePipelines({ running: [fakeStatus({ status: "starting" })] });
    const tool = pipelineResultsTool({ timeZone: "UTC", pipelines: quiet });
    expect(textOf(await tool.execute({ pipeline_id: "pl_1" }, context()))).toContain("no results yet");
  });
});

describe("capture_frame", () => {
  it.each(["running", "paused", "ended"] as const)(
    "shows a recording where its pipeline is that is %s",
    async (status) => {
      const last = fakeResult(["car"]);
      const frame = { ...last.frame, frame_number: 77, comes_from_video_file: true };
      const asked: unknown[] = [];
      const pipelines = {
        ...fakePipelines({
          running: [fakeStatus({ status, video_reference: "clip" })],
          results: [{ ...last, frame }],
          specs: { pl_1: { ...SPEC, steps: [{ type: "a_detection_model", name: "m", class_filter: ["car"] }] } },
        }),
        async picture(_: string, request?: { readonly frameNumber?: number }) {
          asked.push(request?.frameNumber);
          return fakePicture();
        },
      };
      const images: unknown[] = [];
      const look = await lookAtCamera(
        {
          cameras: fakeCameras("clip"),
          events: { list: () => [] },
          pipelines,
          backend: {
            async run(_job, image): Promise<JobResult> {
              images.push(image.kind === "bytes" ? image.origin : image.kind);
              return { result: fakeResult(["dog"]), picture: fakePicture() };
            },
          },
          detectionFor: () => ({ modelId: "yolox", spec: SPEC }),
          maxEdge: 640,
        },
        "clip",
      );
      expect(asked).toEqual([77]);
      expect(images).toEqual([ofCamera("clip")]);
      expect(look.result.frame).toMatchObject({ frame_number: 77, timestamp: frame.timestamp });
    },
  );

  const opened: string[] = [];
  const options = (over: Partial<LookOptions> = {}): LookOptions => ({
    cameras: fakeCameras("street"),
    events: { list: () => [] },
    pipelines: fakePipelines(),
    backend: {
      async run(_job, image): Promise<JobResult> {
        opened.push(image.kind === "source" ? image.address : "");
        return { result: fakeResult(["dog"]), picture: { ...fakePicture(), width: 1280, height: 720 } };
      },
    },
    detectionFor: () => ({ modelId: "yolox", spec: SPEC }),
    maxEdge: 640,
    ...over,
  });
  const toolFor = (over: Partial<LookOptions> = {}) => {
    const edges: (number | undefined)[] = [];
    const tool = captureFrameTool({
      cameras: fakeCameras("street"),
      clock: { now: () => Date.parse("2026-01-01T12:30:00Z") },
      timeZone: "UTC",
      maxEdge: over.maxEdge ?? 640,
      look: (camera, signal) => lookAtCamera(options(over), camera, signal),
      resize: async (bytes, { maxEdge }) => {
        edges.push(maxEdge);
        return { bytes, mimeType: "image/jpeg" };
      },
    });
    return { tool, edges };
  };

  it("says since when a camera shows the same picture", async () => {
    const health = { state: "frozen" as const, message: "The camera sends the same picture again and again." };
    const pipelines = fakePipelines({ running: [fakeStatus({ health })], results: [fakeResult(["person"])] });
    const frozen = fakeEvent({ at: "2026-01-01T12:02:00.000Z", kind: "camera_frozen" });
    const textWith = async (events: readonly SceneEvent[]) => {
      const list: LookOptions["events"]["list"] = ({ kind } = {}) => events.filter((event) => event.kind === kind);
      return textOf(await toolFor({ pipelines, events: { list } }).tool.execute({ camera: "street" }, context()));
    };
    expect(await textWith([frozen])).toMatch(
      /^street has shown the same picture since 12:02, so this is not what is there now\.\n/,
    );
    const up = fakeEvent({ at: "2026-01-01T12:10:00.000Z", kind: "camera_up" });
    expect(await textWith([up, frozen])).toMatch(/^street has shown the same picture for a while/);
  });

  it("looks through the pipeline that runs there", async () => {
    const pipelines = fakePipelines({ running: [fakeStatus()], results: [fakeResult(["person", "person", "car"])] });
    const text = textOf(await toolFor({ pipelines }).tool.execute({ camera: "street" }, context()));
    expect(text.split("\n")[0]).toBe("street: 2 person, 1 car.");
    expect(text).toContain("Model: sim/truth (simulated");
    expect(text).toContain("Seen by: street-count. Counts person crossing a line.");
    expect(text).toContain(
      "Frame: 1280x720 px (the picture shown is 640x360; boxes are in pixels of the frame), taken",
    );
  });

  it("does not ask a pipeline that looks for some classes only", async () => {
    const specs = { pl_1: { ...SPEC, steps: SPEC.steps.map((step) => ({ ...step, class_filter: ["person"] })) } };
    const pipelines = fakePipelines({ running: [fakeStatus()], results: [fakeResult(["person"])], specs });
    const text = textOf(await toolFor({ pipelines }).tool.execute({ camera: "street" }, context()));
    expect(text.split("\n")[0]).toBe("street: 1 dog.");
  });

  it("opens the camera when nothing runs there, and never shows its address", async () => {
    const { tool, edges } = toolFor();
    const text = textOf(await tool.execute({ camera: "Street" }, context()));
    expect(opened.at(-1)).toContain("password");
    expect(text).not.toContain("password");
    expect(text).toContain("street: 1 dog.");
    expect(text).toContain("Model: yolox");
    expect(edges).toEqual([640]);
    const small = toolFor({ maxEdge: 320 });
    await small.tool.execute({ camera: "street" }, context());
    expect(small.edges).toEqual([320]);
  });

  it("says why a camera gives no picture", async () => {
    const run = async (): Promise<JobResult> => {
      throw new BackendError({ kind: "source", message: "The name was not found." });
    };
    await expect(toolFor({ backend: { run } }).tool.execute({ camera: "street" }, context())).rejects.toThrow(
      "street gives no picture: The name was not found.",
    );
  });

  it("names the cameras when the name is wrong", async () => {
    await expect(toolFor().tool.execute({ camera: "x" }, context())).rejects.toThrow("Cameras: street.");
  });
});
