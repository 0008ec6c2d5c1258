// picture → the floats that a graph wants, and where the picture lies in them

import { cutPixels, type PixelPicture, type PixelSize } from "../../frames/frame.ts";
import { equalizeAdaptiveColor, equalizeHistogram, stretchContrast } from "../../pixels/contrast.ts";
import { type ColorPlanes, joinColors, splitColors, toGrey } from "../../pixels/plane.ts";
import type { ContrastKind, ModelInput } from "../model-description.ts";
import type { Tensor } from "../runtime/tensor-session.ts";
import { type Placement, placePicture, type Region } from "./placement.ts";
import { createAntialiasedResize, createLinearResize, type Resize } from "./resize.ts";

/** What a graph is fed with. */
interface NetworkInput {
  /** 1 × 3 × height × width. Written anew by the next call. */
  readonly tensor: Extract<Tensor, { type: "float32" }>;
  readonly placement: Placement;
}

/** Brings one picture after the other into the same memory. `wanted` asks for another size, where the graph takes it. */
export type InputWriter = (picture: PixelPicture, wanted?: PixelSize) => NetworkInput;

export function createInputWriter(input: ModelInput): InputWriter {
  const resize = resizeOf(input);
  const levels = levelsOf(input);
  const paddings = levels.map((table) => table[input.padding]!);
  const planeOf = input.colors === "rgb" ? ([0, 1, 2] as const) : ([2, 1, 0] as const);
  let data: Float32Array = new Float32Array(0);
  let filled = "";
  return (picture, wanted) => {
    const placement = placePicture(picture, input, wanted);
    const { network, region } = placement;
    const { width, height } = network;
    const rectangle = rectangleOf(placement);
    // Shared, so that an inference thread reads it where it is.
    if (data.length !== 3 * width * height) data = new Float32Array(new SharedArrayBuffer(12 * width * height));
    // Borders stay as they are while pictures keep their size.
    const borders = `${width} ${height} ${rectangle.left} ${rectangle.top} ${rectangle.width} ${rectangle.height}`;
    if (borders !== filled) {
      for (const [color, plane] of planeOf.entries()) {
        data.fill(paddings[color]!, plane * width * height, (plane + 1) * width * height);
      }
      filled = borders;
    }
    const adjusted = adjustPicture(picture, region, input);
    const seen = visibleRegion(placement, adjusted.region);
    resize(adjusted.picture, seen, { planes: data, width, height, rectangle, levels, planeOf });
    return { tensor: { type: "float32", dims: [1, 3, height, width], data }, placement };
  };
}

function resizeOf({ filter = "linear" }: ModelInput): Resize {
  return filter === "antialiased" ? createAntialiasedResize() : createLinearResize();
}

/** What is written for each level of red, green and blue: 32-bit steps, as the peer does them. */
function levelsOf({ scale, normalization, colors }: ModelInput): [Float32Array, Float32Array, Float32Array] {
  const table = (color: number): Float32Array => {
    const channel = colors === "rgb" ? color : 2 - color;
    const mean = Math.fround(normalization?.mean[channel] ?? 0);
    const std = Math.fround(normalization?.std[channel] ?? 1);
    return Float32Array.from({ length: 256 }, (_, level) => Math.fround(Math.fround(level / scale) - mean) / std);
  };
  return [table(0), table(1), table(2)];
}

/** The rectangle of the input that the picture covers. */
function rectangleOf({ network, padLeft, padTop, padRight, padBottom }: Placement): Region {
  const left = Math.max(padLeft, 0);
  const top = Math.max(padTop, 0);
  return {
    left,
    top,
    width: network.width - left - Math.max(padRight, 0),
    height: network.height - top - Math.max(padBottom, 0),
  };
}

/** The part of the picture that is left when borders below 0 cut some of it off. */
function visibleRegion(placement: Placement, region: Region): Region {
  const cut = (border: number, scale: number): number => Math.round(Math.max(-border, 0) / scale);
  const { padLeft, padTop, padRight, padBottom, scaleX, scaleY } = placement;
  const left = cut(padLeft, scaleX);
  const top = cut(padTop, scaleY);
  return {
    left: region.left + left,
    top: region.top + top,
    width: region.width - left - cut(padRight, scaleX),
    height: region.height - top - cut(padBottom, scaleY),
  };
}

/** Largest share of one level in a tile. */
const CLIP_LIMIT = 0.03;

const CONTRASTS: Readonly<Record<ContrastKind, (planes: ColorPlanes) => readonly ColorPlanes[number][]>> = {
  "Adaptive Equalization": (planes) => equalizeAdaptiveColor(planes, CLIP_LIMIT),
  "Contrast Stretching": stretchContrast,
  "Histogram Equalization": equalizeHistogram,
};

/** The part of a picture as the graph wants it; picture and region come back as they are when nothing is to be done. */
export function adjustPicture(
  picture: PixelPicture,
  region: Region,
  { grayscale = false, contrast }: Pick<ModelInput, "grayscale" | "contrast">,
): { readonly picture: PixelPicture; readonly region: Region } {
  if (!grayscale && contrast === undefined) return { picture, region };
  const { width, height } = region;
  const part = cutPixels(picture, { x: region.left, y: region.top, width, height });
  let planes = splitColors(part, width, height);
  if (grayscale) {
    const grey = toGrey(part, width, height);
    planes = [grey, grey, grey];
  }
  if (contrast !== undefined) planes = CONTRASTS[contrast](planes) as ColorPlanes;
  return { picture: { rgba: joinColors(planes), width, height }, region: { left: 0, top: 0, width, height } };
}
