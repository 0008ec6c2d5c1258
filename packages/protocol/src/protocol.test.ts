import { describe, expect, it } from "vitest";
import {
  appEventSchema,
  cameraSchema,
  detectionsSchema,
  frameResultSchema,
  postMessageSchema,
  probeResultSchema,
  runEventSchema,
  startPipelineSchema,
  workflowSpecSchema,
} from "./index.ts";

describe("the words", () => {
  it("keeps the properties of a step that only its block knows", () => {
    const spec = workflowSpecSchema.parse({
      version: "1.0",
      inputs: [{ type: "WorkflowImage", name: "image" }],
      steps: [{ type: "x", name: "a", model_id: "sim/truth", confidence: 0.4 }],
      outputs: [{ type: "JsonField", name: "out", selector: "$steps.a.predictions" }],
    });
    expect(spec.steps[0]).toMatchObject({ model_id: "sim/truth", confidence: 0.4 });
  });

  it("refuses a detection whose confidence is no probability", () => {
    const box = { image: { width: 10, height: 10 }, xyxy: [0, 0, 5, 5], class_id: [0], class_name: ["person"] };
    expect(detectionsSchema.safeParse({ ...box, confidence: [0.5], tracker_id: null }).success).toBe(true);
    expect(detectionsSchema.safeParse({ ...box, confidence: [1.5], tracker_id: null }).success).toBe(false);
  });

  it("tells output values apart by their kind", () => {
    const frame = {
      source_id: "street",
      frame_number: 1,
      timestamp: "2026-02-11T10:00:00.000Z",
      width: 960,
      height: 540,
      fps: 10,
    };
    const outputs = { count_in: { kind: "value", value: 3 }, annotated: { kind: "image", width: 960, height: 540 } };
    expect(frameResultSchema.parse({ frame, outputs, latency_ms: 4 }).outputs).toEqual(outputs);
    expect(
      frameResultSchema.safeParse({ frame, outputs: { x: { kind: "bytes", value: "" } }, latency_ms: 4 }).success,
    ).toBe(false);
  });

  it("takes camera names of any language, and none that could be a path", () => {
    const camera = (name: string): unknown => ({ name, source: "sim://street", location: "", notes: "" });
    expect(cameraSchema.safeParse(camera("Einfahrt Süd 2")).success).toBe(true);
    expect(cameraSchema.safeParse(camera("../etc/passwd")).success).toBe(false);
    expect(cameraSchema.safeParse(camera("")).success).toBe(false);
  });

  it("says why a source does not open with a word from a closed list", () => {
    expect(
      probeResultSchema.safeParse({ ok: false, reason: "refused", message: "Nobody listens there." }).success,
    ).toBe(true);
    expect(probeResultSchema.safeParse({ ok: false, reason: "sulking", message: "?" }).success).toBe(false);
  });

  it("refuses an empty message and a pipeline without a source", () => {
    expect(postMessageSchema.safeParse({ text: "" }).success).toBe(false);
    expect(postMessageSchema.safeParse({ text: " \n " }).success).toBe(false);
    expect(
      startPipelineSchema.safeParse({ sources: [], workflow: { version: "1.0", inputs: [], steps: [], outputs: [] } })
        .success,
    ).toBe(false);
  });

  it("tells run events and app events apart by their type", () => {
    expect(runEventSchema.parse({ type: "text_delta", message_id: "m", text: "hi" }).type).toBe("text_delta");
    expect(appEventSchema.parse({ type: "pipelines", pipelines: [] }).type).toBe("pipelines");
    expect(runEventSchema.safeParse({ type: "shrug" }).success).toBe(false);
  });
});
