// picture and detections → picture with a label at each

import type { SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import { type ColumnValue, classNamesOf, DetectionTable } from "../../frames/detections.ts";
import type { FontName } from "../../frames/font.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { anchorPoint, type BoxAnchor, boxAt } from "../../geometry/boxes.ts";
import { areaOf } from "../../geometry/overlap.ts";
import { numberText, toText } from "../../query/python-text.ts";
import { roundTo } from "../../query/python-values.ts";
import { type Block, type BlockInputs, type BlockValue, numberOf, numberOr, type StepText, textOf } from "../block.ts";
import { anchorOf } from "../count/zones.ts";
import { createPalette, parseColor } from "./color.ts";
import { type ColoredDetections, coloredDrawingBlock, drawingBlock, pointsAt, positionOf } from "./drawing-block.ts";
import { drawText, fontOf, fontSizeOf, type TextLook, wrapText } from "./text.ts";

export const labelVisualizationV1 = labelVisualization("v1");
export const labelVisualizationV2 = labelVisualization("v2");

function labelVisualization(version: string): Block {
  return coloredDrawingBlock({
    type: `label_visualization@${version}`,
    description: "Writes the class, confidence, track number, time in zone or size of each detection at its box.",
    phrase: labelPhrase,
    prepare: (colored) => {
      const { inputs } = colored;
      const scale = textScaleFor(sizingOf(colored, "text_scale"));
      const font = fontOf(numberOf(inputs, "text_thickness"));
      return writeLabels(colored, { font, fontSize: fontSizeOf(scale) });
    },
  });
}

export const richLabelVisualization: Block = coloredDrawingBlock({
  type: "rich_label_visualization@v1",
  description: "Writes a label at each detection, in a font of a given size, broken into lines where it is long.",
  phrase: labelPhrase,
  prepare: (colored) => {
    const { inputs } = colored;
    const fontSize = fontSizeFor(sizingOf(colored, "font_size"));
    const mostLetters = numberOr(inputs, "max_line_length", Number.POSITIVE_INFINITY);
    return writeLabels(colored, { font: fontNamed(textOf(inputs, "font_family")), fontSize }, mostLetters);
  },
});

function labelPhrase(step: StepText): string {
  return `labels each with its ${String(step.properties.text).toLowerCase()}`;
}

function writeLabels(
  { detections, colorOf, inputs }: ColoredDetections,
  fontLook: Pick<TextLook, "font" | "fontSize">,
  mostLetters = Number.POSITIVE_INFINITY,
) {
  if (detections.length === 0) return undefined;
  const labels = labelsOf(detections, textOf(inputs, "text"));
  const position = positionOf(inputs, "text_position");
  const points = pointsAt(detections, position);
  const anchor = position === "CENTER_OF_MASS" ? "CENTER" : position;
  const look = {
    ...fontLook,
    color: parseColor(textOf(inputs, "text_color")),
    padding: numberOf(inputs, "text_padding"),
    borderRadius: numberOf(inputs, "border_radius"),
  };
  return (context: SKRSContext2D): void => {
    for (const [row, label] of labels.entries()) {
      const text = Number.isFinite(mostLetters) ? wrapText(label, mostLetters) : label;
      const [x, y] = points[row]!;
      drawText(context, { ...look, text, x: Math.trunc(x), y: Math.trunc(y), anchor, background: colorOf(row) });
    }
  };
}

/** Of the fonts that the step may name we have one of each kind. */
function fontNamed(family: string): FontName {
  return /mono|code|courier|inconsolata|anonymous/i.test(family) ? "Vision Mono Bold" : "Vision Sans";
}

type LabelOf = (detections: DetectionTable, row: number) => string;

const LABELS: Readonly<Record<string, LabelOf>> = {
  Class: (detections, row) => classNamesOf(detections)[row]!,
  Confidence: confidenceOf,
  "Class and Confidence": (detections, row) => {
    const confidence = confidenceOf(detections, row);
    return detections.data.class_name === undefined ? confidence : `${classNamesOf(detections)[row]} ${confidence}`;
  },
  Index: (_, row) => String(row),
  Dimensions: dimensionsOf,
  Area: (detections, row) => String(Math.trunc(areaOf(detections, row))),
  "Area (mask)": ({ data }, row) => `Area (mask): ${twoDigits(data.area_px?.[row])}`,
  "Area (converted)": ({ data }, row) => `Area (conv): ${twoDigits(data.area_converted?.[row])}`,
  "Tracker Id": ({ trackerId }, row) => (trackerId === undefined ? "No Tracker ID" : String(trackerId[row])),
  "Time In Zone": ({ data }, row) => {
    const seconds = Number(data.time_in_zone?.[row] ?? 0);
    return seconds === 0 ? "In zone: N/A" : `In zone: ${numberText(roundTo(seconds, 2), "float")}s`;
  },
};

/** One text a row, by the wanted kind: `Class and Confidence`, …, or the name of a column. */
export function labelsOf(detections: DetectionTable, kind: string): readonly string[] {
  const labelOf = LABELS[kind] ?? columnLabel(detections, kind);
  return Array.from({ length: detections.length }, (_, row) => labelOf(detections, row));
}

function columnLabel({ data }: DetectionTable, name: string): LabelOf {
  const column = data[name];
  if (column === undefined) {
    throw inputError(
      `"text" knows no "${name}": take ${Object.keys(LABELS).join(", ")} or a column of the detections.`,
    );
  }
  return (_, row) => (isEmpty(column[row]!) ? "" : toText(column[row]));
}

function isEmpty(value: ColumnValue): boolean {
  return value === null || value === "" || value === 0 || value === false;
}

function confidenceOf({ confidence }: DetectionTable, row: number): string {
  if (confidence === undefined) throw inputError("The detections have no confidence to write.");
  return confidence[row]!.toFixed(2);
}

function dimensionsOf({ xyxy }: DetectionTable, row: number): string {
  const [left, top, right, bottom] = boxAt(xyxy, row);
  const centre = `${Math.trunc((left + right) / 2)}, ${Math.trunc((top + bottom) / 2)}`;
  return `${centre} ${Math.trunc(right - left)}x${Math.trunc(bottom - top)}`;
}

function twoDigits(value: ColumnValue | undefined): string {
  return typeof value === "number" ? value.toFixed(2) : "N/A";
}

/** Shorter side of the picture for which sizes are meant. */
const REFERENCE_SIDE = 1080;
const REFERENCE_SCALE = 0.7;

interface TextSizing extends PixelSize {
  /** What the step says. */
  readonly manual: number;
  /** Whether the size follows that of the picture. */
  readonly automatic: boolean;
}

function sizingOf({ image, inputs }: ColoredDetections, property: string): TextSizing {
  const { width, height } = image;
  return { width, height, manual: numberOf(inputs, property), automatic: inputs.text_size_mode === "Automatic" };
}

/** Scale of the text for a picture. */
export function textScaleFor({ width, height, manual, automatic }: TextSizing): number {
  if (!automatic) return manual;
  const scale = REFERENCE_SCALE * (Math.min(width, height) / REFERENCE_SIDE) * (manual / REFERENCE_SCALE);
  return Math.min(5, Math.max(0.3, scale));
}

/** Height of the font for a picture, in pixels. */
export function fontSizeFor({ width, height, manual, automatic }: TextSizing): number {
  if (!automatic) return manual;
  return Math.min(128, Math.max(8, Math.round((manual * Math.min(width, height)) / REFERENCE_SIDE)));
}

interface Predicted {
  readonly class: string;
  readonly class_id: number;
  readonly confidence: number;
}

/** The answer of a classifier: a list of classes, or entries by class with the names of those that hold. */
interface Classification {
  readonly image: { readonly width: number; readonly height: number };
  readonly predictions: readonly Predicted[] | Readonly<Record<string, Omit<Predicted, "class">>>;
  readonly predicted_classes?: readonly string[];
}

export const classificationLabelVisualization: Block = drawingBlock({
  type: "classification_label_visualization@v1",
  description: "Writes the class of the whole picture on it, or all its classes.",
  phrase: "writes the class of the picture",
  prepare: (inputs) => {
    const answer = classificationOf(inputs.predictions);
    const shown = classesToShow(answer);
    if (shown.length === 0) return undefined;
    const anchor = anchorOf(inputs, "text_position");
    const ordered = anchor.startsWith("BOTTOM") ? shown.toReversed() : shown;
    const labels = ordered.map((predicted) => labelOf(predicted, textOf(inputs, "text")));
    const xyxy = boxesFor(labels, anchor, inputs, answer.image);
    const colorOf = createPalette(inputs, pseudoDetections(ordered, xyxy));
    const look = {
      color: parseColor(textOf(inputs, "text_color")),
      fontSize: fontSizeOf(numberOf(inputs, "text_scale")),
      font: fontOf(numberOf(inputs, "text_thickness")),
      padding: numberOf(inputs, "text_padding"),
      borderRadius: numberOf(inputs, "border_radius"),
      anchor,
    };
    return (context) => {
      for (const [row, text] of labels.entries()) {
        const [x, y] = anchorPoint(xyxy, anchor, row);
        drawText(context, { ...look, text, x: Math.trunc(x), y: Math.trunc(y), background: colorOf(row) });
      }
    };
  },
});

function classificationOf(value: BlockValue | undefined): Classification {
  const answer = value as Partial<Classification> | null | undefined;
  if (typeof answer?.predictions === "object" && answer.image !== undefined) return answer as Classification;
  throw inputError(`"predictions" must be the answer of a classification model.`);
}

/** The surest class of a single-label answer; all that hold of a multi-label one, the surest first. */
function classesToShow({ predictions, predicted_classes = [] }: Classification): readonly Predicted[] {
  const bySureness = (list: readonly Predicted[]) => list.toSorted((one, other) => other.confidence - one.confidence);
  if (Array.isArray(predictions)) return bySureness(predictions).slice(0, 1);
  const entries = predictions as Readonly<Record<string, Omit<Predicted, "class">>>;
  return bySureness(predicted_classes.map((name) => ({ class: name, ...entries[name]! })));
}

function labelOf({ class: name, confidence }: Predicted, kind: string): string {
  if (kind === "Class") return name;
  if (kind === "Confidence") return confidence.toFixed(2);
  if (kind === "Class and Confidence") return `${name} ${confidence.toFixed(2)}`;
  throw inputError(`"text" knows no "${kind}": take Class, Confidence or Class and Confidence.`);
}

/** Boxes whose anchors are where the labels go: stacked from the top, the bottom or around the middle. */
function boxesFor(
  labels: readonly string[],
  anchor: BoxAnchor,
  inputs: BlockInputs,
  { width, height }: Classification["image"],
): Float64Array {
  const scale = numberOf(inputs, "text_scale");
  const padding = numberOf(inputs, "text_padding");
  const spacing = 20 * scale + 2 * padding + 2 * numberOf(inputs, "text_thickness") + 5;
  if (anchor.startsWith("TOP")) return boxes(labels, (at) => [0, spacing * (at + 1), width, height]);
  if (anchor.startsWith("BOTTOM")) return boxes(labels, (at) => [0, 0, width, height - spacing * (at + 1)]);
  const start = Math.max(0, (height - spacing * labels.length) / 2);
  const longest = Math.max(...labels.map(({ length }) => length));
  const inset = longest * 15 * scale + 2 * padding + 20 + 3 * Math.max(0, 10 - padding);
  const left = anchor === "CENTER_LEFT" ? inset : 0;
  const right = anchor === "CENTER_RIGHT" ? width - inset : width;
  return boxes(labels, (at) => [left, start + at * spacing, right, start + (at + 1) * spacing]);
}

function boxes(labels: readonly string[], boxOf: (at: number) => readonly number[]): Float64Array {
  return Float64Array.from(labels.flatMap((_, at) => boxOf(at)));
}

/** The palette colours detections; all labels belong to one track. */
function pseudoDetections(predicted: readonly Predicted[], xyxy: Float64Array): DetectionTable {
  return new DetectionTable({
    xyxy,
    classId: Int32Array.from(predicted, ({ class_id }) => class_id),
    trackerId: new Int32Array(predicted.length),
  });
}
