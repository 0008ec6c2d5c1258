import type { WorkflowSpec } from "@vision-agent/protocol";

/** One model on each frame, and nothing else. */
export function detectionWorkflow(modelId: string): WorkflowSpec {
  return {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [
      {
        type: "roboflow_core/roboflow_object_detection_model@v2",
        name: "detect",
        images: "$inputs.image",
        model_id: modelId,
      },
    ],
    outputs: [{ type: "JsonField", name: "found", selector: "$steps.detect.predictions" }],
  };
}
