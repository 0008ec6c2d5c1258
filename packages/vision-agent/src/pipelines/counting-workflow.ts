import type { WorkflowSpec } from "@vision-agent/protocol";
import type { Point } from "@vision-agent/vision-engine";
import type { DetectionOptions } from "../backends/detection-workflow.ts";
import { DETECTED, TRACKED, watchingWorkflow } from "./watching-workflow.ts";

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

/** Counts what stands in a zone (corners in pixels): output `count_in_zone`, beside `tracked_detections` of those inside. */
export function zoneCountWorkflow({
  zone,
  ...detection
}: DetectionOptions & { readonly zone: readonly Point[] }): WorkflowSpec {
  const inside = "$steps.inside.predictions";
  const filter = {
    type: "roboflow_core/detections_filter@v1",
    name: "inside",
    predictions: DETECTED,
    operations: [{ type: "DetectionsFilter", filter_operation: inZone(zone) }],
    operations_parameters: {},
  };
  const count = {
    type: "roboflow_core/property_definition@v1",
    name: "count",
    data: inside,
    operations: [{ type: "SequenceLength" }],
  };
  return watchingWorkflow({
    ...detection,
    before: { steps: [filter], followed: inside },
    after: [count],
    figures: { count_in_zone: "$steps.count.output" },
  });
}

function inZone(zone: readonly Point[]): { readonly [key: string]: unknown } {
  const statement = {
    type: "BinaryStatement",
    negate: false,
    left_operand: {
      type: "DynamicOperand",
      operand_name: "_",
      operations: [{ type: "ExtractDetectionProperty", property_name: "center" }],
    },
    comparator: { type: "(Detection) in zone" },
    right_operand: { type: "StaticOperand", value: zone.map(([x, y]) => [x, y]) },
  };
  return { type: "StatementGroup", operator: "and", statements: [statement] };
}
