// what is to be found → workflows beside those of the pipelines folder
import type { WorkflowSpec, WorkflowStep } from "@vision-agent/protocol";
import { boxesStep, detectionStep, IMAGE_INPUT } from "../../../backends/detection-workflow.ts";
import type { Place } from "../slots/find-places.ts";

/** How much larger a box is made on each axis before two of them count as near, in percent. */
const REACH_PERCENT = 50;
const OTHER = "near-this";

function trackerStep(detections: string): WorkflowStep {
  return { type: "roboflow_core/byte_tracker@v3", name: "tracker", image: "$inputs.image", detections };
}

export interface NearOptions {
  readonly modelId: string;
  readonly classes: readonly string[];
  /** Beside what they have to be. */
  readonly near: readonly string[];
}

/** Follows things of some classes while their widened boxes overlap the widened box of another. */
export function nearWorkflow({ modelId, classes, near }: NearOptions): WorkflowSpec {
  return {
    version: "1.0",
    inputs: [IMAGE_INPUT],
    steps: [
      detectionStep({ modelId, classes: [...new Set([...classes, ...near])] }),
      {
        type: "roboflow_core/detections_transformation@v1",
        name: "named",
        predictions: "$steps.detection.predictions",
        operations: [
          { type: "DetectionsRename", class_map: Object.fromEntries(near.map((name) => [name, OTHER])), strict: false },
        ],
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
      trackerStep("$steps.near.overlaps"),
      boxesStep("$steps.tracker.tracked_detections"),
    ],
    outputs: [
      { type: "JsonField", name: "tracked_detections", selector: "$steps.tracker.tracked_detections" },
      { type: "JsonField", name: "annotated", selector: "$steps.boxes.image" },
    ],
  };
}

export interface ZoneCountOptions {
  readonly modelId: string;
  readonly classes: readonly string[];
  /** Corners in pixels of the frame. */
  readonly zone: readonly Place[];
}

/** Counts what stands in a zone: output `count_in_zone`, beside `tracked_detections` of those inside. */
export function zoneCountWorkflow({ modelId, classes, zone }: ZoneCountOptions): WorkflowSpec {
  return {
    version: "1.0",
    inputs: [IMAGE_INPUT],
    steps: [
      detectionStep({ modelId, classes }),
      {
        type: "roboflow_core/detections_filter@v1",
        name: "inside",
        predictions: "$steps.detection.predictions",
        operations: [{ type: "DetectionsFilter", filter_operation: inZone(zone) }],
        operations_parameters: {},
      },
      trackerStep("$steps.inside.predictions"),
      {
        type: "roboflow_core/property_definition@v1",
        name: "count",
        data: "$steps.inside.predictions",
        operations: [{ type: "SequenceLength" }],
      },
      boxesStep("$steps.tracker.tracked_detections"),
    ],
    outputs: [
      { type: "JsonField", name: "tracked_detections", selector: "$steps.tracker.tracked_detections" },
      { type: "JsonField", name: "count_in_zone", selector: "$steps.count.output" },
      { type: "JsonField", name: "annotated", selector: "$steps.boxes.image" },
    ],
  };
}

function inZone(zone: readonly Place[]): { readonly [key: string]: unknown } {
  return {
    type: "StatementGroup",
    operator: "and",
    statements: [
      {
        type: "BinaryStatement",
        negate: false,
        left_operand: {
          type: "DynamicOperand",
          operand_name: "_",
          operations: [{ type: "ExtractDetectionProperty", property_name: "center" }],
        },
        comparator: { type: "(Detection) in zone" },
        right_operand: { type: "StaticOperand", value: zone.map(([x, y]) => [x, y]) },
      },
    ],
  };
}
