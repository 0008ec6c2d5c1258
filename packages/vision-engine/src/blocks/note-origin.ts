// detections of a picture → detections that know which picture they were made on
import { type ColumnValue, type Detections, repeated } from "../frames/detections.ts";
import type { ImageValue } from "../frames/image-value.ts";

/** Notes picture, parent and root at every row, and once for all when there are none. */
export function noteOrigin(detections: Detections, image: ImageValue, predictionType: string): Detections {
  const { width, height } = image;
  const noted = noteForAll(detections, { prediction_type: predictionType, image_dimensions: [height, width] });
  return noteParents(noted, image);
}

/** Notes parent and root of the picture only. */
export function noteParents(detections: Detections, { parent, root }: ImageValue): Detections {
  return noteForAll(detections, {
    parent_id: parent.id,
    parent_coordinates: [parent.x, parent.y],
    parent_dimensions: [parent.height, parent.width],
    root_parent_id: root.id,
    root_parent_coordinates: [root.x, root.y],
    root_parent_dimensions: [root.height, root.width],
  });
}

function noteForAll(detections: Detections, origin: Readonly<Record<string, ColumnValue>>): Detections {
  const columns: Record<string, readonly ColumnValue[]> = { ...detections.data };
  for (const name in origin) columns[name] = repeated(origin[name]!, detections.length);
  return detections.with({ data: columns, metadata: { ...detections.metadata, ...origin } });
}
