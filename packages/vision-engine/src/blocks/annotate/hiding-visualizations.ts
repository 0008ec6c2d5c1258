// picture and detections → picture in which they cannot be recognised
import { ImageData, type SKRSContext2D } from "@napi-rs/canvas";
import type { DetectionTable } from "../../frames/detections.ts";
import type { Rect } from "../../frames/frame.ts";
import type { Mask } from "../../frames/mask.ts";
import type { BoxXyxy } from "../../geometry/boxes.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import { averageBlur } from "../../pixels/blur.ts";
import { createPlane, mapColors, type Plane } from "../../pixels/plane.ts";
import { ellipseElement, morph } from "../../pixels/threshold.ts";
import { type Block, detectionsOf, numberWithin } from "../block.ts";
import { kernelOf } from "./area-visualizations.ts";
import { drawingBlock, masksOf, wholeBox } from "./drawing-block.ts";

export const blurVisualization: Block = drawingBlock({
  type: "blur_visualization@v1",
  description: "Blurs each detection: its mask where it has one, else its box.",
  phrase: "blurs them",
  prepare: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    const kernelSize = kernelOf(inputs);
    const padding = numberWithin(inputs, "padding", 0);
    const masks = masksOf(detections);
    return (context) => {
      for (let row = 0; row < detections.length; row++) {
        const mask = masks?.[row];
        const box = mask === undefined ? wholeBox(detections, row) : unionBox(wholeBox(detections, row), mask);
        const region = regionIn(context, box, padding);
        if (region === undefined) continue;
        const inside = mask && maskedPart(mask, region, padding);
        editRegion(context, region, (rgba) => blurPixels(rgba, region, kernelSize, inside));
      }
    };
  },
});

function blurPixels(rgba: Uint8ClampedArray, { width, height }: Rect, kernelSize: number, inside?: Plane): void {
  const blurred = mapColors({ rgba, width, height }, (plane) => averageBlur(plane, kernelSize));
  for (let pixel = 0; pixel < width * height; pixel++) {
    if (inside === undefined || inside.data[pixel]! > 0) {
      rgba.set(blurred.subarray(4 * pixel, 4 * pixel + 4), 4 * pixel);
    }
  }
}

/** A box that holds the given one and all of the mask. */
function unionBox([left, top, right, bottom]: BoxXyxy, { width, runs }: Mask): BoxXyxy {
  const box: [number, number, number, number] = [left, top, right, bottom];
  for (let at = 0; at < runs.length; at += 2) {
    const [x, y] = [runs[at]! % width, Math.trunc(runs[at]! / width)];
    const [endX, endY] = [(runs[at]! + runs[at + 1]! - 1) % width, Math.trunc((runs[at]! + runs[at + 1]! - 1) / width)];
    const wraps = endY > y;
    box[0] = Math.min(box[0], wraps ? 0 : x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], wraps ? width : endX + 1);
    box[3] = Math.max(box[3], endY + 1);
  }
  return box;
}

/** The mask within a region, grown outwards by `padding` pixels. */
function maskedPart({ width, runs }: Mask, region: Rect, padding: number): Plane {
  const part = createPlane(region.width, region.height);
  for (let at = 0; at < runs.length; at += 2) {
    for (let pixel = runs[at]!; pixel < runs[at]! + runs[at + 1]!; pixel++) {
      const x = (pixel % width) - region.x;
      const y = Math.trunc(pixel / width) - region.y;
      if (x >= 0 && y >= 0 && x < region.width && y < region.height) part.data[y * region.width + x] = 1;
    }
  }
  return padding > 0 ? morph(part, "dilate", ellipseElement(2 * padding + 1)) : part;
}

export const pixelateVisualization: Block = drawingBlock({
  type: "pixelate_visualization@v1",
  description: "Makes the box of each detection a mosaic of large pixels.",
  phrase: "pixelates them",
  prepare: (inputs) => {
    const detections: DetectionTable = detectionsOf(inputs, "predictions");
    const size = numberWithin(inputs, "pixel_size", 1);
    return (context) => {
      for (let row = 0; row < detections.length; row++) {
        const region = regionIn(context, wholeBox(detections, row), 0);
        if (region !== undefined) editRegion(context, region, (rgba) => pixelate(rgba, region, size));
      }
    };
  },
});

function pixelate(rgba: Uint8ClampedArray, region: Rect, size: number): void {
  const { width, height } = region;
  const small = Math.min(width, height) < size;
  const columns = small ? 1 : roundHalfEven(width / size);
  const rows = small ? 1 : roundHalfEven(height / size);
  const source = rgba.slice();
  const colorAt = small ? () => meanColor(source) : (x: number, y: number) => blendAt(source, region, x, y);
  const cells = Array.from({ length: rows * columns }, (_, at) =>
    colorAt(((at % columns) + 0.5) * size - 0.5, (Math.trunc(at / columns) + 0.5) * size - 0.5),
  );
  for (let pixel = 0; pixel < width * height; pixel++) {
    const column = Math.trunc(((pixel % width) * columns) / width);
    const row = Math.trunc((Math.trunc(pixel / width) * rows) / height);
    rgba.set(cells[row * columns + column]!, 4 * pixel);
  }
}

function meanColor(rgba: Uint8ClampedArray): readonly number[] {
  const sums = [0, 0, 0];
  for (let at = 0; at < rgba.length; at += 4)
    for (let channel = 0; channel < 3; channel++) sums[channel]! += rgba[at + channel]!;
  return sums.map((sum) => (4 * sum) / rgba.length);
}

/** Colour between the four pixels around a place. */
function blendAt(rgba: Uint8ClampedArray, { width, height }: Rect, x: number, y: number): readonly number[] {
  const [left, top] = [Math.min(width - 1, Math.floor(x)), Math.min(height - 1, Math.floor(y))];
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)];
  const [alongX, alongY] = [x - Math.floor(x), y - Math.floor(y)];
  return [0, 1, 2].map((channel) => {
    const level = (column: number, row: number): number => rgba[4 * (row * width + column) + channel]!;
    const above = level(left, top) * (1 - alongX) + level(right, top) * alongX;
    const below = level(left, bottom) * (1 - alongX) + level(right, bottom) * alongX;
    return above * (1 - alongY) + below * alongY;
  });
}

/** A box grown by `padding`, as far as it lies in the picture; none when nothing of it does. */
function regionIn(context: SKRSContext2D, [left, top, right, bottom]: BoxXyxy, padding: number): Rect | undefined {
  const { width, height } = context.canvas;
  const [x, y] = [Math.max(0, left - padding), Math.max(0, top - padding)];
  const region = { x, y, width: Math.min(width, right + padding) - x, height: Math.min(height, bottom + padding) - y };
  return region.width > 0 && region.height > 0 ? region : undefined;
}

function editRegion(
  context: SKRSContext2D,
  { x, y, width, height }: Rect,
  edit: (rgba: Uint8ClampedArray) => void,
): void {
  const pixels = context.getImageData(x, y, width, height);
  edit(pixels.data);
  context.putImageData(new ImageData(pixels.data, width, height), x, y);
}
