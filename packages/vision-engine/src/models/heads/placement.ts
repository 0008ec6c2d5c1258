// size of a picture and of a graph's input → where the one lies in the other, and back

import type { PixelSize } from "../../frames/frame.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import type { ModelInput, ResizeMode, StaticCrop } from "../model-description.ts";

/** Part of a picture in whole pixels. */
export interface Region extends PixelSize {
  readonly left: number;
  readonly top: number;
}

/** Where a picture lies in the input of a graph. */
export interface Placement {
  /** The picture as it came. */
  readonly picture: PixelSize;
  /** The part of it that the graph sees. */
  readonly region: Region;
  /** The input of the graph. */
  readonly network: PixelSize;
  /** Pixels of the graph a pixel of the picture. */
  readonly scaleX: number;
  readonly scaleY: number;
  /** Borders around the picture in pixels of the graph; below 0 so much of the picture was cut off. */
  readonly padLeft: number;
  readonly padTop: number;
  readonly padRight: number;
  readonly padBottom: number;
}

/** What of an input decides where the picture lies. */
export type PlacementOptions = Pick<ModelInput, "width" | "height" | "resize" | "crop" | "otherSizes">;

/** Where a picture of this size lies. `wanted` asks for another input size, where the graph takes it. */
export function placePicture(picture: PixelSize, input: PlacementOptions, wanted?: PixelSize): Placement {
  const region = regionOf(picture, input.crop);
  const network = networkSizeOf(input, wanted);
  return { picture, region, ...PLACERS[input.resize](region, network) };
}

/** Size of the graph's input: its own, or the wanted one as far as the graph takes other sizes. */
function networkSizeOf({ width, height, otherSizes }: PlacementOptions, wanted?: PixelSize): PixelSize {
  if (wanted === undefined || otherSizes === undefined) return { width, height };
  if (otherSizes === "any") return wanted;
  return {
    width: toMultiple(wanted.width, otherSizes.multipleOf),
    height: toMultiple(wanted.height, otherSizes.multipleOf),
  };
}

/** The next multiple of `step` from `value` on. */
export function toMultiple(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

/** The part that a crop in percent leaves; all without a crop. */
export function regionOf({ width, height }: PixelSize, crop: StaticCrop | undefined): Region {
  if (crop === undefined) return { left: 0, top: 0, width, height };
  const left = Math.trunc((crop.left / 100) * width);
  const top = Math.trunc((crop.top / 100) * height);
  return {
    left,
    top,
    width: Math.trunc((crop.right / 100) * width) - left,
    height: Math.trunc((crop.bottom / 100) * height) - top,
  };
}

type Placed = Omit<Placement, "picture" | "region">;

const PLACERS: Readonly<Record<ResizeMode, (region: PixelSize, network: PixelSize) => Placed>> = {
  stretch: stretched,
  letterbox: (region, network) => letterbox(region, network, 0.5),
  "letterbox-corner": (region, network) => letterbox(region, network, 0),
  // The peer pads these with grey as well.
  "letterbox-reflect-edges": (region, network) => letterbox(region, network, 0.5),
  cover(region, network) {
    const scale = Math.max(network.width / region.width, network.height / region.height);
    const size = { width: Math.round(region.width * scale), height: Math.round(region.height * scale) };
    return padded(network, scale, size, 0.5);
  },
  "center-crop": (region, network) => padded(network, 1, region, 0.5),
  "fit-longer-edge": (region, wanted) => {
    // The input is made only as large as the picture needs.
    const byWidth = wanted.width / region.width;
    const byHeight = wanted.height / region.height;
    const network =
      byWidth < byHeight
        ? { width: wanted.width, height: roundHalfEven(byWidth * region.height) }
        : { width: roundHalfEven(byHeight * region.width), height: wanted.height };
    return stretched(region, network);
  },
};

function stretched(region: PixelSize, network: PixelSize): Placed {
  const [scaleX, scaleY] = [network.width / region.width, network.height / region.height];
  return { network, scaleX, scaleY, padLeft: 0, padTop: 0, padRight: 0, padBottom: 0 };
}

function letterbox(region: PixelSize, network: PixelSize, share: number): Placed {
  const scale = Math.min(network.width / region.width, network.height / region.height);
  const size = { width: Math.trunc(region.width * scale), height: Math.trunc(region.height * scale) };
  return padded(network, scale, size, share);
}

/** The scaled picture is of this size; `share` of the free space lies before it. */
function padded(network: PixelSize, scale: number, size: PixelSize, share: number): Placed {
  const [freeWidth, freeHeight] = [network.width - size.width, network.height - size.height];
  const [padLeft, padTop] = [Math.trunc(freeWidth * share), Math.trunc(freeHeight * share)];
  const [padRight, padBottom] = [freeWidth - padLeft, freeHeight - padTop];
  return { network, scaleX: scale, scaleY: scale, padLeft, padTop, padRight, padBottom };
}

/** Horizontal place in the picture of a place in the input. */
export function toPictureX({ padLeft, scaleX, region }: Placement, x: number): number {
  return (x - padLeft) / scaleX + region.left;
}

/** Vertical place in the picture of a place in the input. */
export function toPictureY({ padTop, scaleY, region }: Placement, y: number): number {
  return (y - padTop) / scaleY + region.top;
}

/** Boxes of the input, 4 numbers a row, as boxes of the picture: inside it, not rounded. */
export function toPictureBoxes(xyxy: ArrayLike<number>, placement: Placement): Float64Array {
  const { width, height } = placement.picture;
  const boxes = new Float64Array(xyxy.length);
  for (let at = 0; at < boxes.length; at += 2) {
    boxes[at] = clamp(toPictureX(placement, xyxy[at]!), width);
    boxes[at + 1] = clamp(toPictureY(placement, xyxy[at + 1]!), height);
  }
  return boxes;
}

/** The same, in whole pixels. */
export function roundBoxes(xyxy: Float64Array): Float64Array {
  return xyxy.map(roundHalfEven);
}

function clamp(value: number, highest: number): number {
  return Math.min(Math.max(value, 0), highest);
}

/** How an older server brought the picture to the size of the graph, and which part of it. */
export interface LegacyResize {
  readonly network: PixelSize;
  readonly picture: PixelSize;
  /** Keeps proportions and pads; else stretched. */
  readonly fit: boolean;
  readonly crop?: StaticCrop | undefined;
}

/** A crop in shares of the picture. */
export function cropShares({ left, top, right, bottom }: StaticCrop): readonly [number, number, number, number] {
  return [left / 100, top / 100, right / 100, bottom / 100];
}

/** The part that a crop leaves: these servers rounded where they un-mapped and cut off where they cropped. */
export function legacyRegion({ width, height }: PixelSize, crop: StaticCrop | undefined): Region {
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
/** Undoes the padding. */
export function paddingMapping(network: PixelSize, region: PixelSize, toWhole: (value: number) => number): Mapping {
  const scale = Math.min(network.height / region.height, network.width / region.width);
  const shiftX = (network.width - toWhole(region.width * scale)) / 2;
  const shiftY = (network.height - toWhole(region.height * scale)) / 2;
  return { x: (place) => (place - shiftX) / scale, y: (place) => (place - shiftY) / scale };
}

/** Undoes the stretching. */
export function stretchMapping(network: PixelSize, region: PixelSize): Mapping {
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

/** Places x, y, x, y, … of boxes or points through a mapping. */
export function mapPoints(places: ArrayLike<number>, { x, y }: Mapping): Float64Array {
  return Float64Array.from(places, (place, at) => (at % 2 === 0 ? x(place) : y(place)));
}

/** Whole pixels inside. */
export function clipPoints(places: Float64Array, { width, height }: PixelSize): Float64Array {
  return places.map((place, at) => roundHalfEven(clamp(place, at % 2 === 0 ? width : height)));
}

/** Moved right and down. */
export function shiftPoints(places: Float64Array, { left, top }: Pick<Region, "left" | "top">): Float64Array {
  return places.map((place, at) => place + (at % 2 === 0 ? left : top));
}
