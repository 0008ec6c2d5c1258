// boxes of letters and words → the text they make
import { Detections } from "../../frames/detections.ts";
import { Batch } from "../batch.ts";
import type { Block, BlockInputs } from "../block.ts";
import { numberOr, textOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import {
  detectReadingDirection,
  type ReadingDirection,
  stitchByFollowing,
  stitchByGaps,
  stitchByTolerance,
} from "./ocr-lines.ts";

export const stitchOcrDetectionsV1 = stitchOcrDetections("v1");
export const stitchOcrDetectionsV2 = stitchOcrDetections("v2");

function stitchOcrDetections(version: string): Block {
  return {
    manifest: manifestOf(`roboflow_core/stitch_ocr_detections@${version}`),
    description: "Joins the letters and words that were found into text, line by line.",
    stateless: true,
    phrase: () => "joins letters into text",
    create: () => ({
      run(inputs) {
        const predictions = inputs.predictions instanceof Batch ? inputs.predictions.items : [inputs.predictions];
        const pictures = predictions.filter((value) => value instanceof Detections);
        // The first picture decides for all.
        const [first] = pictures;
        const written = textOf(inputs, "reading_direction");
        const direction = written === "auto" && first !== undefined ? detectReadingDirection(first) : written;
        return pictures.map((detections) => ({ ocr_text: stitch(detections, direction as ReadingDirection, inputs) }));
      },
    }),
  };
}

function stitch(detections: Detections, direction: ReadingDirection, inputs: BlockInputs): string {
  const delimiter = typeof inputs.delimiter === "string" ? inputs.delimiter : "";
  if (detections.length === 0) return "";
  if (inputs.stitching_algorithm === "otsu") {
    const multiplier = numberOr(inputs, "otsu_threshold_multiplier", 1);
    return stitchByGaps(detections, direction, { multiplier, delimiter });
  }
  if (inputs.stitching_algorithm === "collimate") {
    const tolerance = numberOr(inputs, "collimate_tolerance", 10);
    return stitchByFollowing(detections, direction, { tolerance, delimiter });
  }
  return stitchByTolerance(detections, direction, { tolerance: numberOr(inputs, "tolerance", 10), delimiter });
}
