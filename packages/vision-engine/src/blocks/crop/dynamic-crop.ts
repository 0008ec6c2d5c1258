// detections → a picture of each

import { inputError } from "../../errors.ts";
import { columnOf, type Detections, selectRows } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { type Mask, maskToBits } from "../../frames/mask.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import type { BlockOutputs, BlockValue } from "../block.ts";
import { detectionsOf, imageOf, numberOf } from "../block-inputs.ts";
import { moveDetections } from "../move-detections.ts";
import { statelessBlock } from "../stateless-block.ts";
import { parseRgb, type Rgb } from "./background-color.ts";
import { cropImage } from "./crop-image.ts";

export interface DynamicCropOptions {
  /** How much of what lies outside the mask gives way to the colour: 0 nothing, 1 all. */
  readonly maskOpacity: number;
  readonly background: BlockValue;
}

export const dynamicCrop = statelessBlock({
  type: "roboflow_core/dynamic_crop@v1",
  description: "Cuts every detection out of the picture, so that further steps look at each alone.",
  phrase: "cuts out each of them",
  run: (inputs) =>
    cropDetections(imageOf(inputs, "images"), detectionsOf(inputs, "predictions"), {
      maskOpacity: numberOf(inputs, "mask_opacity"),
      background: inputs.background_color ?? null,
    }),
});

/** A crop for each row, named by its detection; nothing in the place of one that lies outside or has no area. */
export function cropDetections(
  image: ImageValue,
  detections: Detections,
  { maskOpacity, background }: DynamicCropOptions,
): readonly BlockOutputs[] {
  if (detections.length === 0) return [];
  if (detections.data.detection_id === undefined) {
    throw inputError("The detections have no ids, by which crops are named: take them from a model.");
  }
  return columnOf(detections, "detection_id").map((id, row) => {
    const [left, top, right, bottom] = Array.from(detections.xyxy.subarray(4 * row, 4 * row + 4), roundHalfEven) as [
      number,
      number,
      number,
      number,
    ];
    const crop = cropImage(image, { left, top, right, bottom }, String(id));
    if (crop === undefined) return { crops: null, predictions: null };
    const own = selectRows(detections, [row]);
    const moved = moveDetections(own, [-crop.parent.x, -crop.parent.y], crop);
    const mask = moved.masks?.[0];
    const picture =
      mask === undefined || maskOpacity <= 0 ? crop : blendOutside(crop, mask, parseRgb(background), maskOpacity);
    return { crops: picture, predictions: moved };
  });
}

function blendOutside(crop: ImageValue, mask: Mask, color: Rgb, opacity: number): ImageValue {
  const { width, height, channels } = crop;
  const inside = maskToBits(mask);
  const rgba = crop.rgba.slice();
  for (let pixel = 0; pixel < inside.length; pixel++) {
    if (inside[pixel] === 1) continue;
    for (let channel = 0; channel < 3; channel++) {
      const at = 4 * pixel + channel;
      rgba[at] = color[channel]! * opacity + rgba[at]! * (1 - opacity);
    }
  }
  return crop.withPixels({ width, height, rgba, channels });
}
