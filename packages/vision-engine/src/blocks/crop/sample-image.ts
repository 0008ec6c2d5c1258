// picture and where each new pixel comes from → picture
import type { ImageValue } from "../../frames/image-value.ts";

export interface SampleOptions {
  readonly width: number;
  readonly height: number;
  /** Place in the old picture of a pixel of the new one. */
  readonly placeOf: (x: number, y: number) => readonly [x: number, y: number];
}

/** Blends the four pixels around each place; black where the old picture has none. */
export function sampleImage(image: ImageValue, { width, height, placeOf }: SampleOptions): ImageValue {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [fromX, fromY] = placeOf(x, y);
      blend(image, fromX, fromY, rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 4));
    }
  }
  return image.withPixels({ width, height, rgba, channels: image.channels });
}

function blend({ rgba, width, height }: ImageValue, x: number, y: number, pixel: Uint8ClampedArray): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, lower] = [x - left, y - top];
  for (let channel = 0; channel < 3; channel++) {
    const level = (column: number, row: number): number =>
      column >= 0 && column < width && row >= 0 && row < height ? rgba[4 * (row * width + column) + channel]! : 0;
    const above = level(left, top) * (1 - right) + level(left + 1, top) * right;
    const below = level(left, top + 1) * (1 - right) + level(left + 1, top + 1) * right;
    pixel[channel] = above * (1 - lower) + below * lower;
  }
  pixel[3] = 255;
}
