// answer of a language model → detections

import { createHash } from "node:crypto";
import { inputError } from "../../errors.ts";
import { type Columns, DetectionTable, emptyDetections, repeated } from "../../frames/detections.ts";
import type { PixelSize } from "../../frames/frame.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import type { BoxXyxy } from "../../geometry/boxes.ts";
import { polygonBounds, roundHalfEven } from "../../geometry/polygons.ts";
import { toFloat } from "../../query/python-values.ts";
import { fitToMaxEdge } from "../../query/root-coordinates.ts";
import { type Block, type BlockInputs, block, imageOf, textsOf } from "../block.ts";
import { noteOrigin } from "../detection-origin.ts";
import { extractJsonPayload, isJsonObject, type JsonObject, salvageBoxes } from "./json-parser.ts";

function vlmAsDetector(version: string, readers: Readonly<Record<string, AnswerReader>>): Block {
  return block({
    type: `roboflow_core/vlm_as_detector@${version}`,
    description: "Reads the boxes in the answer of a vision-language model.",
    phrase: "reads boxes out of the answer",
    run: (inputs, { newId }) => {
      const inferenceId = newId();
      const classes = textsOf(inputs, "classes");
      const predictions = readAnswer(inputs, readers, { image: imageOf(inputs, "image"), classes, inferenceId, newId });
      return { error_status: predictions === undefined, predictions: predictions ?? null, inference_id: inferenceId };
    },
  });
}

/** Absent when it cannot be read: an answer never stops a workflow. */
function readAnswer(
  { vlm_output: text, model_type, task_type }: BlockInputs,
  readers: Readonly<Record<string, AnswerReader>>,
  setting: Omit<VlmSetting, "classes"> & { readonly classes: readonly string[] | undefined },
): DetectionTable | undefined {
  const [model, task] = [String(model_type), String(task_type)];
  const salvaged = model === "muse" ? salvageBoxes(String(text)) : [];
  const payload = extractJsonPayload(text) ?? (salvaged.length > 0 ? salvaged : undefined);
  const { classes } = setting;
  const read = readers[model];
  try {
    if (payload === undefined) return undefined;
    if (model === "florence-2" && isFlorenceTask(task)) {
      return readFlorenceAnswer(payload, task, { ...setting, classes: classes ?? [] });
    }
    if (read === undefined || task !== "object-detection" || classes === undefined) return undefined;
    return toVlmDetections(read(payload, setting.image), { ...setting, classes });
  } catch {
    return undefined;
  }
}

/** Throws a `ValueError` when the answer is not in the provider's form. */
export type AnswerReader = (payload: unknown, picture: PixelSize) => readonly NamedBox[];

const NAMED_FIELDS = ["x_min", "y_min", "x_max", "y_max"];

/** Lists of boxes in pixels of the upload; older ones in shares of the picture. */
export const readOpenaiAnswer: AnswerReader = (payload, picture) => readUploaded(payload, picture, openaiBox);
export const readClaudeAnswer: AnswerReader = (payload, picture) =>
  readUploaded(payload, picture, (entry, size) => scaleBox(listedBox(entry), claudeUploadSize(size), size));

/** A bare list only. */
export const readOpenaiList: AnswerReader = (payload, picture) => {
  if (!Array.isArray(payload)) throw inputError("The answer must be a list of boxes.");
  return readStrictly(payload, (entry) => openaiBox(entry, picture));
};

/** Boxes as [y, x, y, x] in thousandths, or in shares of the picture. */
export const readGeminiAnswer: AnswerReader = (payload, picture) =>
  readStrictly(listIn(payload), (entry) => {
    if (!("box_2d" in entry)) return sharesOf(entry, picture);
    const [top, left, bottom, right] = listedBox(entry);
    const box: BoxXyxy = [left / 1000, top / 1000, right / 1000, bottom / 1000];
    return stretch(box, picture);
  });

/** Boxes in per cent. */
export const readGrokAnswer: AnswerReader = (payload, picture) =>
  readStrictly(listIn(payload), (entry) => scaleBox(listedBox(entry), { width: 100, height: 100 }, picture));

/** Boxes in thousandths; entries without one are passed over, confidences not believed. */
export const readQwenAnswer: AnswerReader = (payload, picture) =>
  readLeniently(payload, picture, {
    isEntry: (entry) => "box_2d" in entry || "bbox_2d" in entry,
    box: ({ box_2d, bbox_2d }) => [box_2d, bbox_2d].find((box) => Array.isArray(box) && box.length === 4),
    label: ({ label, description, class_name, class: name }) =>
      String(label ?? description ?? class_name ?? name ?? "unknown"),
  });

/** The same with named sides. */
export const readMuseAnswer: AnswerReader = (payload, picture) =>
  readLeniently(payload, picture, {
    isEntry: (entry) => NAMED_FIELDS.every((field) => field in entry),
    box: (entry) => NAMED_FIELDS.map((field) => entry[field]),
    label: ({ label }) => String(label || "unknown"),
  });

export function openaiBox(entry: JsonObject, picture: PixelSize): BoxXyxy {
  return scaleBox(listedBox(entry), openaiUploadSize(picture), picture);
}

function readUploaded(
  payload: unknown,
  picture: PixelSize,
  toPixels: (entry: JsonObject, picture: PixelSize) => BoxXyxy,
): readonly NamedBox[] {
  if (!isJsonObject(payload)) return readStrictly(listIn(payload), (entry) => toPixels(entry, picture));
  const entries = listIn(payload);
  const [first] = entries;
  if (isJsonObject(first) && "box_2d" in first) return readStrictly(entries, (entry) => toPixels(entry, picture));
  for (const entry of entries) {
    if (!isJsonObject(entry) || !("class_name" in entry)) throw inputError("An entry has no class_name.", "KeyError");
  }
  return readStrictly(entries, (entry) => sharesOf(entry, picture));
}

/** One entry that cannot be read spoils the answer. */
function readStrictly(list: readonly unknown[], toPixels: (entry: JsonObject) => BoxXyxy): readonly NamedBox[] {
  return list.map((entry) => {
    if (!isJsonObject(entry)) throw inputError("An entry of the answer is no object.");
    const { class_name, label, class: name, confidence = 1 } = entry;
    return {
      box: toPixels(entry),
      label: String(class_name ?? label ?? name ?? "unknown"),
      confidence: Math.min(Math.max(toFloat(confidence), 0), 1),
    };
  });
}

interface LenientReading {
  /** Whether an object alone is one entry. */
  readonly isEntry: (payload: JsonObject) => boolean;
  readonly box: (entry: JsonObject) => unknown;
  readonly label: (entry: JsonObject) => string;
}

function readLeniently(
  payload: unknown,
  picture: PixelSize,
  { isEntry, box, label }: LenientReading,
): readonly NamedBox[] {
  const isAlone = isJsonObject(payload) && isEntry(payload) && !Array.isArray(payload.detections);
  return (isAlone ? [payload] : listIn(payload)).filter(isJsonObject).flatMap((entry): readonly NamedBox[] => {
    const values = box(entry);
    if (!isBox(values)) return [];
    return [{ box: scaleBox(values, { width: 1000, height: 1000 }, picture), label: label(entry), confidence: 1 }];
  });
}

function listIn(payload: unknown): readonly unknown[] {
  const list = isJsonObject(payload) ? payload.detections : payload;
  if (Array.isArray(list)) return list;
  throw inputError('The answer must be a list of boxes, alone or under "detections".');
}

function listedBox({ box_2d }: JsonObject): BoxXyxy {
  const numbers = Array.isArray(box_2d) ? box_2d.map(toFloat) : [];
  if (isBox(numbers)) return numbers;
  throw inputError("An entry has no box_2d of four numbers.");
}

function sharesOf(entry: JsonObject, picture: PixelSize): BoxXyxy {
  const shares = NAMED_FIELDS.map((field) => entry[field]);
  if (isBox(shares)) return stretch(shares, picture);
  throw inputError("An entry lacks one of x_min, y_min, x_max and y_max.", "KeyError");
}

function stretch([left, top, right, bottom]: BoxXyxy, { width, height }: PixelSize): BoxXyxy {
  return [left * width, top * height, right * width, bottom * height];
}

function isBox(values: unknown): values is BoxXyxy {
  return Array.isArray(values) && values.length === 4 && values.every((value) => Number.isFinite(value));
}

/** How a task writes its boxes, and what their classes are. */
interface FlorenceTask {
  readonly boxes: string;
  readonly labels?: string;
  readonly classId: (label: string, classes: readonly string[]) => number;
}

const BY_NAME = (label: string): number =>
  Number.parseInt(createHash("md5").update(label).digest("hex").slice(0, 9), 16) % 10000;
const ALL_ONE = (): number => 0;

/** Task of the block → task of the model. */
const TASKS: Readonly<Record<string, FlorenceTask>> = {
  "object-detection": { boxes: "bboxes", labels: "labels", classId: BY_NAME },
  "phrase-grounded-object-detection": { boxes: "bboxes", labels: "labels", classId: BY_NAME },
  "object-detection-and-caption": { boxes: "bboxes", labels: "labels", classId: ALL_ONE },
  "open-vocabulary-object-detection": {
    boxes: "bboxes",
    labels: "bboxes_labels",
    classId: (label, classes) => classes.indexOf(label),
  },
  "region-proposal": { boxes: "bboxes", classId: ALL_ONE },
  "ocr-with-text-detection": { boxes: "quad_boxes", labels: "labels", classId: ALL_ONE },
};

export function isFlorenceTask(task: string): boolean {
  return Object.hasOwn(TASKS, task);
}

/** Throws a `ValueError` when the answer is not that of the task. */
export function readFlorenceAnswer(payload: unknown, taskName: string, setting: VlmSetting): DetectionTable {
  const task = TASKS[taskName]!;
  if (!isJsonObject(payload)) throw inputError("The answer of Florence 2 must be an object.");
  const corners = namedList(payload, task.boxes) as readonly (readonly number[])[];
  const labels =
    task.labels === undefined
      ? repeated("roi", corners.length)
      : (namedList(payload, task.labels) as readonly string[]);
  if (corners.length > 0 && labels.length !== corners.length) {
    throw inputError("The answer has another number of labels than of boxes.");
  }
  const boxes = corners.map((own, at) => ({
    box: polygonBounds(toPoints(own)).map(Math.fround),
    label: labels[at]!,
    confidence: 1,
    classId: task.classId(labels[at]!, setting.classes),
  }));
  return describedBoxes(boxes, setting, task.boxes === "quad_boxes" ? { xyxyxyxy: corners.map(toPoints) } : {});
}

function namedList(payload: JsonObject, name: string): readonly unknown[] {
  const list = payload[name];
  if (Array.isArray(list)) return list;
  throw inputError(`The answer of Florence 2 has no list "${name}".`);
}

function toPoints(corners: readonly number[]): readonly (readonly [number, number])[] {
  return Array.from({ length: corners.length / 2 }, (_, at) => [corners[2 * at]!, corners[2 * at + 1]!]);
}

/** What an answer is about. */
export interface VlmSetting {
  readonly image: ImageValue;
  /** Names whose places are the class ids; others get -1. */
  readonly classes: readonly string[];
  readonly inferenceId: string;
  readonly newId: () => string;
}

export interface NamedBox {
  readonly box: BoxXyxy;
  readonly label: string;
  readonly confidence: number;
}

/** Boxes in pixels of the picture, rounded to whole ones. */
export function toVlmDetections(boxes: readonly NamedBox[], setting: VlmSetting): DetectionTable {
  const described = boxes.map(({ box, label, confidence }) => ({
    box: box.map(roundHalfEven),
    label,
    confidence,
    classId: setting.classes.indexOf(label),
  }));
  return describedBoxes(described, setting);
}

function describedBoxes(
  boxes: readonly { box: readonly number[]; label: string; confidence: number; classId: number }[],
  { image, inferenceId, newId }: VlmSetting,
  columns: Columns = {},
): DetectionTable {
  if (boxes.length === 0) return noteOrigin(emptyDetections(), image, "object-detection");
  const detections = new DetectionTable({
    xyxy: Float64Array.from(boxes.flatMap(({ box }) => box)),
    confidence: Float64Array.from(boxes, ({ confidence }) => confidence),
    classId: Int32Array.from(boxes, ({ classId }) => classId),
    data: {
      class_name: boxes.map(({ label }) => label),
      detection_id: boxes.map(newId),
      inference_id: repeated(inferenceId, boxes.length),
      ...columns,
    },
  });
  return noteOrigin(detections, image, "object-detection");
}

/** Numbers are held within `from`, then stretched to `to`. */
export function scaleBox([left, top, right, bottom]: BoxXyxy, from: PixelSize, to: PixelSize): BoxXyxy {
  const x = (value: number) => within(value, from.width) * (to.width / from.width);
  const y = (value: number) => within(value, from.height) * (to.height / from.height);
  return [x(left), y(top), x(right), y(bottom)];
}

export function within(value: number, high: number): number {
  return Math.min(Math.max(value, 0), high);
}

const OPENAI_MAX_EDGE = 2048;
const CLAUDE_MAX_EDGE = 2576;
const CLAUDE_MAX_TILES = 4784;
const CLAUDE_TILE = 28;

export function openaiUploadSize({ width, height }: PixelSize): PixelSize {
  const [fitWidth, fitHeight] = fitToMaxEdge(width, height, OPENAI_MAX_EDGE);
  return { width: fitWidth, height: fitHeight };
}

/** The largest size with the same shape whose tiles Claude takes. */
export function claudeUploadSize({ width, height }: PixelSize): PixelSize {
  if (fitsClaude(width, height)) return { width, height };
  if (height > width) {
    const turned = claudeUploadSize({ width: height, height: width });
    return { width: turned.height, height: turned.width };
  }
  const heightFor = (candidate: number): number => Math.max(roundHalfEven(candidate / (width / height)), 1);
  let low = 1;
  let high = width;
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (fitsClaude(middle, heightFor(middle))) low = middle;
    else high = middle;
  }
  return { width: low, height: heightFor(low) };
}

function fitsClaude(width: number, height: number): boolean {
  const [across, down] = [Math.ceil(width / CLAUDE_TILE), Math.ceil(height / CLAUDE_TILE)];
  const longest = Math.max(across, down) * CLAUDE_TILE;
  return longest <= CLAUDE_MAX_EDGE && across * down <= CLAUDE_MAX_TILES;
}

export const vlmAsDetectorV1 = vlmAsDetector("v1", {
  "google-gemini": readGeminiAnswer,
  "anthropic-claude": readGeminiAnswer,
});
export const vlmAsDetectorV2 = vlmAsDetector("v2", {
  openai: readOpenaiAnswer,
  "google-gemini": readGeminiAnswer,
  "anthropic-claude": readClaudeAnswer,
  spacexai: readGrokAnswer,
  qwen: readQwenAnswer,
  muse: readMuseAnswer,
  zai: readQwenAnswer,
  "zai-flash": readQwenAnswer,
});
