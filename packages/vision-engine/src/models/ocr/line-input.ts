// box around a line of text → upright strip of pixels for the graph that reads it
import { distance } from "../../geometry/points.ts";
import type { Picture } from "../heads/linear-resize.ts";
import type { Tensor } from "../runtime/tensor-session.ts";
import type { Corners } from "./text-boxes.ts";

const STRIP_HEIGHT = 48;
/** Shorter lines are padded. */
const LEAST_WIDTH = 320;
/** A longer strip would take the graph minutes. */
const MOST_WIDTH = 3200;
/** From this height over width on, a line is taken to run from top to bottom. */
const UPRIGHT = 1.5;

/** The strip with channels in the order blue, green, red; levels from -1 to 1; what pads it is 0. */
export function toLineInput(picture: Picture, corners: Corners): Extract<Tensor, { type: "float32" }> {
  const [leftTop, rightTop, , leftBottom] = lying(corners);
  const ratio = distance(leftTop, rightTop) / Math.max(distance(leftTop, leftBottom), 1);
  const textWidth = Math.min(Math.max(Math.ceil(STRIP_HEIGHT * ratio), 1), MOST_WIDTH);
  const width = Math.max(textWidth, LEAST_WIDTH);
  const plane = width * STRIP_HEIGHT;
  const data = new Float32Array(3 * plane);
  // Where text is larger than the strip, each pixel is the mean of several places.
  const samples = Math.max(1, Math.round(distance(leftTop, leftBottom) / STRIP_HEIGHT));
  for (let y = 0; y < STRIP_HEIGHT; y++) {
    for (let x = 0; x < textWidth; x++) {
      for (let sample = 0; sample < samples * samples; sample++) {
        const across = (x + ((sample % samples) + 0.5) / samples) / textWidth;
        const down = (y + (Math.floor(sample / samples) + 0.5) / samples) / STRIP_HEIGHT;
        const sourceX = leftTop[0] + (rightTop[0] - leftTop[0]) * across + (leftBottom[0] - leftTop[0]) * down;
        const sourceY = leftTop[1] + (rightTop[1] - leftTop[1]) * across + (leftBottom[1] - leftTop[1]) * down;
        addPixel(picture, sourceX - 0.5, sourceY - 0.5, { data, plane, at: y * width + x });
      }
      for (let channel = 0; channel < 3; channel++) {
        const at = channel * plane + y * width + x;
        data[at] = data[at]! / (samples * samples) / 127.5 - 1;
      }
    }
  }
  return { type: "float32", dims: [1, 3, STRIP_HEIGHT, width], data };
}

/** Text that runs from top to bottom is turned to the left. */
function lying(corners: Corners): Corners {
  const [leftTop, rightTop, rightBottom, leftBottom] = corners;
  const upright = distance(leftTop, leftBottom) >= UPRIGHT * distance(leftTop, rightTop);
  return upright ? [rightTop, rightBottom, leftBottom, leftTop] : corners;
}

/** Adds the colour at a place between pixels; places outside take the nearest pixel. */
function addPixel(
  { rgba, width, height }: Picture,
  x: number,
  y: number,
  to: { readonly data: Float32Array; readonly plane: number; readonly at: number },
): void {
  const left = Math.min(Math.max(Math.floor(x), 0), width - 1);
  const top = Math.min(Math.max(Math.floor(y), 0), height - 1);
  const right = Math.min(left + 1, width - 1);
  const bottom = Math.min(top + 1, height - 1);
  const shareX = Math.min(Math.max(x - left, 0), 1);
  const shareY = Math.min(Math.max(y - top, 0), 1);
  for (let channel = 0; channel < 3; channel++) {
    const level = (column: number, row: number): number => rgba[4 * (row * width + column) + 2 - channel]!;
    const above = level(left, top) * (1 - shareX) + level(right, top) * shareX;
    const below = level(left, bottom) * (1 - shareX) + level(right, bottom) * shareX;
    to.data[channel * to.plane + to.at]! += above * (1 - shareY) + below * shareY;
  }
}
