// places in a graph's input → places in the picture, as servers before `inference_models` mapped them
import { inputError } from "../../errors.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import type { StaticCrop } from "../model-description.ts";
import { clamp, type Region, type Size } from "./placement.ts";

/** How an older server brought the picture to the size of the graph, and which part of it. */
export interface LegacyResize {
  readonly network: Size;
  readonly picture: Size;
  /** Keeps proportions and pads; else stretched. */
  readonly fit: boolean;
  readonly crop?: StaticCrop | undefined;
}

/** Place of the scaled picture in a letterbox. */
export function legacyLetterbox(picture: Size, network: Size): Region {
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

/** A crop in shares of the picture. */
export function cropShares({ left, top, right, bottom }: StaticCrop): readonly [number, number, number, number] {
  return [left / 100, top / 100, right / 100, bottom / 100];
}

/** The part that a crop leaves: these servers rounded where they un-mapped and cut off where they cropped. */
export function legacyRegion({ width, height }: Size, crop: StaticCrop | undefined): Region {
  const [left, top, right, bottom] = crop === undefined ? [0, 0, 1, 1] : cropShares(crop);
  return {
    left: roundHalfEven(left * width),
    top: roundHalfEven(top * height),
    width: roundHalfEven(width * (right - left)),
    height: roundHalfEven(height * (bottom - top)),
  };
}

/** From the input of the graph to the part of the picture. */
export interface Mapping {
  readonly x: (place: number) => number;
  readonly y: (place: number) => number;
}

/** Size of the scaled picture in whole pixels: boxes count it rounded, points cut off. */
export const WHOLE_BOXES: (length: number) => number = roundHalfEven;
export const WHOLE_POINTS: (length: number) => number = Math.trunc;

/** Undoes the padding. */
export function paddingMapping(network: Size, region: Size, toWhole: (value: number) => number): Mapping {
  const scale = Math.min(network.height / region.height, network.width / region.width);
  const shiftX = (network.width - toWhole(region.width * scale)) / 2;
  const shiftY = (network.height - toWhole(region.height * scale)) / 2;
  return { x: (place) => (place - shiftX) / scale, y: (place) => (place - shiftY) / scale };
}

/** Undoes the stretching. */
export function stretchMapping(network: Size, region: Size): Mapping {
  const gainX = region.width / network.width;
  const gainY = region.height / network.height;
  return { x: (place) => place * gainX, y: (place) => place * gainY };
}

/** Boxes, 4 numbers a row: whole pixels inside the part that was looked at. */
export function legacyBoxes(xyxy: ArrayLike<number>, resize: LegacyResize): Float64Array {
  const { network, picture, fit, crop } = resize;
  const region = legacyRegion(picture, crop);
  const mapping = fit ? paddingMapping(network, region, WHOLE_BOXES) : stretchMapping(network, region);
  return shiftPoints(clipPoints(mapPoints(xyxy, mapping), region), region);
}

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

function pointMapping({ network, fit }: LegacyResize, region: Size): Mapping {
  return fit ? paddingMapping(network, region, WHOLE_POINTS) : stretchMapping(network, region);
}

/** Places x, y, x, y, … of boxes or points through a mapping. */
export function mapPoints(places: ArrayLike<number>, { x, y }: Mapping): Float64Array {
  return Float64Array.from(places, (place, at) => (at % 2 === 0 ? x(place) : y(place)));
}

/** Whole pixels inside. */
export function clipPoints(places: Float64Array, { width, height }: Size): Float64Array {
  return places.map((place, at) => roundHalfEven(clamp(place, at % 2 === 0 ? width : height)));
}

/** Moved right and down. */
export function shiftPoints(places: Float64Array, { left, top }: Pick<Region, "left" | "top">): Float64Array {
  return places.map((place, at) => place + (at % 2 === 0 ? left : top));
}
