import { describe, expect, it } from "vitest";
import { parseModelDescription } from "./model-description.ts";
import { parseModelPackage } from "./model-package.ts";

const CONFIG = {
  network_input: {
    training_input_size: { height: 48, width: 64 },
    color_mode: "bgr",
    resize_mode: "letterbox",
    padding_value: 114,
    input_channels: 3,
    scaling_factor: 255,
    normalization: [
      [0.1, 0.2, 0.3],
      [1, 2, 3],
    ],
    dynamic_spatial_size_supported: true,
    dynamic_spatial_size_mode: { type: "pad-to-be-divisible", value: 32 },
  },
  image_pre_processing: {
    "static-crop": { enabled: true, x_min: 10, y_min: 20, x_max: 90, y_max: 80 },
    grayscale: { enabled: false },
  },
  post_processing: { type: "nms", fused: true },
  class_names_operations: [{ type: "class_name_removal", class_name: "background" }],
};

describe("parseModelPackage", () => {
  it("reads the form of today", () => {
    expect(parseModelPackage(filesOf({}), "shop/3")).toEqual({
      id: "shop/3",
      task: "object-detection",
      architecture: "rfdetr",
      classNames: ["cat", "dog"],
      unusedClassIds: [0],
      fusedNms: true,
      input: {
        width: 64,
        height: 48,
        resize: "letterbox",
        padding: 114,
        colors: "bgr",
        scale: 255,
        normalization: { mean: [0.1, 0.2, 0.3], std: [1, 2, 3] },
        filter: "antialiased",
        otherSizes: { multipleOf: 32 },
        crop: { left: 10, top: 20, right: 90, bottom: 80 },
      },
    });
  });

  it("reads the form of older servers", () => {
    const preprocessing = { resize: { enabled: true, width: 320, height: 240, format: "Fit (white edges) in" } };
    const files = {
      "environment.json": JSON.stringify({ PREPROCESSING: JSON.stringify(preprocessing) }),
      "model_type.json": JSON.stringify({ project_task_type: "object-detection", model_type: "yolov8n" }),
      "class_names.txt": "cat\ndog\n",
    };
    expect(parseModelPackage(files, "shop/1")).toMatchObject({
      architecture: "yolov8",
      classNames: ["cat", "dog"],
      legacy: true,
      input: { width: 320, height: 240, resize: "letterbox", padding: 255, scale: 255 },
    });
  });

  it("reads skeletons", () => {
    const skeleton = [{ object_class_id: 0, keypoints: { "1": "eye", "0": "nose" }, edges: [{ from: 0, to: 1 }] }];
    const files = filesOf({ "keypoints_metadata.json": JSON.stringify(skeleton) });
    expect(parseModelPackage(files, "pose/1").keypoints).toEqual([
      { classId: 0, names: ["nose", "eye"], edges: [[0, 1]] },
    ]);
  });

  it.each([
    [{ "inference_config.json": undefined }, 'The package of the model "shop/3" has no inference_config.json.'],
    [{ "model_config.json": "{" }, 'The file model_config.json of the model "shop/3" is not JSON.'],
    [
      {
        "inference_config.json": JSON.stringify({ network_input: { ...CONFIG.network_input, resize_mode: "squash" } }),
      },
      '"network_input.resize_mode" must be one of stretch, letterbox',
    ],
    [
      { "inference_config.json": JSON.stringify({ network_input: { ...CONFIG.network_input, input_channels: 1 } }) },
      "pictures of 3 channels",
    ],
  ])("says what is wrong: %j", (files, message) => {
    expect(() => parseModelPackage(filesOf(files), "shop/3")).toThrow(message);
  });
});

describe("parseModelDescription", () => {
  const least = {
    task: "object-detection",
    architecture: "yolov8",
    classNames: ["a"],
    input: { width: 640, height: 640 },
  };

  it("fills in what most exports have", () => {
    expect(parseModelDescription(least, "mine.json")).toEqual({
      ...least,
      id: "mine.json",
      input: { width: 640, height: 640, resize: "stretch", padding: 114, colors: "rgb", scale: 255 },
    });
  });

  it.each([
    [{ ...least, task: "detection" }, '"task" must be one of object-detection'],
    [{ ...least, input: { width: 0, height: 640 } }, '"input.width" must be a whole number above 0, and it is 0.'],
    [{ ...least, classNames: "person" }, '"classNames" must be a list, and it is "person".'],
    [{ ...least, architecture: undefined }, '"architecture" must be a text, and it is missing.'],
    [[], '"the description" must be an object'],
  ])("says what is wrong: %j", (value, message) => {
    expect(() => parseModelDescription(value, "mine.json")).toThrow(message);
  });
});

function filesOf(changes: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const files: Record<string, string | undefined> = {
    "model_config.json": JSON.stringify({ model_architecture: "rfdetr", task_type: "object-detection" }),
    "inference_config.json": JSON.stringify(CONFIG),
    "class_names.txt": "background\ncat\ndog\n",
    ...changes,
  };
  return Object.fromEntries(Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
