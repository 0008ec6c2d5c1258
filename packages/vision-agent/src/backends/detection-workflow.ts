import type { WorkflowInput, WorkflowSpec, WorkflowStep } from "@vision-agent/protocol";

export interface DetectionOptions {
  readonly modelId: string;
  /** Names to keep; absent or empty keeps all. */
  readonly classes?: readonly string[];
  /** Boxes below are left out, 0 to 1. Default: the block's own, 0.4. */
  readonly confidence?: number;
}

/** The picture that a workflow is given. */
export const IMAGE_INPUT: WorkflowInput = { type: "WorkflowImage", name: "image" };

/** The step that finds things; its name is `detection`. */
export function detectionStep({ modelId, classes, confidence }: DetectionOptions): WorkflowStep {
  return {
    type: "roboflow_core/roboflow_object_detection_model@v2",
    name: "detection",
    images: "$inputs.image",
    model_id: modelId,
    ...(confidence === undefined ? {} : { confidence }),
    ...(classes && classes.length > 0 ? { class_filter: [...classes] } : {}),
  };
}

/** The step that draws boxes; its name is `boxes`. */
export function boxesStep(predictions: string): WorkflowStep {
  return { type: "roboflow_core/bounding_box_visualization@v1", name: "boxes", image: "$inputs.image", predictions };
}

/** One model on each picture: outputs `predictions` and `annotated`. */
export function detectionWorkflow(options: DetectionOptions): WorkflowSpec {
  return drawnWorkflow(detectionStep(options));
}

/** The same with another step called `detection`. */
export function drawnWorkflow(detection: WorkflowStep): WorkflowSpec {
  return {
    version: "1.0",
    inputs: [IMAGE_INPUT],
    steps: [detection, boxesStep("$steps.detection.predictions")],
    outputs: [
      { type: "JsonField", name: "predictions", selector: "$steps.detection.predictions" },
      { type: "JsonField", name: "annotated", selector: "$steps.boxes.image" },
    ],
  };
}
