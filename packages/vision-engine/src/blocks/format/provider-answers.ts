// answer of a provider's model → boxes with labels
import { inputError } from "../../errors.ts";
import { toFloat } from "../../query/python-values.ts";
import { isJsonObject, type JsonObject } from "./json-in-text.ts";
import { claudeUploadSize, openaiUploadSize, type Size } from "./upload-size.ts";
import { type Box, scaleBox } from "./vlm-boxes.ts";
import type { NamedBox } from "./vlm-detections.ts";

/** Throws a `ValueError` when the answer is not in the provider's form. */
export type AnswerReader = (payload: unknown, picture: Size) => readonly NamedBox[];

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
    const box: Box = [left / 1000, top / 1000, right / 1000, bottom / 1000];
    return stretch(box, picture);
  });

/** Boxes in per cent. */
export const readGrokAnswer: AnswerReader = (payload, picture) =>
  readStrictly(listIn(payload), (entry) => scaleBox(listedBox(entry), { width: 100, height: 100 }, picture));

/** Boxes in thousandths; entries without one are passed over, confidences not believed. */
export const readQwenAnswer: AnswerReader = (payload, picture) => {
  const isEntry = isJsonObject(payload) && ("box_2d" in payload || "bbox_2d" in payload);
  const list = isEntry && !Array.isArray(payload.detections) ? [payload] : listIn(payload);
  return readLeniently(list, picture, {
    box: ({ box_2d, bbox_2d }) => [box_2d, bbox_2d].find((box) => Array.isArray(box) && box.length === 4),
    label: ({ label, description, class_name, class: name }) =>
      String(label ?? description ?? class_name ?? name ?? "unknown"),
  });
};

/** The same with named sides. */
export const readMuseAnswer: AnswerReader = (payload, picture) => {
  const isEntry = isJsonObject(payload) && NAMED_FIELDS.every((field) => field in payload);
  const list = isEntry && !Array.isArray(payload.detections) ? [payload] : listIn(payload);
  return readLeniently(list, picture, {
    box: (entry) => NAMED_FIELDS.map((field) => entry[field]),
    label: ({ label }) => String(label || "unknown"),
  });
};

export function openaiBox(entry: JsonObject, picture: Size): Box {
  return scaleBox(listedBox(entry), openaiUploadSize(picture), picture);
}

function readUploaded(
  payload: unknown,
  picture: Size,
  toPixels: (entry: JsonObject, picture: Size) => Box,
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
function readStrictly(list: readonly unknown[], toPixels: (entry: JsonObject) => Box): readonly NamedBox[] {
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
  readonly box: (entry: JsonObject) => unknown;
  readonly label: (entry: JsonObject) => string;
}

function readLeniently(list: readonly unknown[], picture: Size, { box, label }: LenientReading): readonly NamedBox[] {
  return list.filter(isJsonObject).flatMap((entry): readonly NamedBox[] => {
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

function listedBox({ box_2d }: JsonObject): Box {
  const numbers = Array.isArray(box_2d) ? box_2d.map(toFloat) : [];
  if (isBox(numbers)) return numbers;
  throw inputError("An entry has no box_2d of four numbers.");
}

function sharesOf(entry: JsonObject, picture: Size): Box {
  const shares = NAMED_FIELDS.map((field) => entry[field]);
  if (isBox(shares)) return stretch(shares, picture);
  throw inputError("An entry lacks one of x_min, y_min, x_max and y_max.", "KeyError");
}

function stretch([left, top, right, bottom]: Box, { width, height }: Size): Box {
  return [left * width, top * height, right * width, bottom * height];
}

function isBox(values: unknown): values is Box {
  return Array.isArray(values) && values.length === 4 && values.every((value) => Number.isFinite(value));
}
