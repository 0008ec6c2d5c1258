// picture and icon → picture with the icon at a place or at each detection
import { Detections } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import type { Point } from "../../geometry/points.ts";
import type { Block, BlockInputs } from "../block.ts";
import { imageOf, numberOf, numberOr } from "../block-inputs.ts";
import { canvasOf } from "./canvas-pixels.ts";
import { drawingBlock } from "./drawing-block.ts";
import { pointsAt, positionOf } from "./position.ts";

export const iconVisualization: Block = drawingBlock({
  type: "icon_visualization@v1",
  description: "Places a small picture at a fixed spot, or at each detection.",
  phrase: "places an icon",
  prepare: (inputs, image) => {
    const icon = imageOf(inputs, "icon");
    const [width, height] = [numberOf(inputs, "icon_width"), numberOf(inputs, "icon_height")];
    const corners =
      inputs.mode === "static" ? [fixedCorner(inputs, image)] : cornersAtDetections(inputs, width, height);
    if (corners.length === 0) return undefined;
    // Scaled to fit, in the middle of the space it is given.
    const scale = Math.min(width / icon.width, height / icon.height);
    const [wide, high] = [Math.trunc(icon.width * scale), Math.trunc(icon.height * scale)];
    const [insetX, insetY] = [Math.trunc((width - wide) / 2), Math.trunc((height - high) / 2)];
    return (context) => {
      const drawable = canvasOf(icon.rgba, icon.width, icon.height);
      for (const [x, y] of corners) context.drawImage(drawable, x + insetX, y + insetY, wide, high);
    };
  },
});

/** Counted from the right and the bottom when negative. */
function fixedCorner(inputs: BlockInputs, image: ImageValue): Point {
  const [x, y] = [numberOr(inputs, "x_position", 10), numberOr(inputs, "y_position", 10)];
  return [
    x < 0 ? image.width + x - numberOf(inputs, "icon_width") : x,
    y < 0 ? image.height + y - numberOf(inputs, "icon_height") : y,
  ];
}

function cornersAtDetections(inputs: BlockInputs, width: number, height: number): readonly Point[] {
  const { predictions, position } = inputs;
  if (!(predictions instanceof Detections) || (position ?? null) === null) return [];
  return pointsAt(predictions, positionOf(inputs, "position")).map(([x, y]) => [
    Math.trunc(Math.trunc(x) - width / 2),
    Math.trunc(Math.trunc(y) - height / 2),
  ]);
}
