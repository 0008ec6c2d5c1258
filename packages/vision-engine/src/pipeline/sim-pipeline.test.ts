import { frameResultSchema, type PipelineState, type WorkflowSpec } from "@vision-agent/protocol";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { runOnce, startPipeline } from "../index.ts";

const TRACKING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [
    { type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "sim/truth" },
    {
      type: "roboflow_core/byte_tracker@v3",
      name: "tracker",
      image: "$inputs.image",
      detections: "$steps.model.predictions",
    },
  ],
  outputs: [{ type: "JsonField", name: "tracked", selector: "$steps.tracker.tracked_detections" }],
};

describe("a pipeline on a simulated camera", () => {
  it("tracks what is in the scene, in a thread of its own", async () => {
    const pipeline = await startPipeline({ ...street("seed=3"), maxFrames: 5, timing: "replay" });
    expect(await pipeline.ended).toMatchObject({ state: "ended", framesProcessed: 5 });
    const results = pipeline.latest(5).map((result) => frameResultSchema.parse(result));
    const [first, last] = [results[0]!.outputs.tracked, results[4]!.outputs.tracked];
    expect(first?.kind === "detections" && first.detections.tracker_id!.length).toBeGreaterThan(0);
    expect(last?.kind === "detections" && last.detections.tracker_id).toContain(1);
  });

  it("goes on after an outage", async () => {
    const states: PipelineState[] = [];
    const pipeline = await startPipeline({
      ...street("outage=300ms@1s"),
      maxFrames: 25,
      onState: (state) => states.push(state),
    });
    await pipeline.ended;
    // Where the start takes longer than a second, the outage is what is seen first.
    expect(states.slice(-3)).toEqual(["reconnecting", "running", "ended"]);
  });

  it("tells an unknown scene and an unknown model", async () => {
    const nowhere = startPipeline({ ...street(""), source: "sim://moon" });
    await expect(nowhere).rejects.toMatchObject({ kind: "source", reason: "unknown_scene" });
    const workflow = { ...TRACKING, steps: [{ ...TRACKING.steps[0]!, model_id: "yolov8n-640" }], outputs: [] };
    await expect(startPipeline({ ...street(""), workflow })).rejects.toMatchObject({ kind: "model" });
  });

  it("looks at a picture, upright and whole, or says that it is none", async () => {
    const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const workflow: WorkflowSpec = {
      version: "1.0",
      inputs: [{ type: "WorkflowImage", name: "image" }],
      steps: [{ type: "roboflow_core/convert_grayscale@v1", name: "grey", image: "$inputs.image" }],
      outputs: [{ type: "JsonField", name: "grey", selector: "$steps.grey.image" }],
    };
    const look = await runOnce({ sourceId: "photo", picture, workflow });
    expect(look.result.frame).toMatchObject({ source_id: "photo", frame_number: 1, width: 64, height: 48 });
    expect(look.picture.jpeg.length).toBeGreaterThan(0);
    expect(look.annotated).toMatchObject({ width: 64, height: 48 });
    const damaged = runOnce({ sourceId: "photo", picture: Uint8Array.of(1, 2, 3), workflow });
    await expect(damaged).rejects.toMatchObject({
      kind: "source",
      message: expect.stringContaining("photo is damaged"),
    });
  });

  it("looks once", async () => {
    const { result, picture } = await runOnce(street(""));
    expect(result.outputs.tracked).toMatchObject({ kind: "detections" });
    expect(picture).toMatchObject({ width: 320, height: 180, frame: { source_id: "gate" } });
  });
});

function street(options: string) {
  const source = `sim://street?width=320&height=180&fps=20&start=60&${options}`;
  return { sourceId: "gate", source, workflow: TRACKING };
}
