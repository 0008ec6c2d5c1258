// picture and detections → picture with a mark at each
import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Block } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import { BLACK, toCss } from "./color.ts";
import { type ColoredDetections, coloredDrawingBlock } from "./drawing-block.ts";
import { pointsAt, positionOf } from "./position.ts";
import { MIDDLE, useStroke } from "./stroke.ts";

export const dotVisualization: Block = coloredDrawingBlock({
  type: "dot_visualization@v1",
  description: "Draws a dot at each detection.",
  phrase: "draws dots",
  prepare: (colored) => {
    const radius = numberOf(colored.inputs, "radius");
    return markEach(colored, (context, x, y) => context.arc(x + MIDDLE, y + MIDDLE, radius, 0, 2 * Math.PI));
  },
});

export const triangleVisualization: Block = coloredDrawingBlock({
  type: "triangle_visualization@v1",
  description: "Draws a triangle that points at each detection.",
  phrase: "draws triangles",
  prepare: (colored) => {
    const half = Math.floor(numberOf(colored.inputs, "base") / 2);
    const height = numberOf(colored.inputs, "height");
    return markEach(colored, (context, x, y) => {
      context.moveTo(x - half, y - height);
      context.lineTo(x + half + 1, y - height);
      context.lineTo(x + 0.5, y + 1);
      context.closePath();
    });
  },
});

/** One filled path for each row, with a black outline where the step wants one. */
function markEach(
  { detections, colorOf, inputs }: ColoredDetections,
  trace: (context: SKRSContext2D, x: number, y: number) => void,
) {
  const points = pointsAt(detections, positionOf(inputs, "position"));
  const outline = numberOf(inputs, "outline_thickness");
  return (context: SKRSContext2D): void => {
    useStroke(context, BLACK, outline);
    for (const [row, [x, y]] of points.entries()) {
      context.fillStyle = toCss(colorOf(row));
      context.beginPath();
      trace(context, Math.trunc(x), Math.trunc(y));
      context.fill();
      if (outline > 0) context.stroke();
    }
  };
}
