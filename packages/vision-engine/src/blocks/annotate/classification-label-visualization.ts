// picture and its classes → picture with their names written on it
import { inputError } from "../../errors.ts";
import { Detections } from "../../frames/detections.ts";
import { anchorX, anchorY, type BoxAnchor } from "../../geometry/boxes.ts";
import type { Block, BlockInputs, BlockValue } from "../block.ts";
import { numberOf, textOf } from "../block-inputs.ts";
import { anchorOf } from "../count/zone-points.ts";
import { parseColor } from "./color.ts";
import { drawText, fontOf, fontSizeOf } from "./draw-text.ts";
import { drawingBlock } from "./drawing-block.ts";
import { createPalette } from "./palette.ts";

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
        const [x, y] = [Math.trunc(anchorX(anchor, xyxy, row)), Math.trunc(anchorY(anchor, xyxy, row))];
        drawText(context, { ...look, text, x, y, background: colorOf(row) });
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
function pseudoDetections(predicted: readonly Predicted[], xyxy: Float64Array): Detections {
  return new Detections({
    xyxy,
    classId: Int32Array.from(predicted, ({ class_id }) => class_id),
    trackerId: new Int32Array(predicted.length),
  });
}
