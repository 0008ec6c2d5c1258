// detections → those that are wanted
import { inputError } from "../../errors.ts";
import { classNamesOf, DetectionTable, filterRows } from "../../frames/detections.ts";
import { anchorPoint } from "../../geometry/boxes.ts";
import { createQueryCache } from "../../query/statements.ts";
import { type Block, type BlockDefinition, type BlockInputs, block, detectionsOf, numberOr, textOf } from "../block.ts";

const DEFAULT_THRESHOLD = 0.3;

export const perClassConfidenceFilter = block({
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
  detections: DetectionTable,
  thresholds: Readonly<Record<string, number>>,
  defaultThreshold: number,
): DetectionTable {
  const { confidence } = detections;
  if (confidence === undefined) return detections;
  const names = classNamesOf(detections);
  return filterRows(detections, (row) => confidence[row]! >= (thresholds[names[row]!] ?? defaultThreshold));
}

function thresholdsOf({ class_thresholds: value }: BlockInputs): Readonly<Record<string, number>> {
  if (typeof value === "object" && value !== null && Object.values(value).every((item) => typeof item === "number")) {
    return value as unknown as Readonly<Record<string, number>>;
  }
  throw inputError(`"class_thresholds" must be a dictionary of class names and numbers.`);
}

/** The name under which operations know the value they work on. */
const RESERVED_PARAMETER = "_";

export const detectionsFilter = operationsBlock({
  type: "roboflow_core/detections_filter@v1",
  description: "Keeps the detections that fulfil conditions, such as class, size, place or confidence.",
  phrase: "keeps those that fulfil the conditions",
});

export const detectionsTransformation = operationsBlock({
  type: "roboflow_core/detections_transformation@v1",
  description: "Changes detections by a list of operations: filters, shifts, renames, sorts or selects them.",
  phrase: "transforms the detections",
});

function operationsBlock(text: BlockDefinition): Block {
  return block({
    ...text,
    stateless: true,
    start: (context) => {
      const queries = createQueryCache(context);
      return (inputs) => {
        const parameters = (inputs.operations_parameters ?? {}) as BlockInputs;
        if (RESERVED_PARAMETER in parameters) {
          throw inputError(`"${RESERVED_PARAMETER}" cannot be the name of a parameter of operations: rename it.`);
        }
        const predictions = queries.operations(inputs.operations)(detectionsOf(inputs, "predictions"), parameters);
        if (predictions instanceof DetectionTable) return { predictions };
        throw inputError("The operations turn the detections into something else; the last one must give detections.");
      };
    },
  });
}

type Overlaps = (detections: DetectionTable, row: number, holder: number) => boolean;

const OVERLAPS: Readonly<Record<string, Overlaps>> = {
  "Center Overlap": ({ xyxy }, row, holder) => {
    const [x, y] = anchorPoint(xyxy, "CENTER", row);
    const at = 4 * holder;
    return x > xyxy[at]! && x < xyxy[at + 2]! && y > xyxy[at + 1]! && y < xyxy[at + 3]!;
  },
  "Any Overlap": ({ xyxy }, row, holder) => {
    const [a, b] = [4 * row, 4 * holder];
    const apartX = xyxy[a]! > xyxy[b + 2]! || xyxy[b]! > xyxy[a + 2]!;
    return !apartX && xyxy[a + 1]! <= xyxy[b + 3]! && xyxy[b + 1]! <= xyxy[a + 3]!;
  },
};

export const overlap = block({
  type: "roboflow_core/overlap@v1",
  description: "Keeps what overlaps a thing of one class, such as goods in a basket.",
  phrase: (step) => `keeps what overlaps '${step.properties.overlap_class_name}'`,
  run: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    const className = textOf(inputs, "overlap_class_name");
    const overlaps = OVERLAPS[textOf(inputs, "overlap_type")];
    if (overlaps === undefined) throw inputError(`"overlap_type" knows ${Object.keys(OVERLAPS).join(" and ")}.`);
    const names = classNamesOf(detections);
    const holders = [...names.keys()].filter((row) => names[row] === className);
    const isWanted = (row: number): boolean =>
      names[row] !== className && holders.some((holder) => overlaps(detections, row, holder));
    return { overlaps: filterRows(detections, isWanted) };
  },
});
