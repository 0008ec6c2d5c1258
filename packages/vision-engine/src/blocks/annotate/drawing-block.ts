// picture and what a step says → picture with something drawn over it

import { createCanvas, ImageData, type SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import type { DetectionTable } from "../../frames/detections.ts";
import type { PixelSize } from "../../frames/frame.ts";
import type { Draw, ImageValue } from "../../frames/image-value.ts";
import { emptyMask, type Mask } from "../../frames/mask.ts";
import { type BoxAnchor, type BoxXyxy, boxAt, isAnchor } from "../../geometry/boxes.ts";
import { type CocoRle, maskFromCocoRle } from "../../geometry/mask-shapes.ts";
import { anchorPoints, areaOf } from "../../geometry/overlap.ts";
import type { Point } from "../../geometry/polygons.ts";
import {
  type Block,
  type BlockContext,
  type BlockDefinition,
  type BlockInputs,
  block,
  detectionsOf,
  imageOf,
  textOf,
} from "../block.ts";
import { type Color, createPalette, toCss } from "./color.ts";

/** `type` goes without its plugin: `circle_visualization@v1`. */
type DrawingText = Pick<BlockDefinition, "type" | "description" | "phrase">;

/** Answers what is to be drawn, from the inputs of one frame; nothing leaves the picture as it is. */
type Prepare = (inputs: BlockInputs, image: ImageValue) => Draw | undefined;

/** A block that draws over its input `image` and remembers nothing. */
export function drawingBlock({ prepare, ...text }: DrawingText & { readonly prepare: Prepare }): Block {
  return { ...stateful({ ...text, start: () => prepare }), stateless: true };
}

/** A block that draws over its input `image`; what a step remembers of earlier frames lives in `start`. */
export function stateful({
  type,
  start,
  ...text
}: DrawingText & { readonly start: (context: BlockContext) => Prepare }): Block {
  return block({
    ...text,
    type: `roboflow_core/${type}`,
    start: (context) => {
      const prepare = start(context);
      return (inputs) => {
        const image = imageOf(inputs, "image");
        const draw = prepare(inputs, image);
        return { image: draw === undefined ? image : image.withDrawing(draw) };
      };
    },
  });
}

/** What a drawing of coloured detections starts from. */
export interface ColoredDetections {
  readonly detections: DetectionTable;
  readonly colorOf: (row: number) => Color;
  readonly inputs: BlockInputs;
  readonly image: ImageValue;
}

/** A block that draws each of its `predictions` in a colour of the palette. */
export function coloredDrawingBlock({
  prepare,
  ...text
}: DrawingText & { readonly prepare: (colored: ColoredDetections) => Draw | undefined }): Block {
  return drawingBlock({
    ...text,
    prepare(inputs, image) {
      const detections = detectionsOf(inputs, "predictions");
      return prepare({ detections, colorOf: createPalette(inputs, detections), inputs, image });
    },
  });
}

/** Left, top, right and bottom of a row without fractions. */
export function wholeBox({ xyxy }: DetectionTable, row: number): BoxXyxy {
  return boxAt(xyxy.subarray(4 * row, 4 * row + 4).map(Math.trunc), 0);
}

/** Lines run through the middle of pixels. */
export const MIDDLE = 0.5;

/** Colour and width of the lines that follow. Thickness as OpenCV counts it: 2 covers 3 pixels, 3 and 4 cover 5. */
export function useStroke(context: SKRSContext2D, color: Color, thickness: number): void {
  context.strokeStyle = toCss(color);
  context.lineWidth = thickness <= 1 ? thickness : 2 * Math.ceil(thickness / 2) + 1;
  context.lineCap = "round";
  context.lineJoin = "round";
}

/** Adds a line through the given pixels to the path. */
export function tracePoints(
  context: SKRSContext2D,
  points: readonly Point[],
  { closed }: { readonly closed: boolean },
): void {
  for (const [at, [x, y]] of points.entries()) {
    if (at === 0) context.moveTo(Math.trunc(x) + MIDDLE, Math.trunc(y) + MIDDLE);
    else context.lineTo(Math.trunc(x) + MIDDLE, Math.trunc(y) + MIDDLE);
  }
  if (closed) context.closePath();
}

/** Draws lines through pixels, in one stroke. */
export function strokePoints(
  context: SKRSContext2D,
  lines: readonly (readonly Point[])[],
  { color, thickness, closed = false }: { color: Color; thickness: number; closed?: boolean },
): void {
  useStroke(context, color, thickness);
  context.beginPath();
  for (const points of lines) tracePoints(context, points, { closed });
  context.stroke();
}

/** A point of a box, or the middle of what its mask covers. */
export type Position = BoxAnchor | "CENTER_OF_MASS";

export function positionOf(inputs: BlockInputs, property: string): Position {
  const position = textOf(inputs, property);
  if (position === "CENTER_OF_MASS" || isAnchor(position)) return position;
  throw inputError(`"${property}" knows no "${position}": write CENTER, TOP_LEFT, BOTTOM_CENTER, …`);
}

/** Where that position of each row is, in pixels. */
export function pointsAt(detections: DetectionTable, position: Position): readonly Point[] {
  if (position !== "CENTER_OF_MASS") return anchorPoints(detections, position);
  const masks = masksOf(detections);
  if (masks === undefined) throw inputError("CENTER_OF_MASS needs detections with masks.");
  return masks.map(centreOfMass);
}

function centreOfMass({ width, runs }: Mask): Point {
  let [area, sumX, sumY] = [0, 0, 0];
  for (let at = 0; at < runs.length; at += 2) {
    const [start, length] = [runs[at]!, runs[at + 1]!];
    for (let pixel = start; pixel < start + length; pixel++) {
      sumX += pixel % width;
      sumY += Math.trunc(pixel / width);
    }
    area += length;
  }
  return area === 0 ? [0, 0] : [sumX / area, sumY / area];
}

/** Lets `edit` change the pixels of a canvas, RGBA row by row. */
export function editPixels(context: SKRSContext2D, edit: (rgba: Uint8ClampedArray) => void): void {
  const { width, height } = context.canvas;
  const pixels = context.getImageData(0, 0, width, height);
  edit(pixels.data);
  context.putImageData(pixels, 0, 0);
}

/** Mixes a colour into one pixel; `weight` 0 leaves it, 1 replaces it. `at`: its place among the bytes. */
export function mixInto(rgba: Uint8ClampedArray, at: number, { r, g, b }: Color, weight: number): void {
  rgba[at] = rgba[at]! + weight * (r - rgba[at]!);
  rgba[at + 1] = rgba[at + 1]! + weight * (g - rgba[at + 1]!);
  rgba[at + 2] = rgba[at + 2]! + weight * (b - rgba[at + 2]!);
}

/** Draws on a clear layer and lays that over the picture: what overlaps on the layer is not mixed twice. */
export function withLayer(context: SKRSContext2D, opacity: number, draw: (layer: SKRSContext2D) => void): void {
  const { width, height } = context.canvas;
  const layer = createCanvas(width, height);
  draw(layer.getContext("2d"));
  context.globalAlpha = opacity;
  context.drawImage(layer, 0, 0);
  context.globalAlpha = 1;
}

/** The picture so far, to be drawn from while it changes. */
export function snapshotOf(context: SKRSContext2D) {
  const { width, height } = context.canvas;
  const copy = createCanvas(width, height);
  copy.getContext("2d").drawImage(context.canvas, 0, 0);
  return copy;
}

/** Pixels as something to draw. */
export function canvasOf(rgba: Uint8ClampedArray, width: number, height: number) {
  const canvas = createCanvas(width, height);
  canvas.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0);
  return canvas;
}

/** Masks of the rows, also those that are still written as run lengths. */
export function masksOf({ masks, data }: DetectionTable): readonly Mask[] | undefined {
  if (masks !== undefined || data.rle_mask === undefined) return masks;
  const packed = data.rle_mask as unknown as readonly CocoRle[];
  return packed.map((rle) => maskFromCocoRle(rle) ?? emptyMask(rle.size[1], rle.size[0]));
}

/** Calls back for each run of pixels of a row that lies in the picture: those of its mask, or of its box. */
export function visitRuns(
  detections: DetectionTable,
  row: number,
  { width, height }: PixelSize,
  visit: (start: number, end: number) => void,
): void {
  const mask = masksOf(detections)?.[row];
  if (mask === undefined) {
    const [left, top, right, bottom] = wholeBox(detections, row);
    const [from, to] = [Math.max(0, left), Math.min(width, right)];
    for (let y = Math.max(0, top); y < Math.min(height, bottom) && from < to; y++)
      visit(y * width + from, y * width + to);
    return;
  }
  if (mask.width !== width || mask.height !== height) return;
  for (let at = 0; at < mask.runs.length; at += 2) visit(mask.runs[at]!, mask.runs[at]! + mask.runs[at + 1]!);
}

/** One byte a pixel: 1 where any of the detections lies. */
export function coverageOf(detections: DetectionTable, size: PixelSize): Uint8Array {
  const covered = new Uint8Array(size.width * size.height);
  for (let row = 0; row < detections.length; row++) {
    visitRuns(detections, row, size, (start, end) => covered.fill(1, start, end));
  }
  return covered;
}

/** Rows from the largest to the smallest, so that small things are drawn last. */
export function largestFirst(detections: DetectionTable): readonly number[] {
  const masks = masksOf(detections);
  const { xyxy, length } = detections;
  const areas = Array.from({ length }, (_, row) => areaOf({ masks, xyxy }, row));
  return [...areas.keys()].sort((one, other) => areas[other]! - areas[one]! || other - one);
}
