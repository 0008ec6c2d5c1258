import type { WorkflowSpec } from "@vision-agent/protocol";
import type { Point } from "@vision-agent/vision-engine";
import { boxesStep, type DetectionOptions, detectionStep, IMAGE_INPUT } from "../backends/detection-workflow.ts";

export interface CountingOptions extends DetectionOptions {
  /** Start and end in pixels of the frame. Seen from the start towards the end, `in` is to the left. */
  readonly line: readonly [Point, Point];
}

/**
 * Counts what crosses a line: detection → tracker → line counter → boxes.
 * Outputs `tracked_detections`, `count_in`, `count_out` (since the start of the pipeline) and `annotated`.
 */
export function countingWorkflow({ line, ...detection }: CountingOptions): WorkflowSpec {
  const tracked = "$steps.tracker.tracked_detections";
  return {
    version: "1.0",
    inputs: [IMAGE_INPUT],
    steps: [
      detectionStep(detection),
      {
        type: "roboflow_core/byte_tracker@v3",
        name: "tracker",
        image: "$inputs.image",
        detections: "$steps.detection.predictions",
      },
      {
        type: "roboflow_core/line_counter@v2",
        name: "line",
        image: "$inputs.image",
        detections: tracked,
        line_segment: line.map(([x, y]) => [x, y]),
        triggering_anchor: "CENTER",
      },
      boxesStep(tracked),
    ],
    outputs: [
      { type: "JsonField", name: "tracked_detections", selector: tracked },
      { type: "JsonField", name: "count_in", selector: "$steps.line.count_in" },
      { type: "JsonField", name: "count_out", selector: "$steps.line.count_out" },
      { type: "JsonField", name: "annotated", selector: "$steps.boxes.image" },
    ],
  };
}
