// files of a Roboflow model package → model description

import { modelError } from "../errors.ts";
import {
  CONTRAST_KINDS,
  createFieldReader,
  type FieldReader,
  type KeypointClass,
  type ModelDescription,
  type ModelInput,
  RESIZE_MODES,
  TASK_TYPES,
  type TaskType,
} from "./model-description.ts";

/** The text files of a package by name: `model_config.json`, `inference_config.json`, `class_names.txt`, … */
export type PackageFiles = Readonly<Record<string, string>>;

/** What is done to a picture before it is resized. */
export type Adjustments = Pick<ModelInput, "crop" | "grayscale" | "contrast">;

type Fields = Readonly<Record<string, unknown>>;

/** Grey levels of Roboflow's older way to say how a picture is resized. */
const LEGACY_PADDINGS: Readonly<Record<string, number>> = {
  "Fit (black edges) in": 0,
  "Fit (white edges) in": 255,
  "Fit (grey edges) in": 114,
};

/**
 * Reads the package of a model as Roboflow hands it out: the current form (`model_config.json` and
 * `inference_config.json`) or that of older servers (`environment.json` and `model_type.json`). `id` is the model's.
 * Throws `EngineError` kind `model` that says which file and field is wrong.
 */
export function parseModelPackage(files: PackageFiles, id: string): ModelDescription {
  if (files["inference_config.json"] !== undefined) return parseCurrent(id, files);
  if (files["environment.json"] !== undefined) return parseLegacy(id, files);
  throw modelError(`The package of the model "${id}" has no inference_config.json. Fetch it again.`);
}

function parseCurrent(id: string, files: PackageFiles): ModelDescription {
  const read = createFieldReader(`inference_config.json of ${id}`);
  const readConfig = createFieldReader(`model_config.json of ${id}`);
  const model = readConfig.object(parseJson(id, files, "model_config.json"), "model_config.json");
  const config = read.object(parseJson(id, files, "inference_config.json"), "inference_config.json");
  const post = read.object(config.post_processing ?? {}, "post_processing");
  const fused = post.fused === true;
  const architecture = readConfig.text(model.model_architecture, "model_architecture");
  const task = readConfig.oneOf(model.task_type, TASK_TYPES, "task_type");
  const names = linesOf(files["class_names.txt"]);
  const unusedClassIds = unusedClasses(config.class_names_operations, names, read);
  return {
    id,
    task,
    architecture,
    classNames: names.filter((_, classId) => !unusedClassIds.includes(classId)),
    input: readInput(config, architecture, read),
    ...(post.type === "nms" ? { fusedNms: fused } : {}),
    ...(post.type === "softmax" || post.type === "sigmoid" ? { scores: fused ? ("none" as const) : post.type } : {}),
    ...(unusedClassIds.length > 0 ? { unusedClassIds } : {}),
    ...keypointsOf(id, files),
  };
}

function readInput(config: Fields, architecture: string, read: FieldReader): ModelInput {
  const network = read.object(config.network_input, "network_input");
  const before = read.object(config.image_pre_processing ?? {}, "image_pre_processing");
  if ((network.input_channels ?? 3) !== 3) throw modelError("Only models that take pictures of 3 channels run here.");
  const size = read.object(network.training_input_size, "network_input.training_input_size");
  const { normalization } = network;
  const [mean, std] = read.list(normalization ?? [], "network_input.normalization");
  return {
    width: read.size(size.width, "training_input_size.width"),
    height: read.size(size.height, "training_input_size.height"),
    resize: read.oneOf(network.resize_mode, RESIZE_MODES, "network_input.resize_mode"),
    padding: network.padding_value ? read.number(network.padding_value, "network_input.padding_value") : 0,
    colors: read.oneOf(network.color_mode, ["rgb", "bgr"] as const, "network_input.color_mode"),
    scale: network.scaling_factor ? read.number(network.scaling_factor, "network_input.scaling_factor") : 1,
    ...(mean === undefined
      ? {}
      : { normalization: { mean: read.triple(mean, "normalization"), std: read.triple(std, "normalization") } }),
    // RF-DETR was trained on pictures that Pillow made smaller.
    ...(architecture.startsWith("rfdetr") ? { filter: "antialiased" as const } : {}),
    ...otherSizesOf(network, read),
    ...adjustmentsOf(before, read),
  };
}

function otherSizesOf(network: Fields, read: FieldReader): Pick<ModelInput, "otherSizes"> {
  if (network.dynamic_spatial_size_supported !== true || !network.dynamic_spatial_size_mode) return {};
  const mode = read.object(network.dynamic_spatial_size_mode, "network_input.dynamic_spatial_size_mode");
  if (mode.type === "any-size") return { otherSizes: "any" };
  return { otherSizes: { multipleOf: read.size(mode.value, "dynamic_spatial_size_mode.value") } };
}

/** What is done to the picture before it is resized; both forms of package write it alike. */
export function adjustmentsOf(before: Fields, read: FieldReader): Adjustments {
  const enabled = (name: string): Fields | undefined => {
    const found = before[name] ?? before[name.replace("-", "_")];
    if (found === undefined || found === null) return undefined;
    const fields = read.object(found, name);
    return read.flag(fields.enabled, `${name}.enabled`) ? fields : undefined;
  };
  const crop = enabled("static-crop");
  const contrast = enabled("contrast");
  return {
    ...(crop && {
      crop: {
        left: read.number(crop.x_min, "static-crop.x_min"),
        top: read.number(crop.y_min, "static-crop.y_min"),
        right: read.number(crop.x_max, "static-crop.x_max"),
        bottom: read.number(crop.y_max, "static-crop.y_max"),
      },
    }),
    ...(enabled("grayscale") && { grayscale: true }),
    ...(contrast && { contrast: read.oneOf(contrast.type, CONTRAST_KINDS, "contrast.type") }),
  };
}

function unusedClasses(operations: unknown, names: readonly string[], read: FieldReader): readonly number[] {
  const removed = read
    .list(operations ?? [], "class_names_operations")
    .map((item) => read.object(item, "class_names_operations"))
    .filter(({ type }) => type === "class_name_removal")
    .map(({ class_name }) => class_name);
  return [...names.keys()].filter((classId) => removed.includes(names[classId]));
}

function keypointsOf(id: string, files: PackageFiles): { keypoints?: readonly KeypointClass[] } {
  if (files["keypoints_metadata.json"] === undefined) return {};
  const read = createFieldReader(`keypoints_metadata.json of ${id}`);
  const classes = read.list(parseJson(id, files, "keypoints_metadata.json"), "keypoints_metadata.json");
  return {
    keypoints: classes.map((item) => {
      const { object_class_id, keypoints, edges = [] } = read.object(item, "keypoints_metadata.json");
      const byPosition = Object.entries(read.object(keypoints, "keypoints")).sort(([a], [b]) => Number(a) - Number(b));
      return {
        classId: read.number(object_class_id, "object_class_id"),
        names: byPosition.map(([, name]) => read.text(name, "keypoints")),
        edges: read.list(edges, "edges").map((edge) => {
          const { from, to } = read.object(edge, "edges");
          return [read.number(from, "edges.from"), read.number(to, "edges.to")] as const;
        }),
      };
    }),
  };
}

/** Servers before `inference_models`: how the picture is prepared is JSON inside JSON. */
function parseLegacy(id: string, files: PackageFiles): ModelDescription {
  const read = createFieldReader(`environment.json of ${id}`);
  const environment = read.object(parseJson(id, files, "environment.json"), "environment.json");
  const type = read.object(parseJson(id, files, "model_type.json"), "model_type.json");
  const text = environment.PREPROCESSING;
  const before = read.object(typeof text === "string" ? JSON.parse(text) : text, "PREPROCESSING");
  const resize = read.object(before.resize, "PREPROCESSING.resize");
  const format = String(resize.format ?? "Stretch to");
  const architecture = read.text(type.model_type, "model_type");
  return {
    id,
    task: legacyTask(type.project_task_type, read),
    architecture: architecture.replace(/^(yolov\d+|yolo\d+|rfdetr|yolonas|vit|resnet).*$/, "$1"),
    classNames: linesOf(files["class_names.txt"]),
    legacy: true,
    input: {
      width: read.size(Number(resize.width), "PREPROCESSING.resize.width"),
      height: read.size(Number(resize.height), "PREPROCESSING.resize.height"),
      resize: LEGACY_PADDINGS[format] === undefined ? "stretch" : "letterbox",
      padding: LEGACY_PADDINGS[format] ?? 0,
      colors: "rgb",
      scale: 255,
      ...adjustmentsOf(before, read),
    },
  };
}

function legacyTask(value: unknown, read: FieldReader): TaskType {
  return value === "multi-label-classification" || value === "multilabel-classification"
    ? "multi-label-classification"
    : read.oneOf(value, TASK_TYPES, "project_task_type");
}

function parseJson(id: string, files: PackageFiles, name: string): unknown {
  const text = files[name];
  if (text === undefined) throw modelError(`The package of the model "${id}" has no ${name}. Fetch it again.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw modelError(`The file ${name} of the model "${id}" is not JSON. Fetch it again.`, cause);
  }
}

function linesOf(text = ""): readonly string[] {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines;
}
