import type { Json, WorkflowStep } from "@vision-agent/protocol";

const RECTANGLE: Json = [
  [100, 100],
  [500, 100],
  [500, 400],
  [100, 400],
];

/** One comparison of a value with a fixed one, as conditions are written. */
function when(operand: { readonly [key: string]: Json }, comparator: string, value: Json): Json {
  const left_operand = { type: "DynamicOperand", ...operand };
  const right_operand = { type: "StaticOperand", value };
  const statement = { type: "BinaryStatement", left_operand, comparator: { type: comparator }, right_operand };
  return { type: "StatementGroup", statements: [statement] };
}

/** Values that make sense in a property of this name, whatever the block. */
export const SAMPLES_BY_PROPERTY: Readonly<Record<string, Json>> = {
  model_id: "your-workspace/your-model/1",
  class_names: ["person", "hard hat"],
  classes: ["person", "car"],
  texts: ["a person", "a car"],
  line_segment: [
    [100, 300],
    [500, 300],
  ],
  zone: RECTANGLE,
  reference_path: [
    [100, 100],
    [300, 200],
    [500, 300],
  ],
  perspective_polygons: [RECTANGLE],
  class_thresholds: { person: 0.5 },
  target_color: "(255, 0, 0)",
  reference_dimensions: [10, 20],
  url: "https://example.com/hook",
};

/** Steps that must stand before a block, where a single one does not do. */
export const STEPS_BEFORE: Readonly<Record<string, readonly WorkflowStep[]>> = {
  "roboflow_core/detections_classes_replacement@v1": [
    {
      type: "roboflow_core/dynamic_crop@v1",
      name: "crop",
      images: "$inputs.image",
      predictions: "$steps.detection.predictions",
    },
    {
      type: "roboflow_core/roboflow_classification_model@v2",
      name: "crop_kinds",
      images: "$steps.crop.crops",
      model_id: "your-workspace/your-model/1",
    },
  ],
  "roboflow_core/detections_stitch@v1": [
    { type: "roboflow_core/image_slicer@v1", name: "slicer", image: "$inputs.image" },
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "slice_detection",
      images: "$steps.slicer.slices",
      model_id: "your-workspace/your-model/1",
    },
  ],
};

/** Where a block needs more than each property by itself. */
export const SAMPLES_BY_BLOCK: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  "roboflow_core/florence_2@v1": { task_type: "caption" },
  "roboflow_core/florence_2@v2": { task_type: "caption" },
  "roboflow_core/detections_classes_replacement@v1": { classification_predictions: "$steps.crop_kinds.predictions" },
  "roboflow_core/detections_stitch@v1": { predictions: "$steps.slice_detection.predictions" },
  "roboflow_core/detections_filter@v1": {
    operations: [
      {
        type: "DetectionsFilter",
        filter_operation: when(
          { operations: [{ type: "ExtractDetectionProperty", property_name: "class_name" }] },
          "in (Sequence)",
          ["person"],
        ),
      },
    ],
  },
  "roboflow_core/detections_transformation@v1": {
    operations: [{ type: "SortDetections", mode: "confidence", ascending: false }],
  },
  "roboflow_core/property_definition@v1": {
    data: "$steps.detection.predictions",
    operations: [{ type: "SequenceLength" }],
  },
  "roboflow_core/continue_if@v1": {
    condition_statement: when({ operand_name: "people", operations: [{ type: "SequenceLength" }] }, "(Number) >", 0),
    evaluation_parameters: { people: "$steps.detection.predictions" },
  },
  "roboflow_core/expression@v1": {
    data: { count: "$inputs.number" },
    switch: {
      type: "CasesDefinition",
      cases: [
        {
          type: "CaseDefinition",
          condition: when({ operand_name: "count" }, "(Number) >", 5),
          result: { type: "StaticCaseResult", value: "crowded" },
        },
      ],
      default: { type: "StaticCaseResult", value: "quiet" },
    },
  },
  "roboflow_core/data_aggregator@v1": {
    data: { count: "$inputs.number" },
    aggregation_mode: { count: ["max"] },
    interval: 10,
  },
};
