// detections of a picture → where they come from
import type { ColumnValue, DetectionTable } from "../frames/detections.ts";
import type { ImageValue } from "../frames/image-value.ts";
import { noteForAll } from "../geometry/placed-detections.ts";

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
