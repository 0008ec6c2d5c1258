import { MODEL_ALIASES } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { canonicalModelId, canonicalWorkflow } from "./workflow-request.ts";

describe("canonicalModelId", () => {
  it("knows every alias, and no alias leads to another", () => {
    expect(MODEL_ALIASES.size).toBe(152);
    for (const id of MODEL_ALIASES.values()) expect(canonicalModelId(id)).toBe(id);
  });

  it.each([
    ["yolov8n-640", "coco/3"],
    ["yolov8x-640", "coco/5"],
    ["yolo11x-1280", "coco/34"],
    ["yolov26m-seg-640", "coco-dataset-vdnr1/29"],
    ["rfdetr-large", "coco/50"],
    ["yolov26l-depth-768", "yolo26-pretrains/yolo26l-depth"],
    ["paligemma-3b-ft-ocrvqa-448", "paligemma-pretrains/19"],
    ["florence-2-base", "florence-pretrains/3"],
    ["rfdetr-keypoint-preview", "microsoft/coco-pose-detection-17-rfdetr-keypoint-preview-t1"],
    ["my-project/7", "my-project/7"],
  ])("%s is kept as %s", (alias, id) => {
    expect(canonicalModelId(alias)).toBe(id);
  });
});

describe("canonicalWorkflow", () => {
  const workflow = {
    version: "1.0",
    inputs: [
      { type: "WorkflowImage", name: "image" },
      { type: "WorkflowParameter", name: "which", default_value: "yolov8s-640" },
      { type: "WorkflowParameter", name: "label", default_value: "yolov8n-640" },
    ],
    steps: [
      { type: "detect", name: "a", model_id: "yolov8n-640", nested: [{ visual_model_id: "resnet50" }] },
      { type: "detect", name: "b", model_id: "$inputs.which", text: "yolov8n-640" },
    ],
    outputs: [{ type: "JsonField", name: "o", selector: "$steps.a.predictions" }],
  };

  it("replaces aliases where a model is named and nowhere else", () => {
    const { specification, modelIds } = canonicalWorkflow(workflow);
    expect(specification.steps).toMatchObject([
      { model_id: "coco/3", nested: [{ visual_model_id: "classifiers/3" }] },
      { model_id: "$inputs.which", text: "yolov8n-640" },
    ]);
    expect(specification.inputs[1]).toMatchObject({ default_value: "coco/6" });
    expect(specification.inputs[2]).toMatchObject({ default_value: "yolov8n-640" });
    expect(modelIds.toSorted()).toEqual(["classifiers/3", "coco/3", "coco/6"]);
  });

  it("replaces an alias that comes as the parameter which chooses the model", () => {
    const { parameters, modelIds } = canonicalWorkflow(workflow, { which: "yolov8m-640", label: "yolov8n-640" });
    expect(parameters).toEqual({ which: "coco/8", label: "yolov8n-640" });
    expect(modelIds).toContain("coco/8");
    expect(modelIds).not.toContain("coco/6");
  });

  it("leaves the workflow that it was given as it is", () => {
    const before = structuredClone(workflow);
    canonicalWorkflow(workflow, { which: "yolov8m-640" });
    expect(workflow).toEqual(before);
  });
});
