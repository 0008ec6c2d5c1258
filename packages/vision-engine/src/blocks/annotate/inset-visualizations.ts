// detections → other pictures shown on the picture

import { createCanvas } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import { DetectionTable } from "../../frames/detections.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { ImageValue } from "../../frames/image-value.ts";
import type { Point } from "../../geometry/polygons.ts";
import { mapColors } from "../../pixels/plane.ts";
import { resizeArea } from "../../pixels/transforms.ts";
import {
  type Block,
  BlockBatch,
  type BlockContext,
  type BlockInputs,
  type BlockValue,
  block,
  imageOf,
  numberOf,
  numberOr,
} from "../block.ts";
import {
  canvasOf,
  coloredDrawingBlock,
  drawingBlock,
  MIDDLE,
  type Position,
  pointsAt,
  positionOf,
  snapshotOf,
  useStroke,
  wholeBox,
} from "./drawing-block.ts";

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
  if (!(predictions instanceof DetectionTable) || (position ?? null) === null) return [];
  return pointsAt(predictions, positionOf(inputs, "position")).map(([x, y]) => [
    Math.trunc(Math.trunc(x) - width / 2),
    Math.trunc(Math.trunc(y) - height / 2),
  ]);
}

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

export const gridVisualization = block({
  type: "roboflow_core/grid_visualization@v1",
  description: "Shows several pictures side by side in one.",
  phrase: "shows the pictures side by side",
  run: (inputs, context) => {
    const size = { width: numberOf(inputs, "width"), height: numberOf(inputs, "height") };
    if (!(size.width >= 1 && size.height >= 1)) throw inputError(`"width" and "height" must be at least 1.`);
    const images = flattened(inputs.images ?? null);
    return { image: gridOf(images, size, context) };
  },
});

/** Pictures and lists of pictures in one list; gaps stay. */
function flattened(value: BlockValue): readonly BlockValue[] {
  const items: readonly BlockValue[] =
    value instanceof BlockBatch ? value.items : ((value ?? []) as readonly BlockValue[]);
  return items.flatMap((item) => (Array.isArray(item) ? (item as BlockValue[]) : [item]));
}

function gridOf(images: readonly BlockValue[], size: PixelSize, { newId }: BlockContext): ImageValue {
  const first = images.find((image) => image instanceof ImageValue);
  const parent = { id: newId(), x: 0, y: 0, ...size };
  const clear = { ...size, rgba: new Uint8ClampedArray(4 * size.width * size.height) };
  for (let at = 3; at < clear.rgba.length; at += 4) clear.rgba[at] = 255;
  if (first === undefined) return new ImageValue({ ...clear, parent });
  const perSide = Math.ceil(Math.sqrt(images.length));
  const cell = { width: Math.floor(size.width / perSide), height: Math.floor(size.height / perSide) };
  return first.withPixels(clear).withDrawing((context) => {
    for (const [at, image] of images.entries()) {
      if (!(image instanceof ImageValue)) continue;
      const thumbnail = fitted(image, cell);
      const x = (at % perSide) * cell.width + Math.floor((cell.width - thumbnail.width) / 2);
      const y = Math.trunc(at / perSide) * cell.height + Math.floor((cell.height - thumbnail.height) / 2);
      context.drawImage(thumbnail, x, y);
    }
  });
}

/** As large as the cell allows, with its proportions. */
function fitted(image: ImageValue, cell: PixelSize) {
  const scale = Math.min(cell.width / image.width, cell.height / image.height);
  const [width, height] = [Math.trunc(image.width * scale), Math.trunc(image.height * scale)];
  if (width === 0 || height === 0) return createCanvas(1, 1);
  return canvasOf(
    mapColors(image, (plane) => resizeArea(plane, width, height)),
    width,
    height,
  );
}
