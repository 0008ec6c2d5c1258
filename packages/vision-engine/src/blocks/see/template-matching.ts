// picture, small picture → boxes where the small one is found
import { Detections, emptyDetections, repeated, selectRows, withColumns } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { boxNms } from "../../geometry/nms.ts";
import { matchTemplate } from "../../pixels/match-template.ts";
import type { Block, BlockInputs } from "../block.ts";
import { imageOf, numberOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { noteOrigin } from "../note-origin.ts";
import { greyOfColor, pictureError } from "./image-planes.ts";

export const templateMatching: Block = {
  manifest: manifestOf("roboflow_core/template_matching@v1"),
  description: "Finds the places where a small picture occurs in a larger one.",
  stateless: true,
  phrase: () => "looks for the template",
  create: ({ newId }) => ({
    run(inputs) {
      const image = imageOf(inputs, "image");
      const matches = findMatches(image, inputs);
      const ids = Array.from({ length: matches.length }, newId);
      const predictions = noteOrigin(withColumns(matches, { detection_id: ids }), image, "object-detection");
      return { predictions, number_of_matches: matches.length };
    },
  }),
};

function findMatches(image: ImageValue, inputs: BlockInputs): Detections {
  const { width, height } = imageOf(inputs, "template");
  if (width > image.width || height > image.height) {
    throw pictureError(
      `The template (${width}×${height}) is larger than the picture (${image.width}×${image.height}).`,
    );
  }
  const found = matchTemplate(greyOfColor(image), greyOfColor(imageOf(inputs, "template")));
  const threshold = numberOf(inputs, "matching_threshold");
  const boxes: number[] = [];
  for (const [at, score] of found.scores.entries()) {
    if (score < threshold) continue;
    const x = at % found.width;
    const y = (at - x) / found.width;
    boxes.push(x, y, x + width, y + height);
  }
  if (boxes.length === 0) return emptyDetections();
  const matches = toDetections(boxes);
  if (inputs.apply_nms === false) return matches;
  return selectRows(
    matches,
    boxNms({ xyxy: matches.xyxy, confidence: matches.confidence! }, numberOf(inputs, "nms_threshold")),
  );
}

/** A match counts as certain, however alike it is. */
function toDetections(boxes: readonly number[]): Detections {
  const count = boxes.length / 4;
  return new Detections({
    xyxy: Float64Array.from(boxes),
    confidence: new Float64Array(count).fill(1),
    classId: new Int32Array(count),
    data: { class_name: repeated("template_match", count) },
  });
}
