// picture and boxes → picture with a label at each box
import { EngineError } from "../../errors.ts";
import type { Detections } from "../../frames/detections.ts";
import { anchorX, anchorY, boxArea, isAnchor } from "../../geometry/boxes.ts";
import type { Block, BlockOutputs } from "../block.ts";
import { detectionsOf, imageOf, numberOf, textOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { drawText } from "./draw-text.ts";
import { createPalette, toCssColor } from "./palette.ts";

export const labelVisualization: Block = {
  manifest: manifestOf("roboflow_core/label_visualization@v1"),
  description: "Writes the class, confidence, track number or size of each detection at its box.",
  phrase: (step) => `labels each with its ${String(step.properties.text).toLowerCase()}`,
  create: () => ({
    run(inputs): BlockOutputs {
      const detections = detectionsOf(inputs, "predictions");
      const colorOf = createPalette(inputs, detections);
      const labelOf = labelText(textOf(inputs, "text"));
      const anchor = textOf(inputs, "text_position");
      if (!isAnchor(anchor)) {
        throw new EngineError({ kind: "input", message: `"text_position" knows no "${anchor}".` });
      }
      const look = {
        color: toCssColor(textOf(inputs, "text_color")),
        scale: numberOf(inputs, "text_scale"),
        padding: numberOf(inputs, "text_padding"),
        borderRadius: numberOf(inputs, "border_radius"),
      };
      const image = imageOf(inputs, "image").withDrawing((context) => {
        for (let row = 0; row < detections.length; row++) {
          const x = anchorX(anchor, detections.xyxy, row);
          const y = anchorY(anchor, detections.xyxy, row);
          drawText(context, { ...look, text: labelOf(detections, row), x, y, anchor, background: colorOf(row) });
        }
      });
      return { image };
    },
  }),
};

function labelText(mode: string): (detections: Detections, row: number) => string {
  switch (mode) {
    case "Class":
      return ({ className }, row) => className[row]!;
    case "Confidence":
      return ({ confidence }, row) => confidence[row]!.toFixed(2);
    case "Class and Confidence":
      return ({ className, confidence }, row) => `${className[row]} ${confidence[row]!.toFixed(2)}`;
    case "Index":
      return (_, row) => String(row);
    case "Dimensions":
      return ({ xyxy }, row) => dimensionsOf(xyxy, row);
    case "Area":
      return ({ xyxy }, row) => String(Math.trunc(boxArea(xyxy, row)));
    case "Tracker Id":
      return ({ trackerId }, row) => (trackerId === undefined ? "No Tracker ID" : String(trackerId[row]));
    default:
      throw new EngineError({ kind: "input", message: `Labels of "${mode}" are not available in the direct backend.` });
  }
}

function dimensionsOf(xyxy: Float32Array, row: number): string {
  const [left, top, right, bottom] = xyxy.subarray(4 * row, 4 * row + 4);
  const center = `${Math.trunc((left! + right!) / 2)}, ${Math.trunc((top! + bottom!) / 2)}`;
  return `${center} ${Math.trunc(right! - left!)}x${Math.trunc(bottom! - top!)}`;
}
