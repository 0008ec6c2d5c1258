// detections of a picture → the same in another one that it was cut from, or that was cut from it
import { type ColumnValue, type DetectionTable, repeated } from "../frames/detections.ts";
import type { PixelSize } from "../frames/frame.ts";
import { moveMask } from "../frames/mask.ts";
import { moveBoxes } from "./boxes.ts";
import type { Point } from "./polygons.ts";

/** The same at every row, and once for all. */
export function noteForAll(detections: DetectionTable, origin: Readonly<Record<string, ColumnValue>>): DetectionTable {
  const columns: Record<string, readonly ColumnValue[]> = { ...detections.data };
  for (const name in origin) columns[name] = repeated(origin[name]!, detections.length);
  return detections.with({ data: columns, metadata: { ...detections.metadata, ...origin } });
}

/** Columns that hold points: a list of them for each row. */
const POINT_COLUMNS = ["keypoints_xy", "polygon", "xyxyxyxy"] as const;

/** Moves boxes, masks and points; masks are cut to the new picture. */
export function moveDetections(detections: DetectionTable, offset: Point, size: PixelSize): DetectionTable {
  const data: Record<string, readonly ColumnValue[]> = { ...detections.data };
  for (const name of POINT_COLUMNS) {
    if (data[name] !== undefined) data[name] = data[name].map((points) => movePoints(points, offset));
  }
  return detections.with({
    xyxy: moveBoxes(detections.xyxy, offset),
    masks: detections.masks?.map((mask) => moveMask(mask, offset, size.width, size.height)),
    data,
  });
}

function movePoints(points: ColumnValue, [x, y]: Point): ColumnValue {
  if (!Array.isArray(points)) return points;
  return (points as readonly (readonly number[])[]).map(([left, top, ...rest]) => [left! + x, top! + y, ...rest]);
}
