import type { WorkflowSpec } from "@vision-agent/protocol";
import { boxesStep, type DetectionOptions, detectionStep, IMAGE_INPUT } from "../backends/detection-workflow.ts";

/**
 * Follows what is found from frame to frame, so that coming and going become events.
 * Outputs `tracked_detections` and `annotated`.
 */
export function watchingWorkflow(options: DetectionOptions): WorkflowSpec {
  const tracked = "$steps.tracker.tracked_detections";
  return {
    version: "1.0",
    inputs: [IMAGE_INPUT],
    steps: [
      detectionStep(options),
      {
        type: "roboflow_core/byte_tracker@v3",
        name: "tracker",
        image: "$inputs.image",
        detections: "$steps.detection.predictions",
      },
      boxesStep(tracked),
    ],
    outputs: [
      { type: "JsonField", name: "tracked_detections", selector: tracked },
      { type: "JsonField", name: "annotated", selector: "$steps.boxes.image" },
    ],
  };
}
