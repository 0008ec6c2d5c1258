// map of how likely each pixel is text → boxes around lines
import { type Mask, maskFromBits } from "../../frames/mask.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import { minAreaRect, type RotatedRect, rectCorners } from "../../geometry/min-area-rect.ts";
import type { Point, Polygon } from "../../geometry/points.ts";

/** How likely each pixel of a picture is text, 0 to 1, row by row. */
export interface TextMap {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** Corners clockwise from the left top. */
export type Corners = readonly [Point, Point, Point, Point];

/** A pixel is text from here on; a box stays when its pixels are text on average so surely. */
const PIXEL_THRESHOLD = 0.3;
const BOX_THRESHOLD = 0.6;
/** The map shows lines thinner than they are: boxes grow by this share of their area over their outline. */
const GROWTH = 1.5;
/** Shortest side of a box in pixels, before and after it grew. */
const SHORTEST = 3;
const SHORTEST_GROWN = 5;

/** Boxes around lines of text in pixels of the map, as DB (differentiable binarisation) finds them. */
export function findTextBoxes(map: TextMap): readonly Corners[] {
  const bits = Uint8Array.from(map.data, (likely) => (likely > PIXEL_THRESHOLD ? 1 : 0));
  const boxes: Corners[] = [];
  for (const contour of contoursOf(maskFromBits(bits, map.width, map.height))) {
    const rect = minAreaRect(contour);
    if (Math.min(rect.width, rect.height) < SHORTEST) continue;
    if (meanInside(map, rectCorners(rect)) < BOX_THRESHOLD) continue;
    const grown = grow(rect);
    if (Math.min(grown.width, grown.height) < SHORTEST_GROWN) continue;
    boxes.push(fromLeftTop(rectCorners(grown)));
  }
  return boxes;
}

/** Lines from the top, and from the left where they stand side by side. */
export function inReadingOrder(boxes: readonly Corners[]): readonly Corners[] {
  const sorted = boxes.toSorted((a, b) => a[0][1] - b[0][1] || a[0][0] - b[0][0]);
  for (let at = 1; at < sorted.length; at++) {
    for (let back = at; back > 0; back--) {
      const [before, after] = [sorted[back - 1]!, sorted[back]!];
      if (Math.abs(after[0][1] - before[0][1]) >= SAME_LINE || after[0][0] >= before[0][0]) break;
      [sorted[back - 1], sorted[back]] = [after, before];
    }
  }
  return sorted;
}

/** Boxes whose tops differ by less, in pixels of the picture, stand side by side. */
const SAME_LINE = 10;

function grow(rect: RotatedRect): RotatedRect {
  const distance = (rect.width * rect.height * GROWTH) / (2 * (rect.width + rect.height));
  return { ...rect, width: rect.width + 2 * distance, height: rect.height + 2 * distance };
}

function meanInside({ width, height, data }: TextMap, polygon: Polygon): number {
  const { runs }: Mask = polygonToMask(
    polygon.map(([x, y]) => [Math.trunc(x), Math.trunc(y)] as const),
    width,
    height,
  );
  let sum = 0;
  let count = 0;
  for (let at = 0; at < runs.length; at += 2) {
    for (let pixel = runs[at]!; pixel < runs[at]! + runs[at + 1]!; pixel++) sum += data[pixel]!;
    count += runs[at + 1]!;
  }
  return count === 0 ? 0 : sum / count;
}

/** The two leftmost corners first, each pair from the top. */
function fromLeftTop(polygon: Polygon): Corners {
  const [a, b, c, d] = polygon.toSorted((one, other) => one[0] - other[0]) as [Point, Point, Point, Point];
  const [leftTop, leftBottom] = a[1] <= b[1] ? [a, b] : [b, a];
  const [rightTop, rightBottom] = c[1] <= d[1] ? [c, d] : [d, c];
  return [leftTop, rightTop, rightBottom, leftBottom];
}
