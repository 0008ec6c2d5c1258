// good workflows and what becomes of them when one value is changed
import type { Json, WorkflowSpec } from "@vision-agent/protocol";
import fc from "fast-check";

const IMAGE = "$inputs.image";
const BOXES = "$steps.model.predictions";
const TRACKED = "$steps.tracker.tracked_detections";
const TRACKING: WorkflowSpec["steps"] = [
  { type: "ObjectDetectionModel", name: "model", images: IMAGE, model_id: "sim/truth", confidence: 0.1 },
  { type: "roboflow_core/byte_tracker@v3", name: "tracker", image: IMAGE, detections: BOXES },
];

/** Of every family that needs no network: they run on a simulated camera. */
export const GOOD_SPECS: readonly WorkflowSpec[] = [
  specOf(
    [
      ...TRACKING,
      {
        type: "roboflow_core/line_counter@v2",
        name: "line",
        ...{ image: IMAGE, detections: TRACKED, triggering_anchor: "CENTER" },
        line_segment: [
          [0, 90],
          [320, 90],
        ],
      },
      {
        type: "roboflow_core/time_in_zone@v3",
        name: "zone",
        ...{ image: IMAGE, detections: TRACKED },
        zone: [
          [10, 10],
          [300, 10],
          [300, 170],
          [10, 170],
        ],
      },
      { type: "roboflow_core/bounding_box_visualization@v1", name: "boxes", image: IMAGE, predictions: TRACKED },
      {
        type: "roboflow_core/label_visualization@v1",
        name: "labels",
        ...{ image: "$steps.boxes.image", predictions: TRACKED, text: "Tracker Id", text_scale: 1, border_radius: 2 },
      },
    ],
    ["$steps.line.count_in", "$steps.zone.timed_detections", "$steps.labels.image"],
  ),
  specOf(
    [
      ...TRACKING,
      { type: "roboflow_core/dynamic_crop@v1", name: "crop", images: IMAGE, predictions: BOXES },
      {
        type: "roboflow_core/dominant_color@v1",
        name: "color",
        ...{ image: "$steps.crop.crops", color_clusters: 2, max_iterations: 5, target_size: 20 },
      },
      {
        type: "PropertyDefinition",
        name: "names",
        data: BOXES,
        operations: [{ type: "DetectionsPropertyExtract", property_name: "class_name" }, { type: "SequenceLength" }],
      },
      {
        type: "roboflow_core/rate_limiter@v1",
        name: "limiter",
        ...{ cooldown_seconds: 0.5, depends_on: "$steps.names.output", next_steps: ["$steps.mosaic"] },
      },
      {
        type: "roboflow_core/pixelate_visualization@v1",
        name: "mosaic",
        ...{ image: IMAGE, predictions: BOXES, pixel_size: 8 },
      },
    ],
    ["$steps.color.rgb_color", "$steps.names.output", "$steps.mosaic.image"],
  ),
  specOf(
    [
      { type: "roboflow_core/convert_grayscale@v1", name: "grey", image: IMAGE },
      { type: "roboflow_core/image_blur@v1", name: "blur", image: "$steps.grey.image", kernel_size: 5 },
      {
        type: "roboflow_core/threshold@v1",
        name: "threshold",
        ...{ image: "$steps.blur.image", threshold_type: "binary", thresh_value: 100, max_value: 255 },
      },
      {
        type: "roboflow_core/contours_detection@v1",
        name: "contours",
        ...{ image: "$steps.threshold.image", line_thickness: 2 },
      },
      {
        type: "roboflow_core/absolute_static_crop@v1",
        name: "crop",
        ...{ images: IMAGE, x_center: 100, y_center: 80, width: 60, height: 40 },
      },
      {
        type: "roboflow_core/image_preprocessing@v1",
        name: "smaller",
        ...{ image: "$steps.crop.crops", task_type: "resize", width: 32, height: 24 },
      },
    ],
    ["$steps.contours.number_contours", "$steps.contours.image", "$steps.smaller.image"],
  ),
];

function specOf(steps: WorkflowSpec["steps"], selectors: readonly string[]): WorkflowSpec {
  const outputs = selectors.map((selector, at) => ({ type: "JsonField", name: `out${at}`, selector }));
  return { version: "1.0", inputs: [{ type: "WorkflowImage", name: "image" }], steps, outputs };
}

/** Values that go wrong in their own ways: empty, negative, huge, of another kind, and names of other steps. */
const ODD_VALUES = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom<Json>(0, -1, 0.5, 1e9, -1e9, 1e300, "", "NaN", null, [], {}, [[]], [[0, 0]], true),
  fc.constantFrom<Json>(IMAGE, BOXES, TRACKED, "$steps.model", "$steps.none.output", "$inputs.none"),
);

/** Numbers that fit the type of a property, and little else; not so large that a blur takes hours. */
const ODD_NUMBERS = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }),
  fc.double({ min: -2000, max: 2000, noNaN: true }),
  fc.constantFrom(0, -1, 1, 0.5, 2, 255),
);

/** A good workflow with one to three values changed. */
export const MUTATED_SPECS: fc.Arbitrary<WorkflowSpec> = mutatedSpecs(() => true, ODD_VALUES);

/** A good workflow with one to three numbers changed: most are let in, and fail or not when they run. */
export const MISCOUNTED_SPECS: fc.Arbitrary<WorkflowSpec> = mutatedSpecs(
  (value) => typeof value === "number",
  ODD_NUMBERS,
);

function mutatedSpecs(
  isChanged: (value: unknown) => boolean,
  values: fc.Arbitrary<unknown>,
): fc.Arbitrary<WorkflowSpec> {
  return fc.constantFrom(...GOOD_SPECS).chain((spec) => {
    const places = placesIn(spec).filter(({ value }) => isChanged(value));
    const change = fc.record({ place: fc.constantFrom(...places), value: values });
    return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
      const mutated = structuredClone(spec);
      for (const { place, value } of changes) put(mutated, place.path, value as Json);
      return mutated;
    });
  });
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

function placesIn(value: unknown, path: Place["path"] = []): Place[] {
  const here = path.length === 0 ? [] : [{ path, value }];
  if (typeof value !== "object" || value === null) return here;
  return [...here, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))];
}

/** A place that an earlier change has taken away stays away. */
function put(document: unknown, path: Place["path"], value: Json): void {
  let at = document as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    if (typeof next !== "object" || next === null) return;
    at = next as Record<string | number, unknown>;
  }
  at[path.at(-1)!] = value;
}
