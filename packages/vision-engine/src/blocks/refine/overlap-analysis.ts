// two sets of detections → which overlap, and by how much
import type { Detections } from "../../frames/detections.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { boxOverlaps } from "../../geometry/overlap.ts";
import type { Polygon } from "../../geometry/points.ts";
import { isSimplePolygon, sharedArea } from "../../geometry/polygon-overlap.ts";
import { polygonArea } from "../../geometry/polygons.ts";
import type { BlockValue } from "../block.ts";
import { detectionsOf, numberOf } from "../block-inputs.ts";
import { longestContour } from "../longest-contour.ts";
import { statelessBlock } from "../stateless-block.ts";

export const overlapAnalysis = statelessBlock({
  type: "roboflow_core/overlap_analysis@v1",
  description: "Tells for each pair of two sets of detections which share of the first is covered by the second.",
  phrase: "measures overlaps",
  run: (inputs) => {
    const reference = detectionsOf(inputs, "reference_predictions");
    const candidate = detectionsOf(inputs, "candidate_predictions");
    const least = numberOf(inputs, "min_overlap");
    const { values, columns } = boxOverlaps(reference.xyxy, candidate.xyxy);
    const overlaps: BlockValue[] = [];
    for (const [at, value] of values.entries()) {
      if (value <= 0) continue;
      const [row, column] = [Math.floor(at / columns), at % columns];
      const outline = outlineOf(reference, row);
      const area = polygonArea(outline);
      if (area <= 0) continue;
      const ratio = sharedArea(outline, outlineOf(candidate, column)) / area;
      if (ratio < least) continue;
      overlaps.push({
        ...describe("reference", reference, row),
        ...describe("candidate", candidate, column),
        overlap_ratio: ratio,
      });
    }
    return { overlaps };
  },
});

/** Outline of the mask, of the box where there is none that does not cross itself. */
function outlineOf({ masks, xyxy }: Detections, row: number): Polygon {
  const mask = masks?.[row];
  const contour = mask && longestContour(contoursOf(mask));
  if (contour !== undefined && contour.length >= 3 && isSimplePolygon(contour)) return contour;
  const [left, top, right, bottom] = xyxy.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

function describe(role: string, { data, confidence }: Detections, row: number): Readonly<Record<string, BlockValue>> {
  const id = data.detection_id === undefined ? {} : { [`${role}_detection_id`]: data.detection_id[row] ?? null };
  return {
    [`${role}_class`]: data.class_name?.[row] ?? null,
    [`${role}_confidence`]: confidence?.[row] ?? null,
    ...id,
  };
}
