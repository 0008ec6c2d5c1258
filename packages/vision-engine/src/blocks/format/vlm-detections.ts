// boxes that a language model named → detections
import { inputError } from "../../errors.ts";
import { Detections, emptyDetections, repeated, withColumns } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import { fitToMaxEdge } from "../../query/root-coordinates.ts";
import { noteOrigin } from "../detection-origin.ts";
import { extractJsonPayload, isJsonObject, type JsonObject, type JsonPayload, salvageBoxes } from "./json-parser.ts";

/** What an answer is about. */
export interface VlmSetting {
  readonly image: ImageValue;
  /** Names whose places are the class ids; others get -1. */
  readonly classes: readonly string[];
  readonly inferenceId: string;
  readonly newId: () => string;
}

export interface NamedBox {
  readonly box: Box;
  readonly label: string;
  readonly confidence: number;
}

/** Boxes in pixels of the picture, rounded to whole ones. */
export function toVlmDetections(boxes: readonly NamedBox[], setting: VlmSetting): Detections {
  const { image, classes, inferenceId, newId } = setting;
  if (boxes.length === 0) return noteOrigin(emptyDetections(), image, "object-detection");
  const detections = new Detections({
    xyxy: Float64Array.from(boxes.flatMap(({ box }) => box.map(roundHalfEven))),
    confidence: Float64Array.from(boxes, ({ confidence }) => confidence),
    classId: Int32Array.from(boxes, ({ label }) => classes.indexOf(label)),
  });
  const named = withColumns(detections, {
    class_name: boxes.map(({ label }) => label),
    detection_id: boxes.map(newId),
    inference_id: repeated(inferenceId, boxes.length),
  });
  return noteOrigin(named, image, "object-detection");
}

export interface AnswerFormat {
  /** Name of a `BoxFormat`. */
  readonly boxFormat: string;
  /** Size at which the picture was sent. */
  readonly upload?: Size;
}

/** The detections in an answer; absent when it cannot be read, or when none of its boxes is of the format. */
export function decodeVlmDetections(
  answer: unknown,
  format: AnswerFormat,
  setting: VlmSetting,
): Detections | undefined {
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

function readBoxes(payload: JsonPayload, { boxFormat, upload }: AnswerFormat, image: Size): readonly NamedBox[] {
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

function inOrder([left, top, right, bottom]: Box): Box {
  return [Math.min(left, right), Math.min(top, bottom), Math.max(left, right), Math.max(top, bottom)];
}

export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** How a prompt asks for boxes. */
export interface BoxFormat {
  /** Absent when the entry has no such box. Throws when the size of the upload is needed and missing. */
  toPixels(entry: JsonObject, picture: Size, upload?: Size): Box | undefined;
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

/** Numbers are held within `from`, then stretched to `to`. */
export function scaleBox([left, top, right, bottom]: Box, from: Size, to: Size): Box {
  const x = (value: number) => within(value, from.width) * (to.width / from.width);
  const y = (value: number) => within(value, from.height) * (to.height / from.height);
  return [x(left), y(top), x(right), y(bottom)];
}

/** First text that is not empty. */
export function readLabel(entry: JsonObject): string {
  const values = LABEL_KEYS.map((key) => entry[key] ?? "").map(String);
  return values.find((value) => value !== "") ?? "unknown";
}

/** Between 0 and 1; 1 when there is none. */
export function readConfidence({ confidence }: JsonObject): number {
  return within(readNumber(confidence) ?? 1, 1);
}

function onGrid(cells: number, read: (entry: JsonObject) => Box | undefined): BoxFormat["toPixels"] {
  return (entry, picture) => {
    const box = read(entry);
    return box && scaleBox(box, { width: cells, height: cells }, picture);
  };
}

function namedShares(entry: JsonObject, picture: Size): Box | undefined {
  return onGrid(1, readNamedBox)(entry, picture);
}

function readListedBox(entry: JsonObject): Box | undefined {
  for (const key of BOX_KEYS) {
    const values = entry[key];
    const box = Array.isArray(values) && values.length === 4 ? readBox(values) : undefined;
    if (box !== undefined) return box;
  }
  return undefined;
}

function readSwappedBox(entry: JsonObject): Box | undefined {
  const box = readListedBox(entry);
  return box && [box[1], box[0], box[3], box[2]];
}

function readNamedBox(entry: JsonObject): Box | undefined {
  return readBox(NAMED_FIELDS.map((field) => entry[field]));
}

function readBox(values: readonly unknown[]): Box | undefined {
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

function within(value: number, high: number): number {
  return Math.min(Math.max(value, 0), high);
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const OPENAI_MAX_EDGE = 2048;
const CLAUDE_MAX_EDGE = 2576;
const CLAUDE_MAX_TILES = 4784;
const CLAUDE_TILE = 28;

export function openaiUploadSize({ width, height }: Size): Size {
  const [fitWidth, fitHeight] = fitToMaxEdge(width, height, OPENAI_MAX_EDGE);
  return { width: fitWidth, height: fitHeight };
}

/** The largest size with the same shape whose tiles Claude takes. */
export function claudeUploadSize({ width, height }: Size): Size {
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
