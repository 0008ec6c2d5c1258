// what the person of the scenarios has at Roboflow, and a picture to look at
import type { WorkflowSpec } from "@vision-agent/protocol";
import { colorModel, writeOnnx } from "@vision-agent/vision-engine/testing";
import sharp from "sharp";
import { boxesStep, detectionStep, IMAGE_INPUT } from "../backends/detection-workflow.ts";
import type { LoopbackModel, RoboflowLoopbackOptions } from "./roboflow-loopback.ts";

export const HARD_HAT_MODEL = "my-ws/hard-hat/3";

/** In the order of the colours that the model measures. */
export const HARD_HAT_CLASSES = ["hard-hat", "vest", "no-hard-hat"] as const;

/** A real graph, small: one box above the middle; how red a picture is, so sure is the model of a hard hat. */
const HARD_HAT: LoopbackModel = {
  architecture: "yolov8",
  task: "object-detection",
  files: {
    "weights.onnx": writeOnnx(colorModel()),
    "class_names.txt": Buffer.from(`${HARD_HAT_CLASSES.join("\n")}\n`),
    "inference_config.json": Buffer.from(
      JSON.stringify({
        network_input: {
          training_input_size: { width: 32, height: 32 },
          color_mode: "rgb",
          resize_mode: "stretch",
          input_channels: 3,
          scaling_factor: 255,
        },
        post_processing: { type: "nms", fused: false },
      }),
    ),
  },
};

/** Where the model's box lies: left, top, right, bottom as fractions of the picture. */
export const HARD_HAT_BOX = [0.25, 0.125, 0.75, 0.375] as const;

/** Finds and follows hard hats, and counts them. */
export const PPE_CHECK: WorkflowSpec = {
  version: "1.0",
  inputs: [IMAGE_INPUT],
  steps: [
    detectionStep({ modelId: HARD_HAT_MODEL, confidence: 0.05 }),
    {
      type: "roboflow_core/property_definition@v1",
      name: "count",
      data: "$steps.detection.predictions",
      operations: [{ type: "SequenceLength" }],
    },
    boxesStep("$steps.detection.predictions"),
  ],
  outputs: [
    { type: "JsonField", name: "workers", selector: "$steps.detection.predictions" },
    { type: "JsonField", name: "count", selector: "$steps.count.output" },
    { type: "JsonField", name: "annotated", selector: "$steps.boxes.image" },
  ],
};

/** The same detection, without drawing. */
const INVENTORY_COUNT: WorkflowSpec = {
  ...PPE_CHECK,
  steps: PPE_CHECK.steps.slice(0, 2),
  outputs: PPE_CHECK.outputs.slice(0, 2),
};

export const ACME: RoboflowLoopbackOptions = {
  models: { [HARD_HAT_MODEL]: HARD_HAT },
  workflows: { "acme/ppe-check": PPE_CHECK, "acme/inventory-count": INVENTORY_COUNT },
};

/** Red all over, 128 × 96. */
export function redPicture(): Promise<Buffer> {
  const background = { r: 250, g: 20, b: 10 };
  return sharp({ create: { width: 128, height: 96, channels: 3, background } })
    .jpeg()
    .toBuffer();
}
