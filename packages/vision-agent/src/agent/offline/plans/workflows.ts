// what is to be found → workflows beside those of the pipelines folder
import type { WorkflowSpec } from "@vision-agent/protocol";
import { DETECTED, watchingWorkflow } from "../../../pipelines/watching-workflow.ts";
import type { Place } from "../slots/find-places.ts";

/** How much larger a box is made on each axis before two of them count as near, in percent. */
const REACH_PERCENT = 50;
const OTHER = "near-this";

export interface Followed {
  readonly modelId: string;
  readonly classes: readonly string[];
}

/** Follows things of some classes while their widened boxes overlap the widened box of another; `near`: beside what they have to be. */
export function nearWorkflow({
  modelId,
  classes,
  near,
}: Followed & { readonly near: readonly string[] }): WorkflowSpec {
  const renamed = Object.fromEntries(near.map((name) => [name, OTHER]));
  const steps = [
    {
      type: "roboflow_core/detections_transformation@v1",
      name: "named",
      predictions: DETECTED,
      operations: [{ type: "DetectionsRename", class_map: renamed, strict: false }],
    },
    {
      type: "roboflow_core/detection_offset@v1",
      name: "widened",
      predictions: "$steps.named.predictions",
      offset_width: REACH_PERCENT,
      offset_height: REACH_PERCENT,
      units: "Percent (%)",
    },
    {
      type: "roboflow_core/overlap@v1",
      name: "near",
      predictions: "$steps.widened.predictions",
      overlap_class_name: OTHER,
      overlap_type: "Any Overlap",
    },
  ];
  const before = { steps, followed: "$steps.near.overlaps" };
  return watchingWorkflow({ modelId, classes: [...new Set([...classes, ...near])], before });
}

/** Counts what stands in a zone (corners in pixels): output `count_in_zone`, beside `tracked_detections` of those inside. */
export function zoneCountWorkflow({
  zone,
  ...detection
}: Followed & { readonly zone: readonly Place[] }): WorkflowSpec {
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

function inZone(zone: readonly Place[]): { readonly [key: string]: unknown } {
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
