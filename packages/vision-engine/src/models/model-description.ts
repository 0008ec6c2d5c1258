import { modelError } from "../errors.ts";
import type { PixelSize } from "../frames/frame.ts";
// JSON beside an ONNX file → what goes in, what comes out and what it means

/** What a model is for, in Roboflow's words. */
export const TASK_TYPES = [
  "object-detection",
  "instance-segmentation",
  "keypoint-detection",
  "classification",
  "multi-label-classification",
  "semantic-segmentation",
  "text-embedding",
  "ocr",
] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/**
 * How a picture is brought to the size of the graph. `letterbox` keeps its proportions and puts it in the middle,
 * `letterbox-corner` in the left top corner. `cover` keeps them too, and cuts off what stands out on two sides;
 * `center-crop` does not scale at all.
 */
export const RESIZE_MODES = [
  "stretch",
  "letterbox",
  "letterbox-corner",
  "letterbox-reflect-edges",
  "cover",
  "center-crop",
  "fit-longer-edge",
] as const;
export type ResizeMode = (typeof RESIZE_MODES)[number];

export const CONTRAST_KINDS = ["Adaptive Equalization", "Contrast Stretching", "Histogram Equalization"] as const;
export type ContrastKind = (typeof CONTRAST_KINDS)[number];

/** Part of a picture in percent of its sides. */
export interface StaticCrop {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What the graph wants to be fed with. */
export interface ModelInput extends PixelSize {
  readonly resize: ResizeMode;
  /** Grey level of the borders that letterboxing adds, 0 to 255. */
  readonly padding: number;
  readonly colors: "rgb" | "bgr";
  /** Pixels are divided by this first; 1 leaves 0 to 255. */
  readonly scale: number;
  /** Then `(value - mean) / std` per channel, in the order of `colors`. */
  readonly normalization?: { readonly mean: readonly number[]; readonly std: readonly number[] };
  /** Default `linear`, as OpenCV does; `antialiased` as Pillow does: smoother when made much smaller. */
  readonly filter?: "linear" | "antialiased";
  /** Other sizes that the graph takes: any, or multiples of a number. Default: none. */
  readonly otherSizes?: "any" | { readonly multipleOf: number };
  /** Before all else: only this part is looked at. */
  readonly crop?: StaticCrop;
  readonly grayscale?: boolean;
  readonly contrast?: ContrastKind;
}

/** One skeleton: the keypoints of a class, by their position. */
export interface KeypointClass {
  readonly classId: number;
  readonly names: readonly string[];
  /** Pairs of positions that are joined by a line. */
  readonly edges: readonly (readonly [number, number])[];
}

/** All that is needed to run an ONNX file: what goes in, what comes out and what it means. */
export interface ModelDescription {
  readonly id: string;
  readonly task: TaskType;
  /** How the output is read, as Roboflow names it: `yolov8`, `yolov5`, `yolox`, `rfdetr`, `dfine`, `resnet`, … */
  readonly architecture: string;
  readonly classNames: readonly string[];
  readonly input: ModelInput;
  /** The graph already suppresses overlapping boxes. Default false. */
  readonly fusedNms?: boolean;
  /** Of `yolov5`: the confidence is objectness × class score, as plain exports have it. Default: the class score alone. */
  readonly multiplyObjectness?: boolean;
  /** Of `yolox`: the boxes come out in pixels already. Default false. */
  readonly decoded?: boolean;
  /** Class columns of the graph that mean nothing, by position; `classNames` leaves them out. */
  readonly unusedClassIds?: readonly number[];
  /** Classification: how scores come from the output. Default `softmax`, multi-label `sigmoid`; `none` = they are scores already. */
  readonly scores?: "softmax" | "sigmoid" | "none";
  readonly keypoints?: readonly KeypointClass[];
  /** Boxes are suppressed and mapped as servers before `inference_models` did. Default false. */
  readonly legacy?: boolean;
  /** SPDX name, or what the source says. */
  readonly licence?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A description file of our own: the fields of `ModelDescription`, of which `task`, `architecture`, `classNames` and
 * the `width` and `height` of `input` must be there. `origin` is the file, for messages.
 * Throws `EngineError` kind `model`.
 */
export function parseModelDescription(value: unknown, origin: string): ModelDescription {
  const read = createFieldReader(origin);
  const fields = read.object(value, "the description");
  const input = read.object(fields.input, "input");
  const description: ModelDescription = {
    id: fields.id === undefined ? origin : read.text(fields.id, "id"),
    task: read.oneOf(fields.task, TASK_TYPES, "task"),
    architecture: read.text(fields.architecture, "architecture"),
    classNames: read.texts(fields.classNames, "classNames"),
    input: {
      width: read.size(input.width, "input.width"),
      height: read.size(input.height, "input.height"),
      resize: input.resize === undefined ? "stretch" : read.oneOf(input.resize, RESIZE_MODES, "input.resize"),
      padding: input.padding === undefined ? 114 : read.number(input.padding, "input.padding"),
      colors: input.colors === undefined ? "rgb" : read.oneOf(input.colors, ["rgb", "bgr"] as const, "input.colors"),
      scale: input.scale === undefined ? 255 : read.number(input.scale, "input.scale"),
      ...readNormalization(input.normalization, read),
    },
  };
  return { ...description, ...readOptions(fields, read) };
}

function readOptions(fields: Fields, read: FieldReader): Partial<ModelDescription> {
  const options: { -readonly [Name in keyof ModelDescription]?: ModelDescription[Name] } = {};
  for (const name of ["fusedNms", "multiplyObjectness", "decoded"] as const) {
    if (fields[name] !== undefined) options[name] = read.flag(fields[name], name);
  }
  if (fields.scores !== undefined)
    options.scores = read.oneOf(fields.scores, ["softmax", "sigmoid", "none"] as const, "scores");
  if (fields.keypoints !== undefined) options.keypoints = readKeypoints(fields.keypoints, read);
  if (fields.licence !== undefined) options.licence = read.text(fields.licence, "licence");
  return options;
}

function readNormalization(value: unknown, read: FieldReader): Pick<ModelInput, "normalization"> {
  if (value === undefined || value === null) return {};
  const { mean, std } = read.object(value, "input.normalization");
  return {
    normalization: {
      mean: read.triple(mean, "input.normalization.mean"),
      std: read.triple(std, "input.normalization.std"),
    },
  };
}

function readKeypoints(value: unknown, read: FieldReader): readonly KeypointClass[] {
  return read.list(value, "keypoints").map((item) => {
    const { classId, names, edges = [] } = read.object(item, "keypoints");
    return {
      classId: read.number(classId, "keypoints.classId"),
      names: read.texts(names, "keypoints.names"),
      edges: read.list(edges, "keypoints.edges").map((edge) => {
        const [from, to] = read.list(edge, "keypoints.edges");
        return [read.number(from, "keypoints.edges"), read.number(to, "keypoints.edges")] as const;
      }),
    };
  });
}

/** Reads fields of unknown JSON; each method throws a sentence with the name of the field and of the file. */
export interface FieldReader {
  object(value: unknown, name: string): Fields;
  list(value: unknown, name: string): readonly unknown[];
  text(value: unknown, name: string): string;
  texts(value: unknown, name: string): readonly string[];
  number(value: unknown, name: string): number;
  /** A whole number above 0. */
  size(value: unknown, name: string): number;
  /** Three numbers. */
  triple(value: unknown, name: string): readonly number[];
  flag(value: unknown, name: string): boolean;
  oneOf<T extends string>(value: unknown, allowed: readonly T[], name: string): T;
}

export function createFieldReader(origin: string): FieldReader {
  const refuse = (name: string, wanted: string, value: unknown): never => {
    const given = value === undefined ? "missing" : JSON.stringify(value)?.slice(0, 60);
    const message = `The model description ${origin} is wrong: "${name}" must be ${wanted}, and it is ${given}.`;
    throw modelError(message);
  };
  const isFields = (value: unknown): value is Fields =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
  const reader: FieldReader = {
    object: (value, name) => (isFields(value) ? value : refuse(name, "an object", value)),
    list: (value, name) => (Array.isArray(value) ? value : refuse(name, "a list", value)),
    text: (value, name) => (typeof value === "string" ? value : refuse(name, "a text", value)),
    texts: (value, name) => reader.list(value, name).map((item) => reader.text(item, name)),
    number: (value, name) => (isNumber(value) ? value : refuse(name, "a number", value)),
    size: (value, name) =>
      isNumber(value) && Number.isInteger(value) && value > 0 ? value : refuse(name, "a whole number above 0", value),
    triple(value, name) {
      const numbers = reader.list(value, name).map((item) => reader.number(item, name));
      return numbers.length === 3 ? numbers : refuse(name, "a list of three numbers", value);
    },
    flag: (value, name) => (typeof value === "boolean" ? value : refuse(name, "true or false", value)),
    oneOf(value, allowed, name) {
      const found = allowed.find((word) => word === value);
      return found ?? refuse(name, `one of ${allowed.join(", ")}`, value);
    },
  };
  return reader;
}
