// detections of one picture → the same things in coordinates of another
import type { ColumnValue, Detections } from "../frames/detections.ts";
import { moveMask } from "../frames/mask.ts";
import { moveBoxes } from "../geometry/box-moves.ts";
import type { Point } from "../geometry/points.ts";

/** Columns that hold points: a list of them for each row. */
const POINT_COLUMNS = ["keypoints_xy", "polygon", "xyxyxyxy"] as const;

/** Moves boxes, masks and points; masks are cut to the new picture. */
export function moveDetections(
  detections: Detections,
  offset: Point,
  { width, height }: { readonly width: number; readonly height: number },
): Detections {
  const data: Record<string, readonly ColumnValue[]> = { ...detections.data };
  for (const name of POINT_COLUMNS) {
    if (data[name] !== undefined) data[name] = data[name].map((points) => movePoints(points, offset));
  }
  return detections.with({
    xyxy: moveBoxes(detections.xyxy, offset),
    masks: detections.masks?.map((mask) => moveMask(mask, offset, width, height)),
    data,
  });
}

function movePoints(points: ColumnValue, [x, y]: Point): ColumnValue {
  if (!Array.isArray(points)) return points;
  return (points as readonly (readonly number[])[]).map(([left, top, ...rest]) => [left! + x, top! + y, ...rest]);
}
