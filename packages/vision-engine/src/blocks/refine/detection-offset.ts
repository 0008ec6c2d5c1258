// boxes → the same boxes with more around them
import { columnOf, type Detections, repeated, withColumns } from "../../frames/detections.ts";
import { detectionsOf, numberOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

export interface OffsetOptions {
  readonly width: number;
  readonly height: number;
  /** The offsets are percent of the box instead of pixels. */
  readonly percent: boolean;
  readonly newId: () => string;
}

export const detectionOffset = statelessBlock({
  type: "roboflow_core/detection_offset@v1",
  description: "Makes boxes larger by pixels or percent, within the picture.",
  phrase: "widens the boxes",
  run: (inputs, { newId }) => ({
    predictions: offsetBoxes(detectionsOf(inputs, "predictions"), {
      width: numberOf(inputs, "offset_width"),
      height: numberOf(inputs, "offset_height"),
      percent: inputs.units === "Percent (%)",
      newId,
    }),
  }),
});

/** Half the offset on each side, cut at the picture. What was the id of a detection becomes the id of its parent. */
export function offsetBoxes(detections: Detections, { width, height, percent, newId }: OffsetOptions): Detections {
  const { xyxy, length } = detections;
  if (length === 0) return detections;
  const sizes = columnOf(detections, "image_dimensions") as readonly (readonly [number, number])[];
  const grown = xyxy.map((value, at) => {
    const [imageHeight, imageWidth] = sizes[Math.floor(at / 4)]!;
    const upright = at % 2 === 1;
    const side = Math.abs(xyxy[at % 4 < 2 ? at + 2 : at - 2]! - value);
    const offset = upright ? height : width;
    const margin = percent ? Math.trunc((side * offset) / 200) : Math.floor(offset / 2);
    if (at % 4 < 2) return Math.max(0, value - margin);
    return Math.min(upright ? imageHeight : imageWidth, value + margin);
  });
  return withColumns(detections.with({ xyxy: grown }), {
    parent_id: columnOf(detections, "detection_id"),
    detection_id: repeated("", length).map(newId),
  });
}
