// detections on a crop → detections on the frame that it comes from

import { inputError } from "../errors.ts";
import { type ColumnValue, type DetectionTable, repeated } from "../frames/detections.ts";
import type { Mask } from "../frames/mask.ts";
import { maskToCocoRle, scaleMask } from "../geometry/mask-shapes.ts";
import { moveDetections, noteForAll } from "../geometry/placed-detections.ts";
import { roundHalfEven } from "../geometry/polygons.ts";

/** False when `toRootCoordinates` would change nothing that matters: made on the frame itself, or of unknown origin. */
export function isOffRoot({ length, data, metadata }: DetectionTable): boolean {
  if (length === 0) return "root_parent_dimensions" in metadata;
  const { root_parent_coordinates, root_parent_dimensions, image_dimensions, scaling_relative_to_root_parent } = data;
  if (root_parent_coordinates === undefined) return false;
  if (root_parent_coordinates.some((point) => !isSamePair(point, [0, 0]))) return true;
  const sameSize =
    root_parent_dimensions?.every((size, row) => isSamePair(size, image_dimensions?.[row] ?? size)) ?? true;
  const scales = (scaling_relative_to_root_parent ?? []) as readonly number[];
  return !sameSize || scales.some((scale) => Math.abs(scale - 1) > 1e-5);
}

/** Moves detections that were made on a crop into the frame; those that know of no frame stay as they are. */
export function toRootCoordinates(detections: DetectionTable): DetectionTable {
  if (detections.length === 0) return emptyInRoot(detections);
  const { root_parent_id, root_parent_coordinates, root_parent_dimensions } = detections.data;
  if (!root_parent_id || !root_parent_coordinates || !root_parent_dimensions) return detections;
  const scale = detections.data.scaling_relative_to_root_parent?.[0] as number | undefined;
  const scaled = scale === undefined ? detections : scaleDetections(detections, 1 / scale);
  const shift = root_parent_coordinates[0] as readonly [number, number];
  const [height, width] = root_parent_dimensions[0] as readonly [number, number];
  const moved = moveDetections(scaled, shift, { width, height });
  return noteForAll(moved, rootOrigin(root_parent_id[0]!, [height, width]));
}

function emptyInRoot(detections: DetectionTable): DetectionTable {
  const { root_parent_dimensions: dimensions, root_parent_id: id } = detections.metadata;
  if (dimensions === undefined || id === undefined) return detections;
  return detections.with({ metadata: { ...detections.metadata, ...rootOrigin(id, dimensions) } });
}

/** Where detections lie that are in the frame itself. */
function rootOrigin(id: ColumnValue, dimensions: ColumnValue): Record<string, ColumnValue> {
  return {
    image_dimensions: dimensions,
    parent_id: id,
    parent_coordinates: [0, 0],
    parent_dimensions: dimensions,
    root_parent_id: id,
    root_parent_coordinates: [0, 0],
    root_parent_dimensions: dimensions,
    scaling_relative_to_parent: 1,
    scaling_relative_to_root_parent: 1,
  };
}

function isSamePair(one: ColumnValue, other: ColumnValue): boolean {
  const [a, b] = one as readonly number[];
  const [c, d] = other as readonly number[];
  return a === c && b === d;
}

export interface ScaleOptions {
  /** Size of the new picture, where it is known better than by scaling. */
  readonly target?: { readonly width: number; readonly height: number };
  /** Remembers the scale, so that detections find back to the frame. Default true; needs one scale for both axes. */
  readonly remember?: boolean;
}

type Scale = readonly [x: number, y: number];

/** Boxes, keypoints, polygons and masks at another size, rounded to whole pixels. Throws a `ValueError`. */
export function scaleDetections(
  detections: DetectionTable,
  scale: number | Scale,
  options: ScaleOptions = {},
): DetectionTable {
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
