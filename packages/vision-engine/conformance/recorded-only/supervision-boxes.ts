// boxes in other forms, as supervision has them: nothing here uses them
import { inputError } from "../../src/errors.ts";
import type { OverlapMetric } from "../../src/geometry/overlap.ts";
import { type Polygon, polygonArea } from "../../src/geometry/polygons.ts";

/** Every box cut at the borders of the picture. */
export function clipBoxes(xyxy: Float64Array, width: number, height: number): Float64Array {
  return xyxy.map((value, at) => Math.min(Math.max(value, 0), at % 2 === 0 ? width : height));
}

/** Boxes grown about their centres by a factor. */
export function scaleBoxes(xyxy: Float64Array, factor: number): Float64Array {
  return xyxy.map((value, at) => {
    const opposite = xyxy[at % 4 < 2 ? at + 2 : at - 2]!;
    const center = (value + opposite) / 2;
    return center + (value - center) * factor;
  });
}

/** Pixels from shares of the picture; `whole` is what stands for its full width and height. */
export function denormalizeBoxes(
  xyxy: Float64Array,
  { width, height, whole = 1 }: { readonly width: number; readonly height: number; readonly whole?: number },
): Float64Array {
  if (whole <= 0) throw inputError("The number that stands for the whole picture must be above 0.");
  return xyxy.map((value, at) => (value * (at % 2 === 0 ? width : height)) / whole);
}

/** Left, top, width, height → left, top, right, bottom. */
export function xywhToXyxy(xywh: Float64Array): Float64Array {
  return xywh.map((value, at) => (at % 4 < 2 ? value : value + xywh[at - 2]!));
}

/** Left, top, right, bottom → left, top, width, height. */
export function xyxyToXywh(xyxy: Float64Array): Float64Array {
  return xyxy.map((value, at) => (at % 4 < 2 ? value : value - xyxy[at - 2]!));
}

/** Centre, width, height → left, top, right, bottom. */
export function xcycwhToXyxy(xcycwh: Float64Array): Float64Array {
  return xcycwh.map((value, at) => (at % 4 < 2 ? value - xcycwh[at + 2]! / 2 : xcycwh[at - 2]! + value / 2));
}

/** Left, top, right, bottom → centre, width ÷ height, height, as the Kalman filters of trackers want it. */
export function xyxyToXcycarh(xyxy: Float64Array): Float64Array {
  const rows = new Float64Array(xyxy.length);
  for (let at = 0; at < xyxy.length; at += 4) {
    const [width, height] = [xyxy[at + 2]! - xyxy[at]!, xyxy[at + 3]! - xyxy[at + 1]!];
    const ratio = height === 0 ? 0 : width / height;
    rows.set([xyxy[at]! + width / 2, xyxy[at + 1]! + height / 2, ratio, height], at);
  }
  return rows;
}

/** Reads the name of a metric in any case. */
export function parseOverlapMetric(name: string): OverlapMetric {
  const metric = name.toUpperCase();
  if (metric === "IOU" || metric === "IOS") return metric;
  throw inputError(`There is no overlap metric "${name}": take "iou" or "ios".`);
}

/** Polygons whose area lies between the bounds, both included. */
export function filterPolygonsByArea(
  polygons: readonly Polygon[],
  { minArea = 0, maxArea = Number.POSITIVE_INFINITY }: { readonly minArea?: number; readonly maxArea?: number },
): readonly Polygon[] {
  return polygons.filter((polygon) => {
    const area = polygonArea(polygon);
    return area >= minArea && area <= maxArea;
  });
}
