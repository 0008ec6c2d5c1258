// picture → the part of it that is always the same
import type { ImageValue } from "../../frames/image-value.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import type { BlockInputs } from "../block.ts";
import { imageOf, numberOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";
import { cropImage, videoOfCrop } from "./crop-image.ts";

/** Centre and size. */
export interface CropPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const absoluteStaticCrop = statelessBlock({
  type: "roboflow_core/absolute_static_crop@v1",
  description: "Cuts a fixed part, told in pixels, out of every picture.",
  phrase: "looks at a fixed part of the picture",
  run: (inputs, { newId }) => {
    const crop = cropAt(imageOf(inputs, "images"), placeOf(inputs), `absolute_static_crop.${newId()}`);
    return { crops: crop ?? null };
  },
});

export const relativeStaticCrop = statelessBlock({
  type: "roboflow_core/relative_statoic_crop@v1",
  description: "Cuts a fixed part, told in shares of width and height, out of every picture.",
  phrase: "looks at a fixed part of the picture",
  run: (inputs, { newId }) => {
    const image = imageOf(inputs, "images");
    const crop = cropAt(image, toPixels(placeOf(inputs), image), `relative_static_crop.${newId()}`);
    return { crops: crop ?? null };
  },
});

/** Nothing when the place lies outside the picture. */
export function cropAt(image: ImageValue, { x, y, width, height }: CropPlace, id: string): ImageValue | undefined {
  const left = roundHalfEven(x - width / 2);
  const top = roundHalfEven(y - height / 2);
  return cropImage(image, { left, top, right: left + width, bottom: top + height }, id, videoOfCrop(image, id));
}

/** Shares of the picture become whole pixels. */
export function toPixels(place: CropPlace, { width, height }: ImageValue): CropPlace {
  return {
    x: roundHalfEven(place.x * width),
    y: roundHalfEven(place.y * height),
    width: roundHalfEven(place.width * width),
    height: roundHalfEven(place.height * height),
  };
}

function placeOf(inputs: BlockInputs): CropPlace {
  return {
    x: numberOf(inputs, "x_center"),
    y: numberOf(inputs, "y_center"),
    width: numberOf(inputs, "width"),
    height: numberOf(inputs, "height"),
  };
}
