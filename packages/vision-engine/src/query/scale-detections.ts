// detections on a picture → detections on the same picture at another size
import { inputError } from "../errors.ts";
import { type ColumnValue, type Detections, repeated } from "../frames/detections.ts";
import type { Mask } from "../frames/mask.ts";
import { maskToCocoRle } from "../geometry/coco-rle.ts";
import { roundHalfEven } from "../geometry/points.ts";
import { scaleMask } from "../geometry/scale-mask.ts";

export interface ScaleOptions {
  /** Size of the new picture, where it is known better than by scaling. */
  readonly target?: { readonly width: number; readonly height: number };
  /** Remembers the scale, so that detections find back to the frame. Default true; needs one scale for both axes. */
  readonly remember?: boolean;
}

type Scale = readonly [x: number, y: number];

/** Boxes, keypoints, polygons and masks at another size, rounded to whole pixels. Throws a `ValueError`. */
export function scaleDetections(detections: Detections, scale: number | Scale, options: ScaleOptions = {}): Detections {
  if (detections.length === 0) return detections;
  const { target, remember = true } = options;
  const [x, y] = typeof scale === "number" ? [scale, scale] : scale;
  if (remember && Math.abs(x - y) >= 1e-9) {
    throw inputError("Detections scaled by two different factors cannot remember their scale: turn that off.");
  }
  const masks = detections.masks?.map((mask) => scaledMask(mask, [x, y], target));
  const columns: Record<string, readonly ColumnValue[]> = { ...detections.data };
  const replace = (name: string, change: (value: ColumnValue) => ColumnValue): void => {
    if (columns[name] !== undefined) columns[name] = columns[name].map(change);
  };
  replace("keypoints_xy", (points) => scalePoints(points, [x, y]));
  replace("polygon", (points) => scalePoints(points, [x, y]));
  replace("image_dimensions", (size) => scalePoints([size], [y, x])[0]!);
  if (target !== undefined) columns.image_dimensions = repeated([target.height, target.width], detections.length);
  if (columns.rle_mask !== undefined && masks !== undefined && masks[0] !== detections.masks![0]) {
    columns.rle_mask = masks.map((mask) => ({ ...maskToCocoRle(mask) }));
  }
  if (remember) {
    for (const name of ["scaling_relative_to_parent", "scaling_relative_to_root_parent"]) {
      const before = columns[name] ?? new Array<number>(detections.length).fill(1);
      columns[name] = (before as readonly number[]).map((value) => value * x);
    }
  }
  const xyxy = detections.xyxy.map((value, at) => roundHalfEven(value * (at % 2 === 0 ? x : y)));
  return detections.with({ xyxy, masks, data: columns });
}

/** Width and height with the longer side at most `maxEdge`; a smaller picture is not enlarged. */
export function fitToMaxEdge(width: number, height: number, maxEdge: number): readonly [width: number, height: number] {
  if (Math.max(width, height) <= maxEdge) return [width, height];
  if (width >= height) return [maxEdge, Math.max(1, roundHalfEven((height * maxEdge) / width))];
  return [Math.max(1, roundHalfEven((width * maxEdge) / height)), maxEdge];
}

function scalePoints(points: ColumnValue, [x, y]: Scale): readonly ColumnValue[] {
  return (points as readonly (readonly [number, number])[]).map((point) => [
    roundHalfEven(point[0] * x),
    roundHalfEven(point[1] * y),
  ]);
}

function scaledMask(mask: Mask, [x, y]: Scale, target: ScaleOptions["target"]): Mask {
  const width = Math.max(1, target?.width ?? roundHalfEven(mask.width * x));
  const height = Math.max(1, target?.height ?? roundHalfEven(mask.height * y));
  return scaleMask(mask, width, height);
}
