import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Point } from "../../geometry/points.ts";
import { type Color, toCss } from "./color.ts";

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
