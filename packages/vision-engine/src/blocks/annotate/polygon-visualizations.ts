// picture and detections → picture with the outline of each mask
import { contoursOf } from "../../geometry/contours.ts";
import type { Point } from "../../geometry/points.ts";
import type { Block } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import { masksOf } from "./detection-masks.ts";
import { coloredDrawingBlock, wholeBox } from "./drawing-block.ts";
import { tracePoints, useStroke } from "./stroke.ts";

/** v1 draws boxes where there are no masks; v2 draws nothing then. */
export const polygonVisualizationV1 = polygonVisualization("v1");
export const polygonVisualizationV2 = polygonVisualization("v2");

function polygonVisualization(version: "v1" | "v2"): Block {
  return coloredDrawingBlock({
    type: `polygon_visualization@${version}`,
    description: "Draws the outline of the mask of each detection.",
    phrase: "draws outlines",
    prepare: ({ detections, colorOf, inputs }) => {
      const masks = masksOf(detections);
      if (masks === undefined && version === "v2") return undefined;
      const thickness = numberOf(inputs, "thickness");
      return (context) => {
        for (let row = 0; row < detections.length; row++) {
          useStroke(context, colorOf(row), thickness);
          context.beginPath();
          const mask = masks?.[row];
          const outlines = mask === undefined ? [cornersOf(wholeBox(detections, row))] : contoursOf(mask);
          for (const outline of outlines) tracePoints(context, outline, { closed: true });
          context.stroke();
        }
      };
    },
  });
}

function cornersOf([left, top, right, bottom]: ReturnType<typeof wholeBox>): readonly Point[] {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}
