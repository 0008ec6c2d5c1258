import type { WorkflowSpec, WorkflowStep } from "@vision-agent/protocol";

/** A whole workflow that a model can follow. */
export interface WorkflowPattern {
  readonly title: string;
  readonly spec: WorkflowSpec;
}

const INPUTS: WorkflowSpec["inputs"] = [{ type: "WorkflowImage", name: "image" }];

const detect = (classes: readonly string[]): WorkflowStep => ({
  type: "roboflow_core/roboflow_object_detection_model@v2",
  name: "detect",
  images: "$inputs.image",
  model_id: "<model>",
  class_filter: [...classes],
});

const TRACK: WorkflowStep = {
  type: "roboflow_core/byte_tracker@v3",
  name: "track",
  image: "$inputs.image",
  detections: "$steps.detect.predictions",
};

const boxes = (predictions: string): WorkflowStep => ({
  type: "roboflow_core/bounding_box_visualization@v1",
  name: "boxes",
  image: "$inputs.image",
  predictions,
});

const output = (name: string, selector: string): WorkflowSpec["outputs"][number] => ({
  type: "JsonField",
  name,
  selector,
});

const ANNOTATED = output("annotated", "$steps.boxes.image");

/** The three that most requests are made of. Each is one that the engine takes. */
export const WORKFLOW_PATTERNS: readonly WorkflowPattern[] = [
  {
    title: "Count people across a vertical line",
    spec: {
      version: "1.0",
      inputs: INPUTS,
      steps: [
        detect(["person"]),
        TRACK,
        {
          type: "roboflow_core/line_counter@v2",
          name: "line",
          image: "$inputs.image",
          detections: "$steps.track.tracked_detections",
          line_segment: [
            [640, 0],
            [640, 720],
          ],
          triggering_anchor: "CENTER",
        },
        boxes("$steps.track.tracked_detections"),
      ],
      outputs: [
        output("predictions", "$steps.track.tracked_detections"),
        output("count_in", "$steps.line.count_in"),
        output("count_out", "$steps.line.count_out"),
        ANNOTATED,
      ],
    },
  },
  {
    title: "Vehicles that stay in a zone for more than 60 seconds",
    spec: {
      version: "1.0",
      inputs: INPUTS,
      steps: [
        detect(["car", "truck"]),
        TRACK,
        {
          type: "roboflow_core/time_in_zone@v3",
          name: "dwell",
          image: "$inputs.image",
          detections: "$steps.track.tracked_detections",
          zone: [
            [100, 300],
            [1180, 300],
            [1180, 700],
            [100, 700],
          ],
        },
        filter("long", "$steps.dwell.timed_detections", {
          property: "time_in_zone",
          comparator: "(Number) >",
          value: 60,
        }),
        boxes("$steps.long.predictions"),
      ],
      outputs: [
        output("in_zone", "$steps.dwell.timed_detections"),
        output("too_long", "$steps.long.predictions"),
        ANNOTATED,
      ],
    },
  },
  {
    title: "PPE: who works without a helmet or vest (needs a model with such classes)",
    spec: {
      version: "1.0",
      inputs: INPUTS,
      steps: [
        detect(["helmet", "no-helmet", "vest", "no-vest"]),
        TRACK,
        filter("missing", "$steps.track.tracked_detections", {
          property: "class_name",
          comparator: "in (Sequence)",
          value: ["no-helmet", "no-vest"],
        }),
        {
          type: "roboflow_core/property_definition@v1",
          name: "how_many",
          data: "$steps.missing.predictions",
          operations: [{ type: "SequenceLength" }],
        },
        boxes("$steps.missing.predictions"),
      ],
      outputs: [
        output("predictions", "$steps.track.tracked_detections"),
        output("missing", "$steps.missing.predictions"),
        output("missing_count", "$steps.how_many.output"),
        ANNOTATED,
      ],
    },
  },
];

interface Condition {
  readonly property: string;
  readonly comparator: string;
  readonly value: number | readonly string[];
}

function filter(name: string, predictions: string, { property, comparator, value }: Condition): WorkflowStep {
  return {
    type: "roboflow_core/detections_filter@v1",
    name,
    predictions,
    operations: [
      {
        type: "DetectionsFilter",
        filter_operation: {
          type: "StatementGroup",
          operator: "and",
          statements: [
            {
              type: "BinaryStatement",
              left_operand: {
                type: "DynamicOperand",
                operations: [{ type: "ExtractDetectionProperty", property_name: property }],
              },
              comparator: { type: comparator },
              right_operand: { type: "StaticOperand", value },
            },
          ],
        },
      },
    ],
  };
}
