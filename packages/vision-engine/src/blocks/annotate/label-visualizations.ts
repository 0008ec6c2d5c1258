// picture and detections → picture with a label at each
import type { SKRSContext2D } from "@napi-rs/canvas";
import type { FontName } from "../../frames/font.ts";
import type { Block, StepText } from "../block.ts";
import { numberOf, numberOr, textOf } from "../block-inputs.ts";
import { parseColor } from "./color.ts";
import { drawText, fontOf, fontSizeOf, type TextLook, wrapText } from "./draw-text.ts";
import { type ColoredDetections, coloredDrawingBlock } from "./drawing-block.ts";
import { fontSizeFor, labelsOf, textScaleFor } from "./label-text.ts";
import { pointsAt, positionOf } from "./position.ts";

export const labelVisualizationV1 = labelVisualization("v1");
export const labelVisualizationV2 = labelVisualization("v2");

function labelVisualization(version: string): Block {
  return coloredDrawingBlock({
    type: `label_visualization@${version}`,
    description: "Writes the class, confidence, track number, time in zone or size of each detection at its box.",
    phrase: labelPhrase,
    prepare: (colored) => {
      const { inputs, image } = colored;
      const { width, height } = image;
      const automatic = inputs.text_size_mode === "Automatic";
      const scale = textScaleFor({ width, height, manual: numberOf(inputs, "text_scale"), automatic });
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
    const { inputs, image } = colored;
    const { width, height } = image;
    const automatic = inputs.text_size_mode === "Automatic";
    const fontSize = fontSizeFor({ width, height, manual: numberOf(inputs, "font_size"), automatic });
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
