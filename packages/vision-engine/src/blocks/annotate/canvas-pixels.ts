// canvas ↔ pixels, for what a canvas cannot draw by itself
import { createCanvas, ImageData, type SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "./color.ts";

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
