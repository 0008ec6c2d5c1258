// how older servers un-mapped letterboxes, keypoints and outlines: models here never come to them

import { inputError } from "../../src/errors.ts";
import type { PixelSize } from "../../src/frames/frame.ts";
import {
  clipPoints,
  type LegacyResize,
  legacyRegion,
  type Mapping,
  mapPoints,
  paddingMapping,
  type Region,
  shiftPoints,
  stretchMapping,
} from "../../src/models/heads/placement.ts";

/** Place of the scaled picture in a letterbox. */
export function legacyLetterbox(picture: PixelSize, network: PixelSize): Region {
  const ratio = picture.width / picture.height;
  const byWidth = ratio >= network.width / network.height;
  const width = byWidth ? network.width : Math.trunc(network.height * ratio);
  const height = byWidth ? Math.trunc(network.width / ratio) : network.height;
  return {
    left: Math.floor((network.width - width) / 2),
    top: Math.floor((network.height - height) / 2),
    width,
    height,
  };
}

export const WHOLE_POINTS: (length: number) => number = Math.trunc;

/** Places x, y, x, y, …: whole pixels inside the part that was looked at. */
export function legacyKeypoints(places: ArrayLike<number>, resize: LegacyResize): Float64Array {
  const region = legacyRegion(resize.picture, resize.crop);
  return shiftPoints(clipPoints(mapPoints(places, pointMapping(resize, region)), region), region);
}

/** Corners x, y, x, y, … of an outline, neither rounded nor cut. */
export function legacyPolygon(places: ArrayLike<number>, resize: LegacyResize): Float64Array {
  if (!(resize.picture.width >= 0 && resize.network.width >= 0)) {
    throw inputError("The size of the picture or of the model's input is missing.", "IndexError");
  }
  const region = legacyRegion(resize.picture, resize.crop);
  return shiftPoints(mapPoints(places, pointMapping(resize, region)), region);
}

function pointMapping({ network, fit }: LegacyResize, region: PixelSize): Mapping {
  return fit ? paddingMapping(network, region, WHOLE_POINTS) : stretchMapping(network, region);
}
