// values of a mask on the graph's grid → mask of the picture
import type { PixelSize } from "../../frames/frame.ts";
import { addRun, type Mask, moveMask } from "../../frames/mask.ts";
import { scaleMask } from "../../geometry/mask-shapes.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import type { DetectOptions } from "../model.ts";
import { sigmoid } from "./box-heads.ts";
import type { Placement } from "./placement.ts";

/** Numbers on a rectangle of the graph's mask grid; all others of the grid are 0. */
export interface GridValues {
  /** Size of the whole grid: the graph's input, made smaller. */
  readonly grid: PixelSize;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Row by row. */
  readonly values: Float32Array;
}

/** Prototypes of masks, one after the other, each a grid. */
export interface Prototypes extends PixelSize {
  readonly count: number;
  readonly data: Float32Array;
}

/**
 * How fine masks are: 1 in pixels of the picture, 0 on the graph's own grid, between them in between.
 */
export function maskResolution({ maskDecoding = "accurate", maskTradeoff = 0 }: DetectOptions): number {
  if (maskDecoding === "accurate") return 1;
  return maskDecoding === "fast" ? 0 : maskTradeoff;
}

/** A box's mask from prototypes: each counted by its coefficient, sigmoid of the sum, cut to the box. */
export function mixPrototypes(
  prototypes: Prototypes,
  coefficientOf: (prototype: number) => number,
  box: { readonly xyxy: ArrayLike<number>; readonly row: number; readonly network: PixelSize },
): GridValues {
  const { width, height, count, data } = prototypes;
  const [left, right] = [0, 2].map((side) => toGrid(box.xyxy[4 * box.row + side]!, width / box.network.width, width));
  const [top, bottom] = [1, 3].map((side) =>
    toGrid(box.xyxy[4 * box.row + side]!, height / box.network.height, height),
  );
  const span = Math.max(right! - left!, 0);
  const values = new Float32Array(span * Math.max(bottom! - top!, 0));
  for (let prototype = 0; prototype < count; prototype++) {
    const coefficient = coefficientOf(prototype);
    for (let y = top!, to = 0; y < bottom!; y++) {
      const from = (prototype * height + y) * width + left!;
      for (let x = 0; x < span; x++, to++) values[to]! += coefficient * data[from + x]!;
    }
  }
  for (let at = 0; at < values.length; at++) values[at] = sigmoid(values[at]!);
  return { grid: { width, height }, left: left!, top: top!, right: right!, bottom: bottom!, values };
}

function toGrid(place: number, scale: number, length: number): number {
  return Math.min(Math.max(roundHalfEven(place * scale), 0), length);
}

export interface MaskOptions {
  readonly placement: Placement;
  /** 0 to 1, see `maskResolution`. */
  readonly resolution: number;
  /** Values above belong to the thing. */
  readonly threshold: number;
}

/** The mask in pixels of the picture: borders taken off, brought to size, then held against the threshold. */
export function toPictureMask(values: GridValues, { placement, resolution, threshold }: MaskOptions): Mask {
  const { region, picture, network, padLeft, padTop, padRight, padBottom } = placement;
  const scaleX = values.grid.width / network.width;
  const scaleY = values.grid.height / network.height;
  const left = roundHalfEven(scaleX * padLeft);
  const top = roundHalfEven(scaleY * padTop);
  const width = Math.max(values.grid.width - left - roundHalfEven(scaleX * padRight), 1);
  const height = Math.max(values.grid.height - top - roundHalfEven(scaleY * padBottom), 1);
  const size = {
    width: Math.max(roundHalfEven(width * (1 - resolution) + region.width * resolution), 1),
    height: Math.max(roundHalfEven(height * (1 - resolution) + region.height * resolution), 1),
  };
  const shifted = {
    ...values,
    left: values.left - left,
    right: values.right - left,
    top: values.top - top,
    bottom: values.bottom - top,
  };
  const mask = scaleMask(sampleMask(shifted, { width, height }, size, threshold), region.width, region.height);
  if (region.width === picture.width && region.height === picture.height) return mask;
  return moveMask(mask, [region.left, region.top], picture.width, picture.height);
}

/** Bilinear between the values of the grid `from`, at the places of the pixels of a mask of size `to`. */
function sampleMask(grid: GridValues, from: PixelSize, to: PixelSize, threshold: number): Mask {
  const runs: number[] = [];
  const columns = tapsOf(from.width, to.width);
  const rows = tapsOf(from.height, to.height);
  // Everything outside the rectangle is 0.
  const begin = Math.max(
    columns.first.findIndex((left) => left + 1 >= grid.left),
    0,
  );
  const end = columns.first.findLastIndex((left) => left < grid.right) + 1;
  const bits = new Uint8Array(Math.max(end - begin, 0));
  for (let y = 0; y < to.height; y++) {
    const upper = rows.first[y]!;
    const lower = Math.min(upper + 1, from.height - 1);
    if (lower < grid.top || upper >= grid.bottom) continue;
    const down = rows.share[y]!;
    for (let x = begin; x < end; x++) {
      const left = columns.first[x]!;
      const right = Math.min(left + 1, from.width - 1);
      const across = columns.share[x]!;
      const above = valueAt(grid, left, upper) * (1 - across) + valueAt(grid, right, upper) * across;
      const below = valueAt(grid, left, lower) * (1 - across) + valueAt(grid, right, lower) * across;
      bits[x - begin] = above * (1 - down) + below * down > threshold ? 1 : 0;
    }
    addRow(runs, bits, y * to.width + begin);
  }
  return { ...to, runs: Int32Array.from(runs) };
}

/** Appends the runs of a row that begins at pixel `offset`; one that begins a row may touch the last. */
function addRow(runs: number[], bits: Uint8Array, offset: number): void {
  for (let start = bits.indexOf(1); start >= 0; ) {
    const stop = bits.indexOf(0, start);
    const end = stop < 0 ? bits.length : stop;
    addRun(runs, offset + start, end - start);
    start = bits.indexOf(1, end);
  }
}

function valueAt({ left, top, right, bottom, values }: GridValues, x: number, y: number): number {
  if (x < left || x >= right || y < top || y >= bottom) return 0;
  return values[(y - top) * (right - left) + x - left]!;
}

function tapsOf(length: number, target: number): { readonly first: Int32Array; readonly share: Float64Array } {
  const first = new Int32Array(target);
  const share = new Float64Array(target);
  for (let at = 0; at < target; at++) {
    const place = Math.max(((at + 0.5) * length) / target - 0.5, 0);
    first[at] = Math.min(Math.floor(place), length - 1);
    share[at] = place - first[at]!;
  }
  return { first, share };
}
