// picture and detections → picture with an outline around each
import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Block } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import { type ColoredDetections, coloredDrawingBlock, wholeBox } from "./drawing-block.ts";
import { MIDDLE, useStroke } from "./stroke.ts";

type WholeBox = ReturnType<typeof wholeBox>;

export const boundingBoxVisualization: Block = coloredDrawingBlock({
  type: "bounding_box_visualization@v1",
  description: "Draws a box around each detection.",
  phrase: "draws boxes",
  prepare: (colored) => {
    const roundness = numberOf(colored.inputs, "roundness");
    return strokeEach(colored, (context, [left, top, right, bottom]) => {
      const [width, height] = [right - left, bottom - top];
      const radius = Math.trunc(Math.trunc(Math.min(width, height) / 2) * roundness);
      context.roundRect(left + MIDDLE, top + MIDDLE, width, height, Math.max(0, radius));
    });
  },
});

export const cornerVisualization: Block = coloredDrawingBlock({
  type: "corner_visualization@v1",
  description: "Draws the four corners of the box of each detection.",
  phrase: "draws corners",
  prepare: (colored) => {
    const length = numberOf(colored.inputs, "corner_length");
    return strokeEach(colored, (context, [left, top, right, bottom]) => {
      for (const [x, inwardX] of [
        [left, length],
        [right, -length],
      ] as const) {
        for (const [y, inwardY] of [
          [top, length],
          [bottom, -length],
        ] as const) {
          context.moveTo(x + inwardX + MIDDLE, y + MIDDLE);
          context.lineTo(x + MIDDLE, y + MIDDLE);
          context.lineTo(x + MIDDLE, y + inwardY + MIDDLE);
        }
      }
    });
  },
});

export const circleVisualization: Block = coloredDrawingBlock({
  type: "circle_visualization@v1",
  description: "Draws a circle around each detection.",
  phrase: "draws circles",
  prepare: (colored) =>
    strokeEach(colored, (context, [left, top, right, bottom]) => {
      const [x, y] = [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)];
      const radius = Math.trunc(Math.hypot(left - x, top - y));
      context.arc(x + MIDDLE, y + MIDDLE, radius, 0, 2 * Math.PI);
    }),
});

export const ellipseVisualization: Block = coloredDrawingBlock({
  type: "ellipse_visualization@v1",
  description: "Draws an ellipse at the feet of each detection.",
  phrase: "draws ellipses",
  prepare: (colored) => {
    const start = toRadians(numberOf(colored.inputs, "start_angle"));
    const end = toRadians(numberOf(colored.inputs, "end_angle"));
    return strokeEach(colored, (context, [left, , right, bottom]) => {
      const width = Math.max(0, right - left);
      const x = Math.trunc((left + right) / 2);
      context.ellipse(x + MIDDLE, bottom + MIDDLE, width, Math.trunc(0.35 * width), 0, start, end);
    });
  },
});

/** One path for each row, in its colour. */
function strokeEach(
  { detections, colorOf, inputs }: ColoredDetections,
  trace: (context: SKRSContext2D, box: WholeBox) => void,
) {
  const thickness = numberOf(inputs, "thickness");
  return (context: SKRSContext2D): void => {
    for (let row = 0; row < detections.length; row++) {
      useStroke(context, colorOf(row), thickness);
      context.beginPath();
      trace(context, wholeBox(detections, row));
      context.stroke();
    }
  };
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
