import type { WorkflowSpec } from "@vision-agent/protocol";
import type { Point } from "@vision-agent/vision-engine";
import type { DetectionOptions } from "../backends/detection-workflow.ts";
import { TRACKED, watchingWorkflow } from "./watching-workflow.ts";

export interface CountingOptions extends DetectionOptions {
  /** Start and end in pixels of the frame. Seen from the start towards the end, `in` is to the left. */
  readonly line: readonly [Point, Point];
}

/**
 * Counts what crosses a line: detection → tracker → line counter → boxes.
 * Outputs `tracked_detections`, `count_in`, `count_out` (since the start of the pipeline) and `annotated`.
 */
export function countingWorkflow({ line, ...detection }: CountingOptions): WorkflowSpec {
  const counter = {
    type: "roboflow_core/line_counter@v2",
    name: "line",
    image: "$inputs.image",
    detections: TRACKED,
    line_segment: line.map(([x, y]) => [x, y]),
    triggering_anchor: "CENTER",
  };
  const figures = { count_in: "$steps.line.count_in", count_out: "$steps.line.count_out" };
  return watchingWorkflow({ ...detection, after: [counter], figures });
}
