import { workflowSpecSchema } from "@vision-agent/protocol";
import { validateWorkflow } from "@vision-agent/vision-engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zoneCountWorkflow } from "../../pipelines/counting-workflow.ts";
import { SPEC } from "../../testing/fake-app.ts";
import { countingStatus, createOfflineApp, fakeEvent, PICTURE_ID } from "../../testing/fake-offline-app.ts";

const saved = { "acme/ppe-check": SPEC, "acme/inventory-count": SPEC };
const cameras = ["cam1", "cam2"];

describe("the MVP scenarios without a model", () => {
  it("S000-9.1 runs a model of the person on the attached picture", async () => {
    const { ask, calls } = createOfflineApp();
    const answer = await ask("I have a model my-ws/hard-hat/3. Run it on this image.", { withPicture: true });
    expect(calls).toEqual([{ tool: "run_inference", args: { image: PICTURE_ID, model_id: "my-ws/hard-hat/3" } }]);
    expect(answer).toMatch(/^my-ws\/hard-hat\/3 ran once\. On picture I see 3 people and 1 car\./);
    expect(await createOfflineApp().ask("I have a model my-ws/hard-hat/3. Run it on this image.")).toContain(
      "no picture with your message",
    );
  });

  it("S000-9.2 runs a saved workflow on a camera", async () => {
    const { ask, calls } = createOfflineApp({ cameras, saved });
    const answer = await ask("I have a workflow called 'ppe-check' in my 'acme' workspace. Run it on cam1.");
    expect(calls[0]).toMatchObject({
      tool: "start_pipeline",
      args: { video_reference: "cam1", workspace_name: "acme", workflow_id: "ppe-check" },
    });
    expect(answer).toMatch(/^ppe-check runs on cam1 now, as cam1-ppe-check \(pl_1\)/);
  });

  it("S000-9.3 asks which video, and proposes a detector", async () => {
    const { ask, calls } = createOfflineApp({ cameras });
    expect(await ask("Watch this video for people.")).toMatch(/Which video.*detector.*model of your own.*\?$/);
    expect(calls).toEqual([]);
  });

  it("S000-9.4 counts across the middle of a file", async () => {
    const { ask, pipelines } = createOfflineApp({ cameras });
    expect(await ask("Count cars crossing the middle of the frame in test.mp4")).toContain("counting cars crossing");
    const started = pipelines.started[0];
    expect(started).toMatchObject({ videoReference: "test.mp4" });
    expect(started?.spec.steps.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["roboflow_core/byte_tracker@v3", "roboflow_core/line_counter@v2"]),
    );
  });

  it("S000-9.5 lists the blocks for tracking", async () => {
    expect(await createOfflineApp().ask("What blocks are available for tracking?")).toContain(
      "roboflow_core/byte_tracker@v3",
    );
  });

  it("S000-9.6 hands an attached picture to the tool that looks", async () => {
    const { ask, calls } = createOfflineApp();
    expect(await ask("What's in this image?", { withPicture: true })).toContain("ANTHROPIC_API_KEY");
    expect(calls).toEqual([
      { tool: "ask_about_image", args: { image: PICTURE_ID, question: "What's in this image?" } },
    ]);
    await ask("How many dogs are in it?", { withPicture: true });
    expect(calls[1]).toEqual({ tool: "detect_zero_shot", args: { image: PICTURE_ID, class_names: ["dog"] } });
  });

  it("S000-9.8 stops all pipelines and says what was observed", async () => {
    const app = createOfflineApp({
      running: [countingStatus()],
      events: [fakeEvent({ at: "14:05" }), fakeEvent({ at: "14:06" })],
    });
    const answer = await app.ask("Stop all pipelines and summarize what you observed.");
    expect(answer).toMatch(/^Stopped street-count\. No pipeline is running\.\nSummary\.\nToday: 2 people appeared\./);
    expect(app.pipelines.list()).toEqual([]);
  });

  it("S000-9.9 asks for the workspace, then runs the workflow at the rate that was named", async () => {
    const { ask, calls } = createOfflineApp({ saved });
    expect(await ask("Use my workflow 'inventory-count' on rtsp://192.168.1.52/stream1 at 2 FPS")).toBe(
      'In which workspace is the workflow "inventory-count"?',
    );
    await ask("in acme");
    expect(calls[0]).toMatchObject({
      tool: "start_pipeline",
      args: {
        video_reference: "rtsp://192.168.1.52/stream1",
        workspace_name: "acme",
        workflow_id: "inventory-count",
        max_fps: 2,
      },
    });
  });

  it("S000-9.10 runs a pipeline for each camera and watches what is near", async () => {
    const { ask, pipelines, watches } = createOfflineApp({ cameras });
    const answer = await ask(
      "Monitor cam1 and cam2. Detect people on cam1, vehicles on cam2. Alert me if a person is near a vehicle on cam2.",
    );
    expect(pipelines.started.slice(0, 2).map(({ videoReference, name }) => [videoReference, name])).toEqual([
      ["cam1", "cam1-person-detect"],
      ["cam2", "cam2-car-truck-bus-detect"],
    ]);
    expect(watches.list()).toMatchObject([
      {
        cameras: ["cam2"],
        classes: ["person"],
        condition: { kind: "near", other: { classes: ["car", "truck", "bus", "motorcycle"] } },
      },
    ]);
    expect(answer.split("\n")).toHaveLength(3);
  });
});

describe("workflows of the interpreter", () => {
  it("are valid for the engine", () => {
    const zone = zoneCountWorkflow({
      modelId: "sim/truth",
      classes: ["person"],
      zone: [
        [0, 0],
        [320, 0],
        [320, 540],
      ],
    });
    expect(validateWorkflow(workflowSpecSchema.parse(zone))).toEqual([]);
  });
});

describe("a conversation of anything", () => {
  it("is always answered, and stops asking for calls", async () => {
    const said = fc.constantFrom(
      "count people on street",
      "tell me when a dog appears on dock",
      "tell me when a person enters the pool area",
      "only at night",
      "on the yard instead",
      "not the dog",
      "make it 10 seconds",
      "the left half",
      "too many alerts",
      "stop it",
      "stop everything",
      "pause everything",
      "resume",
      "yes",
      "no",
      "and yesterday?",
      "how many crossed?",
      "what happened?",
      "street",
      "cars",
      "watch this video for people",
      "why?",
      "what is running",
      "",
      "???",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 8 }), async (turns) => {
        const { ask } = createOfflineApp();
        for (const text of turns) expect(await ask(text)).not.toBe("");
      }),
      { numRuns: 40, seed: 11 },
    );
  });
});
