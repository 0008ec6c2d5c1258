// picture → parts of it

import { inputError } from "../../errors.ts";
import { columnOf, type DetectionTable, selectRows } from "../../frames/detections.ts";
import { cutPixels, type VideoMetadata } from "../../frames/frame.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { type Mask, maskToBits } from "../../frames/mask.ts";
import { type BoxXyxy, boxAt } from "../../geometry/boxes.ts";
import { moveDetections } from "../../geometry/placed-detections.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import {
  type Block,
  type BlockInputs,
  type BlockOutputs,
  type BlockValue,
  block,
  detectionsOf,
  imageOf,
  numberOf,
} from "../block.ts";
import { parseRgb, type Rgb } from "../see/shapes.ts";

/** Whole pixels, cut at the borders of the picture; nothing when nothing is left. Of no video unless one is given. */
export function cropImage(image: ImageValue, box: BoxXyxy, id: string, video?: VideoMetadata): ImageValue | undefined {
  const [left, top] = [Math.max(0, box[0]), Math.max(0, box[1])];
  const width = Math.min(image.width, box[2]) - left;
  const height = Math.min(image.height, box[3]) - top;
  if (width <= 0 || height <= 0) return undefined;
  const { root } = image;
  return new ImageValue({
    width,
    height,
    rgba: cutPixels(image, { x: left, y: top, width, height }),
    channels: image.channels,
    parent: { id, x: left, y: top, width: image.width, height: image.height },
    root: { ...root, x: root.x + left, y: root.y + top },
    video,
  });
}

/** A fixed part of a camera's picture is a video of its own. */
function videoOfCrop({ video }: ImageValue, id: string): VideoMetadata | undefined {
  return video && { ...video, videoIdentifier: `${video.videoIdentifier} | crop: ${id}` };
}

interface DynamicCropOptions {
  /** How much of what lies outside the mask gives way to the colour: 0 nothing, 1 all. */
  readonly maskOpacity: number;
  readonly background: BlockValue;
}

export const dynamicCrop = block({
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
  detections: DetectionTable,
  { maskOpacity, background }: DynamicCropOptions,
): readonly BlockOutputs[] {
  if (detections.length === 0) return [];
  if (detections.data.detection_id === undefined) {
    throw inputError("The detections have no ids, by which crops are named: take them from a model.");
  }
  const xyxy = detections.xyxy.map(roundHalfEven);
  return columnOf(detections, "detection_id").map((id, row) => {
    const crop = cropImage(image, boxAt(xyxy, row), String(id));
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

/** Centre and size. */
export interface CropPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const absoluteStaticCrop = block({
  type: "roboflow_core/absolute_static_crop@v1",
  description: "Cuts a fixed part, told in pixels, out of every picture.",
  phrase: "looks at a fixed part of the picture",
  run: (inputs, { newId }) => {
    const crop = cropAt(imageOf(inputs, "images"), placeOf(inputs), `absolute_static_crop.${newId()}`);
    return { crops: crop ?? null };
  },
});

export const relativeStaticCrop = block({
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
  return cropImage(image, [left, top, left + width, top + height], id, videoOfCrop(image, id));
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
  const [x, y] = [numberOf(inputs, "x_center"), numberOf(inputs, "y_center")];
  return { x, y, width: numberOf(inputs, "width"), height: numberOf(inputs, "height") };
}

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
  return block({
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
      const crop = cropImage(image, [left, top, left + width, top + height], `image_slicer.${newId()}`);
      return { slices: crop ?? null };
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
