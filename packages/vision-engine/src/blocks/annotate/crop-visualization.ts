// picture and detections → picture with an enlarged cut-out at each
import type { Point } from "../../geometry/points.ts";
import type { Block } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import { snapshotOf } from "./canvas-pixels.ts";
import { coloredDrawingBlock, wholeBox } from "./drawing-block.ts";
import { type Position, pointsAt, positionOf } from "./position.ts";
import { MIDDLE, useStroke } from "./stroke.ts";

export const cropVisualization: Block = coloredDrawingBlock({
  type: "crop_visualization@v1",
  description: "Shows each detection enlarged beside itself.",
  phrase: "shows them enlarged",
  prepare: ({ detections, colorOf, inputs, image }) => {
    const position = positionOf(inputs, "position");
    const points = pointsAt(detections, position);
    const scale = numberOf(inputs, "scale_factor");
    const thickness = numberOf(inputs, "border_thickness");
    return (context) => {
      const source = snapshotOf(context);
      for (const [row, point] of points.entries()) {
        const box = wholeBox(detections, row);
        const [left, top] = [Math.max(0, box[0]), Math.max(0, box[1])];
        const [width, height] = [Math.min(image.width, box[2]) - left, Math.min(image.height, box[3]) - top];
        if (width <= 0 || height <= 0) continue;
        const [wide, high] = [Math.trunc(width * scale), Math.trunc(height * scale)];
        const [x, y] = cornerAt(position, point, wide, high);
        context.drawImage(source, left, top, width, height, x, y, wide, high);
        useStroke(context, colorOf(row), thickness);
        context.strokeRect(x + MIDDLE, y + MIDDLE, wide, high);
      }
    };
  },
});

/** Left top corner of a cut-out that lies at a point, on the side that the position names. */
function cornerAt(position: Position, [x, y]: Point, width: number, height: number): Point {
  const [left, top] = [Math.trunc(x), Math.trunc(y)];
  const shiftX = position.endsWith("LEFT") ? width : middleOr(0, position.endsWith("RIGHT"), width);
  const shiftY = position.startsWith("TOP") ? height : middleOr(0, position.startsWith("BOTTOM"), height);
  return [left - shiftX, top - shiftY];
}

function middleOr(edge: number, isEdge: boolean, length: number): number {
  return isEdge ? edge : Math.floor(length / 2);
}
