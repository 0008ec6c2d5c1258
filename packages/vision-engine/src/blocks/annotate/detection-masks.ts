import type { Detections } from "../../frames/detections.ts";
import { emptyMask, type Mask, maskArea } from "../../frames/mask.ts";
import { boxArea } from "../../geometry/boxes.ts";
import { type CocoRle, maskFromCocoRle } from "../../geometry/coco-rle.ts";
import { wholeBox } from "./drawing-block.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Masks of the rows, also those that are still written as run lengths. */
export function masksOf({ masks, data }: Detections): readonly Mask[] | undefined {
  if (masks !== undefined || data.rle_mask === undefined) return masks;
  const packed = data.rle_mask as unknown as readonly CocoRle[];
  return packed.map((rle) => maskFromCocoRle(rle) ?? emptyMask(rle.size[1], rle.size[0]));
}

/** Calls back for each run of pixels of a row that lies in the picture: those of its mask, or of its box. */
export function visitRuns(
  detections: Detections,
  row: number,
  { width, height }: Size,
  visit: (start: number, end: number) => void,
): void {
  const mask = masksOf(detections)?.[row];
  if (mask === undefined) {
    const [left, top, right, bottom] = wholeBox(detections, row);
    const [from, to] = [Math.max(0, left), Math.min(width, right)];
    for (let y = Math.max(0, top); y < Math.min(height, bottom) && from < to; y++)
      visit(y * width + from, y * width + to);
    return;
  }
  if (mask.width !== width || mask.height !== height) return;
  for (let at = 0; at < mask.runs.length; at += 2) visit(mask.runs[at]!, mask.runs[at]! + mask.runs[at + 1]!);
}

/** One byte a pixel: 1 where any of the detections lies. */
export function coverageOf(detections: Detections, size: Size): Uint8Array {
  const covered = new Uint8Array(size.width * size.height);
  for (let row = 0; row < detections.length; row++) {
    visitRuns(detections, row, size, (start, end) => covered.fill(1, start, end));
  }
  return covered;
}

/** Rows from the largest to the smallest, so that small things are drawn last. */
export function largestFirst(detections: Detections): readonly number[] {
  const masks = masksOf(detections);
  const areas = Array.from({ length: detections.length }, (_, row) =>
    masks === undefined ? boxArea(detections.xyxy, row) : maskArea(masks[row]!),
  );
  return [...areas.keys()].sort((one, other) => areas[other]! - areas[one]! || other - one);
}
