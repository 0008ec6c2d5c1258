// detections → those that are sure enough for their class
import { inputError } from "../../errors.ts";
import { classNamesOf, type Detections, selectRows } from "../../frames/detections.ts";
import type { BlockInputs } from "../block.ts";
import { detectionsOf, numberOr } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

const DEFAULT_THRESHOLD = 0.3;

export const perClassConfidenceFilter = statelessBlock({
  type: "roboflow_core/per_class_confidence_filter@v1",
  description: "Keeps detections whose confidence reaches the threshold of their class.",
  phrase: "keeps those that are sure enough for their class",
  run: (inputs) => ({
    predictions: filterByClassConfidence(
      detectionsOf(inputs, "predictions"),
      thresholdsOf(inputs),
      numberOr(inputs, "default_threshold", DEFAULT_THRESHOLD),
    ),
  }),
});

/** Classes that are not named need the default. */
export function filterByClassConfidence(
  detections: Detections,
  thresholds: Readonly<Record<string, number>>,
  defaultThreshold: number,
): Detections {
  const { confidence } = detections;
  if (confidence === undefined) return detections;
  const names = classNamesOf(detections);
  const rows = [...names.keys()].filter((row) => confidence[row]! >= (thresholds[names[row]!] ?? defaultThreshold));
  return selectRows(detections, rows);
}

function thresholdsOf({ class_thresholds: value }: BlockInputs): Readonly<Record<string, number>> {
  if (typeof value === "object" && value !== null && Object.values(value).every((item) => typeof item === "number")) {
    return value as unknown as Readonly<Record<string, number>>;
  }
  throw inputError(`"class_thresholds" must be a dictionary of class names and numbers.`);
}
