// picture → grey or with other contrast, as the model's training data was
import { equalizeAdaptiveColor } from "../../pixels/adaptive-equalization.ts";
import { equalizeHistogram, stretchContrast } from "../../pixels/contrast.ts";
import { type ColorPlanes, joinColors, splitColors, toGrey } from "../../pixels/plane.ts";
import type { ContrastKind, ModelInput } from "../model-description.ts";
import type { Picture } from "./linear-resize.ts";
import type { Region } from "./placement.ts";

/** Largest share of one level in a tile. */
const CLIP_LIMIT = 0.03;

const CONTRASTS: Readonly<Record<ContrastKind, (planes: ColorPlanes) => readonly ColorPlanes[number][]>> = {
  "Adaptive Equalization": (planes) => equalizeAdaptiveColor(planes, CLIP_LIMIT),
  "Contrast Stretching": stretchContrast,
  "Histogram Equalization": equalizeHistogram,
};

/** The part of a picture as the graph wants it; picture and region come back as they are when nothing is to be done. */
export function adjustPicture(
  picture: Picture,
  region: Region,
  { grayscale = false, contrast }: Pick<ModelInput, "grayscale" | "contrast">,
): { readonly picture: Picture; readonly region: Region } {
  if (!grayscale && contrast === undefined) return { picture, region };
  const { width, height } = region;
  const part = cut(picture, region);
  let planes = splitColors(part, width, height);
  if (grayscale) {
    const grey = toGrey(part, width, height);
    planes = [grey, grey, grey];
  }
  if (contrast !== undefined) planes = CONTRASTS[contrast](planes) as ColorPlanes;
  return { picture: { rgba: joinColors(planes), width, height }, region: { left: 0, top: 0, width, height } };
}

function cut({ rgba, width: stride }: Picture, { left, top, width, height }: Region): Uint8ClampedArray {
  const part = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 4 * ((top + y) * stride + left);
    part.set(rgba.subarray(from, from + 4 * width), 4 * y * width);
  }
  return part;
}
