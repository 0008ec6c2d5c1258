// detections of a picture → where they come from, and where they are in the picture it was cut from
import { type ColumnValue, type DetectionTable, repeated } from "../frames/detections.ts";
import type { ImageValue } from "../frames/image-value.ts";
import { moveMask } from "../frames/mask.ts";
import { moveBoxes } from "../geometry/boxes.ts";
import type { Point } from "../geometry/polygons.ts";

/** Notes picture, parent and root at every row, and once for all when there are none. */
export function noteOrigin(detections: DetectionTable, image: ImageValue, predictionType: string): DetectionTable {
  return noteForAll(detections, { prediction_type: predictionType, ...originOf(image) });
}

/** Notes parent and root of the picture only. */
export function noteParents(detections: DetectionTable, image: ImageValue): DetectionTable {
  const { image_dimensions, ...parents } = originOf(image);
  return noteForAll(detections, parents);
}

/** Picture, parent and root by the names of their columns. */
export function originOf({ width, height, parent, root }: ImageValue) {
  return {
    image_dimensions: [height, width],
    parent_id: parent.id,
    parent_coordinates: [parent.x, parent.y],
    parent_dimensions: [parent.height, parent.width],
    root_parent_id: root.id,
    root_parent_coordinates: [root.x, root.y],
    root_parent_dimensions: [root.height, root.width],
  } satisfies Readonly<Record<string, ColumnValue>>;
}

/** The same at every row, and once for all. */
export function noteForAll(detections: DetectionTable, origin: Readonly<Record<string, ColumnValue>>): DetectionTable {
  const columns: Record<string, readonly ColumnValue[]> = { ...detections.data };
  for (const name in origin) columns[name] = repeated(origin[name]!, detections.length);
  return detections.with({ data: columns, metadata: { ...detections.metadata, ...origin } });
}

/** Columns that hold points: a list of them for each row. */
const POINT_COLUMNS = ["keypoints_xy", "polygon", "xyxyxyxy"] as const;

/** Moves boxes, masks and points; masks are cut to the new picture. */
export function moveDetections(
  detections: DetectionTable,
  offset: Point,
  { width, height }: { readonly width: number; readonly height: number },
): DetectionTable {
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
