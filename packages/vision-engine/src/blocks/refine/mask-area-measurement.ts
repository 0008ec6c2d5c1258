// detections → how large each is
import { type Detections, withColumns } from "../../frames/detections.ts";
import { maskArea } from "../../frames/mask.ts";
import { boxArea } from "../../geometry/boxes.ts";
import { detectionsOf, numberOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

export const maskAreaMeasurement = statelessBlock({
  type: "roboflow_core/mask_area_measurement@v1",
  description: "Measures the area of each detection in pixels and in square units.",
  phrase: "measures areas",
  run: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    const pixelsPerUnit = numberOf(inputs, "pixels_per_unit");
    const scale = pixelsPerUnit > 0 ? pixelsPerUnit ** 2 : 1;
    const areas = measureAreas(detections);
    return {
      predictions: withColumns(detections, { area_px: areas, area_converted: areas.map((area) => area / scale) }),
    };
  },
});

/** Set pixels of the mask; the area of the box where there are none. */
export function measureAreas({ xyxy, masks, length }: Detections): readonly number[] {
  return Array.from({ length }, (_, row) => {
    const pixels = masks === undefined ? 0 : maskArea(masks[row]!);
    return pixels > 0 ? pixels : boxArea(xyxy, row);
  });
}
