import { describe, expect, it } from "vitest";
import type { ModelDescription } from "../model-description.ts";
import type { InferenceRuntime, TensorSession } from "../runtime/tensor-session.ts";
import type { ModelStore, PreparedModel } from "./model-store.ts";
import { createStoredModels } from "./stored-models.ts";

const DETECTOR: PreparedModel = {
  kind: "built-in",
  builtIn: "default-detector",
  id: "vision-agent/default",
  folders: ["/models/ssdlite", "/models/nanodet"],
};

describe("createStoredModels", () => {
  it("opens the embedded default for boxes and for embeddings", async () => {
    const { models, opened } = modelsWith(DETECTOR);
    const detector = await models.open("default", "object-detection")!;
    expect(opened).toEqual(["/models/ssdlite/weights.onnx", "/models/nanodet/weights.onnx"]);
    expect(detector.classNames.length).toBe(80);
    expect(detector.note).toBeUndefined();
    expect((await models.open("default", "embedding"))?.id).toBe("vision-agent/default");
  });

  it("keeps the asked-for id of a stand-in and says so with every result", async () => {
    const { models } = modelsWith({ ...DETECTOR, substitutedFor: "coco/9" });
    const detector = await models.open("coco/9", "object-detection")!;
    expect(detector.id).toBe("coco/9");
    expect(detector.note).toMatch(/^The model "coco\/9" cannot be had.*"vision-agent\/default" stands in for it/);
  });

  it("refuses a model that is made for something else", async () => {
    await expect(modelsWith(DETECTOR).models.open("default", "classification")).rejects.toThrow(
      'The model "vision-agent/default" is not made for classification.',
    );
    const model = { description: described({ task: "classification" }), weights: "/w.onnx" };
    await expect(modelsWith({ kind: "described", model }).models.open("mine/1", "object-detection")).rejects.toThrow(
      'The model "mine/1" is made for classification, not for object-detection.',
    );
  });

  it("closes the graph of a model that it cannot read", async () => {
    const model = { description: described({ architecture: "unheard-of" }), weights: "/w.onnx" };
    const { models, closed } = modelsWith({ kind: "described", model });
    await expect(models.open("mine/1", "object-detection")).rejects.toThrow(/unheard-of/);
    expect(closed).toEqual(["/w.onnx"]);
  });
});

function modelsWith(prepared: PreparedModel) {
  const opened: string[] = [];
  const closed: string[] = [];
  const runtime: InferenceRuntime = {
    async open(file): Promise<TensorSession> {
      opened.push(file);
      return { inputs: [], outputs: [], run: async () => ({}), close: async () => void closed.push(file) };
    },
    async close() {
      // Nothing is held.
    },
  };
  const store: ModelStore = { prepareModel: async () => prepared, savedWorkflow: async () => ({}) };
  const openTextReader = () => Promise.reject(new Error("no texts in this test"));
  return { models: createStoredModels({ store, runtime, openTextReader }), opened, closed };
}

function described(fields: Partial<ModelDescription>): ModelDescription {
  return {
    id: "mine/1",
    task: "object-detection",
    architecture: "yolov8",
    classNames: ["person"],
    input: { width: 64, height: 64, resize: "stretch", padding: 0, colors: "rgb", scale: 255 },
    ...fields,
  };
}
