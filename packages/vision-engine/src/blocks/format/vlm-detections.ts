// boxes that a language model named → detections

import { inputError } from "../../errors.ts";
import { Detections, emptyDetections, repeated, withColumns } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import { noteOrigin } from "../note-origin.ts";
import { extractJsonPayload, isJsonObject, type JsonObject, type JsonPayload, salvageBoxes } from "./json-in-text.ts";
import type { Size } from "./upload-size.ts";
import { BOX_FORMATS, type Box, readConfidence, readLabel } from "./vlm-boxes.ts";

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
