// answers of language models as a server decodes them in its own blocks: nothing here runs it

import {
  extractJsonPayload,
  isJsonObject,
  type JsonObject,
  type JsonPayload,
  salvageBoxes,
} from "../../src/blocks/format/json-parser.ts";
import {
  type NamedBox,
  scaleBox,
  toVlmDetections,
  type VlmSetting,
  within,
} from "../../src/blocks/format/vlm-as-detector.ts";
import { inputError } from "../../src/errors.ts";
import type { DetectionTable } from "../../src/frames/detections.ts";
import type { PixelSize } from "../../src/frames/frame.ts";
import type { BoxXyxy } from "../../src/geometry/boxes.ts";

export interface AnswerFormat {
  /** Name of a `BoxFormat`. */
  readonly boxFormat: string;
  /** Size at which the picture was sent. */
  readonly upload?: PixelSize;
}

/** The detections in an answer; absent when it cannot be read, or when none of its boxes is of the format. */
export function decodeVlmDetections(
  answer: unknown,
  format: AnswerFormat,
  setting: VlmSetting,
): DetectionTable | undefined {
  if (typeof answer !== "string") return undefined;
  const payload = extractJsonPayload(answer) ?? salvaged(answer);
  try {
    return payload && toVlmDetections(readBoxes(payload, format, setting.image), setting);
  } catch {
    return undefined;
  }
}

function salvaged(answer: string): readonly JsonObject[] | undefined {
  const boxes = salvageBoxes(answer);
  return boxes.length > 0 ? boxes : undefined;
}

function readBoxes(payload: JsonPayload, { boxFormat, upload }: AnswerFormat, image: PixelSize): readonly NamedBox[] {
  const format = BOX_FORMATS[boxFormat];
  if (format === undefined) throw inputError(`There is no format of boxes "${boxFormat}".`);
  const entries = entriesOf(payload);
  const boxes = entries.flatMap((entry): readonly NamedBox[] => {
    const box = format.toPixels(entry, image, upload);
    if (box === undefined) return [];
    const confidence = format.readsConfidence ? readConfidence(entry) : 1;
    return [{ box: inOrder(box), label: readLabel(entry), confidence }];
  });
  if (entries.length > 0 && boxes.length === 0) throw inputError(`None of the boxes is written as ${boxFormat}.`);
  return boxes;
}

/** A list, a list under "detections", or a single entry. */
function entriesOf(payload: JsonPayload): readonly JsonObject[] {
  const list = isJsonObject(payload) ? payload.detections : payload;
  if (Array.isArray(list)) {
    const entries = list.filter(isJsonObject);
    if (list.length === 0 || entries.length > 0) return entries;
  }
  if (isJsonObject(payload) && isEntry(payload)) return [payload];
  throw inputError("The answer holds no detections.");
}

function isEntry(payload: JsonObject): boolean {
  return (
    "box_2d" in payload || "bbox_2d" in payload || ["x_min", "y_min", "x_max", "y_max"].every((name) => name in payload)
  );
}

function inOrder([left, top, right, bottom]: BoxXyxy): BoxXyxy {
  return [Math.min(left, right), Math.min(top, bottom), Math.max(left, right), Math.max(top, bottom)];
}

/** How a prompt asks for boxes. */
export interface BoxFormat {
  /** Absent when the entry has no such box. Throws when the size of the upload is needed and missing. */
  toPixels(entry: JsonObject, picture: PixelSize, upload?: PixelSize): BoxXyxy | undefined;
  /** Confidences that nobody asked for are not believed. */
  readonly readsConfidence: boolean;
}

const BOX_KEYS = ["box_2d", "bbox_2d"];

const NAMED_FIELDS = ["x_min", "y_min", "x_max", "y_max"];

const LABEL_KEYS = ["label", "class_name", "class", "description"];

export const BOX_FORMATS: Readonly<Record<string, BoxFormat>> = {
  xyxy_absolute: {
    readsConfidence: true,
    toPixels: (entry, picture, upload) => {
      if (!upload?.width || !upload.height)
        throw inputError("The size of the uploaded picture is needed for such boxes.");
      const box = readListedBox(entry);
      return box === undefined ? namedShares(entry, picture) : scaleBox(box, upload, picture);
    },
  },
  xyxy_0_1000: { readsConfidence: false, toPixels: onGrid(1000, readListedBox) },
  xyxy_0_999: { readsConfidence: false, toPixels: onGrid(999, readListedBox) },
  xyxy_percent: { readsConfidence: true, toPixels: onGrid(100, readListedBox) },
  yxyx_0_1000: {
    readsConfidence: true,
    toPixels: (entry, picture) => onGrid(1000, readSwappedBox)(entry, picture) ?? namedShares(entry, picture),
  },
  named_0_1000: { readsConfidence: false, toPixels: onGrid(1000, readNamedBox) },
  named_normalized: { readsConfidence: true, toPixels: onGrid(1, readNamedBox) },
};

/** First text that is not empty. */
export function readLabel(entry: JsonObject): string {
  const values = LABEL_KEYS.map((key) => entry[key] ?? "").map(String);
  return values.find((value) => value !== "") ?? "unknown";
}

/** Between 0 and 1; 1 when there is none. */
export function readConfidence({ confidence }: JsonObject): number {
  return within(readNumber(confidence) ?? 1, 1);
}

function onGrid(cells: number, read: (entry: JsonObject) => BoxXyxy | undefined): BoxFormat["toPixels"] {
  return (entry, picture) => {
    const box = read(entry);
    return box && scaleBox(box, { width: cells, height: cells }, picture);
  };
}

function namedShares(entry: JsonObject, picture: PixelSize): BoxXyxy | undefined {
  return onGrid(1, readNamedBox)(entry, picture);
}

function readListedBox(entry: JsonObject): BoxXyxy | undefined {
  for (const key of BOX_KEYS) {
    const values = entry[key];
    const box = Array.isArray(values) && values.length === 4 ? readBox(values) : undefined;
    if (box !== undefined) return box;
  }
  return undefined;
}

function readSwappedBox(entry: JsonObject): BoxXyxy | undefined {
  const box = readListedBox(entry);
  return box && [box[1], box[0], box[3], box[2]];
}

function readNamedBox(entry: JsonObject): BoxXyxy | undefined {
  return readBox(NAMED_FIELDS.map((field) => entry[field]));
}

function readBox(values: readonly unknown[]): BoxXyxy | undefined {
  const [left, top, right, bottom] = values.map(readNumber);
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined;
  return [left, top, right, bottom];
}

/** Texts of numbers count; true, false and what is not finite do not. */
function readNumber(value: unknown): number | undefined {
  const isText = typeof value === "string" && value.trim() !== "";
  const number = typeof value === "number" || isText ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
