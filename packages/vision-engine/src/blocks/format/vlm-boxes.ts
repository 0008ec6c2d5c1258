// box as a language model writes it → pixels of the picture
import { inputError } from "../../errors.ts";
import type { JsonObject } from "./json-in-text.ts";
import type { Size } from "./upload-size.ts";

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
