// masks → the smallest rectangles around them, turned as needed
import { inputError } from "../../errors.ts";
import { type Detections, withColumns } from "../../frames/detections.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import { minAreaRect, rectCorners } from "../../geometry/min-area-rect.ts";
import type { Point } from "../../geometry/points.ts";
import { polygonBounds } from "../../geometry/polygons.ts";
import { detectionsOf } from "../block-inputs.ts";
import { longestContour } from "../longest-contour.ts";
import { statelessBlock } from "../stateless-block.ts";

export const boundingRect = statelessBlock({
  type: "roboflow_core/bounding_rect@v1",
  description: "Replaces each mask by the smallest rectangle around it, which need not be upright.",
  phrase: "draws tight rectangles around the masks",
  run: (inputs) => ({ detections_with_rect: withRects(detectionsOf(inputs, "predictions")) }),
});

function withRects(detections: Detections): Detections {
  const { masks, length } = detections;
  if (masks === undefined) throw inputError("There are no masks: a bounding rectangle needs a segmentation model.");
  if (length === 0) return detections;
  const rects = masks.map((mask) => minAreaRect(longestContour(contoursOf(mask)) ?? []));
  const corners = rects.map((rect) => rectCorners(rect).map(toWholePixel));
  const boxed = detections.with({
    xyxy: Float64Array.from(corners.flatMap((polygon) => [...polygonBounds(polygon)])),
    masks: masks.map((mask, row) => polygonToMask(corners[row]!, mask.width, mask.height)),
  });
  return withColumns(boxed, {
    rect: corners.map((polygon) => polygon.map((point) => point.map(toHalf))),
    width: rects.map(({ width }) => toHalf(width)),
    height: rects.map(({ height }) => toHalf(height)),
    angle: rects.map(({ angle }) => toHalf(angle)),
  });
}

/** Cut off, after rounding to 32 bits, so that 15.999999999 stays 16. */
function toWholePixel([x, y]: Point): Point {
  return [Math.trunc(Math.fround(x)), Math.trunc(Math.fround(y))];
}

/** Rounded to a number of 16 bits, as these columns hold them. */
function toHalf(value: number): number {
  const step = 2 ** (Math.floor(Math.log2(Math.abs(value) || 1)) - 10);
  return Math.round(value / step) * step;
}
