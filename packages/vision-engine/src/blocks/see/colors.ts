// picture → its colours

import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { dominantColor as findDominantColor } from "../../pixels/dominant-color.ts";
import { type BlockValue, block, imageOf, numberOf } from "../block.ts";
import { colorPlanesOf, pictureError } from "./picture-filters.ts";

export const dominantColor = block({
  type: "roboflow_core/dominant_color@v1",
  description: "Finds the commonest colour of a picture.",
  phrase: "finds the commonest colour",
  run: (inputs, { random }) => ({
    rgb_color: findDominantColor(colorPlanesOf(imageOf(inputs, "image")), {
      clusters: numberOf(inputs, "color_clusters"),
      maxIterations: numberOf(inputs, "max_iterations"),
      targetSize: numberOf(inputs, "target_size"),
      random,
    }),
  }),
});

type Color = readonly [red: number, green: number, blue: number];

export const pixelColorCount = block({
  type: "roboflow_core/pixel_color_count@v1",
  description: "Counts the pixels whose colour is about the given one.",
  phrase: (step) => `counts pixels of the colour ${String(step.properties.target_color)}`,
  run: (inputs) => {
    const color = parseColor(inputs.target_color);
    const count = countPixels(imageOf(inputs, "image"), color, numberOf(inputs, "tolerance"));
    return { matching_pixels_count: count };
  },
});

/** Pixels of which no channel is farther than `tolerance` from the colour. Throws for a grey picture. */
export function countPixels({ rgba, channels }: ImageValue, [red, green, blue]: Color, tolerance: number): number {
  if (channels === 1) throw pictureError("Colours can only be counted in a coloured picture, not in a grey one.");
  let count = 0;
  for (let at = 0; at < rgba.length; at += 4) {
    const isNear =
      Math.abs(rgba[at]! - red) <= tolerance &&
      Math.abs(rgba[at + 1]! - green) <= tolerance &&
      Math.abs(rgba[at + 2]! - blue) <= tolerance;
    if (isNear) count += 1;
  }
  return count;
}

/** Reads `#rrggbb`, `#rgb`, `(r, g, b)` or a list of three numbers: red, green, blue. */
export function parseColor(value: BlockValue | undefined): Color {
  if (typeof value === "string") return parseColorText(value);
  if (Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number")) {
    const [red, green, blue] = value;
    return [red!, green!, blue!];
  }
  throw inputError(`Invalid color format: ${JSON.stringify(value)}. Write "#ff0000" or [255, 0, 0].`);
}

function parseColorText(text: string): Color {
  if (text.startsWith("(") && text.endsWith(")")) {
    const parts = text.slice(1, -1).split(",");
    if (parts.length === 3 && parts.every((part) => /^\s*[+-]?\d+\s*$/.test(part))) {
      return [Number(parts[0]), Number(parts[1]), Number(parts[2])];
    }
    throw inputError(`Invalid tuple color format: ${text}. Write "(255, 0, 0)".`);
  }
  if (!text.startsWith("#") || ![4, 7].includes(text.length)) {
    throw inputError(`Invalid color format: ${text}. Write "#ff0000" or "(255, 0, 0)".`);
  }
  if (!/^#[0-9a-f]+$/i.test(text)) throw inputError(`Invalid hex color format: ${text}. Write "#ff0000".`);
  const digits = text.length === 4 ? [...text.slice(1)].map((digit) => digit + digit) : text.slice(1).match(/../g)!;
  return [Number.parseInt(digits[0]!, 16), Number.parseInt(digits[1]!, 16), Number.parseInt(digits[2]!, 16)];
}
