// large picture → overlapping tiles
import type { ImageValue } from "../../frames/image-value.ts";
import type { Block, BlockInputs, BlockOutputs } from "../block.ts";
import { imageOf, numberOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";
import { cropImage } from "./crop-image.ts";

interface TileOptions {
  /** Of the whole picture, along one side. */
  readonly length: number;
  readonly tile: number;
  /** Share of a tile that the next one shows too. */
  readonly overlap: number;
}

export const imageSlicerV1 = slicerBlock("v1", startsFromZero);
export const imageSlicerV2 = slicerBlock("v2", startsWithin);

function slicerBlock(version: string, startsOf: (options: TileOptions) => readonly number[]): Block {
  return statelessBlock({
    type: `roboflow_core/image_slicer@${version}`,
    description: "Cuts a large picture into overlapping tiles, so that a model finds small things too.",
    phrase: "looks at the picture tile by tile",
    run: (inputs, { newId }) => slice(imageOf(inputs, "image"), inputs, startsOf, newId),
  });
}

function slice(
  image: ImageValue,
  inputs: BlockInputs,
  startsOf: (options: TileOptions) => readonly number[],
  newId: () => string,
): readonly BlockOutputs[] {
  const [width, height] = [numberOf(inputs, "slice_width"), numberOf(inputs, "slice_height")];
  const lefts = startsOf({ length: image.width, tile: width, overlap: numberOf(inputs, "overlap_ratio_width") });
  const tops = startsOf({ length: image.height, tile: height, overlap: numberOf(inputs, "overlap_ratio_height") });
  return tops.flatMap((top) =>
    lefts.map((left) => {
      const rect = { left, top, right: left + width, bottom: top + height };
      return { slices: cropImage(image, rect, `image_slicer.${newId()}`) ?? null };
    }),
  );
}

/** The last tiles are cut at the border. */
export function startsFromZero({ length, tile, overlap }: TileOptions): readonly number[] {
  const stride = tile - Math.trunc(overlap * tile);
  return Array.from({ length: Math.ceil(length / stride) }, (_, at) => at * stride);
}

/** The last tiles are moved back inside: all have the same size. */
export function startsWithin({ length, tile, overlap }: TileOptions): readonly number[] {
  const size = Math.min(tile, length);
  const starts = startsFromZero({ length, tile: size, overlap }).map((start) => Math.min(start, length - size));
  return [...new Set(starts)];
}
