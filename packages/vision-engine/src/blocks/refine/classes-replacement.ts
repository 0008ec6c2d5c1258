// detections and what a classifier said of each → detections with those classes
import { inputError } from "../../errors.ts";
import { columnOf, DetectionTable, emptyDetections, selectRows, withColumns } from "../../frames/detections.ts";
import { BlockBatch, type BlockInputs, type BlockValue, block } from "../block.ts";

/** Class number of things whose class has none. */
const NO_CLASS_ID = 0x7fffffff;

/** What a classification comes down to. */
export interface LeadingClass {
  readonly name: string;
  readonly id: number;
  readonly confidence: number;
}

interface ClassificationResult {
  readonly parent_id?: string;
  readonly top?: string;
  /** A list for single label, a dictionary for multi label. */
  readonly predictions?:
    | readonly { readonly class: string; readonly class_id: number; readonly confidence: number }[]
    | Readonly<Record<string, { readonly class_id: number; readonly confidence: number }>>;
  readonly predicted_classes?: readonly string[];
}

export const classesReplacement = block({
  type: "roboflow_core/detections_classes_replacement@v1",
  description: "Gives each detection the class that a second model found in its crop.",
  phrase: "takes over the classes of the classifier",
  run: (inputs, { newId }) => {
    const { object_detection_predictions: detections, classification_predictions: results } = inputs;
    if (!(detections instanceof DetectionTable)) return { predictions: null };
    const items = results instanceof BlockBatch ? results.items : ((results ?? []) as readonly BlockValue[]);
    const fallback = fallbackOf(inputs);
    const first = items.find((item) => item !== null);
    const classes = isTextual(first ?? null)
      ? classesByPosition(detections, items, fallback)
      : classesByParent(detections, items as readonly (ClassificationResult | null)[], fallback);
    const rows = [...classes.keys()].filter((row) => classes[row] !== undefined);
    if (rows.length === 0) return { predictions: emptyDetections() };
    const found = rows.map((row) => classes[row]!);
    const replaced = selectRows(detections, rows).with({
      classId: Int32Array.from(found, ({ id }) => id),
      confidence: Float64Array.from(found, ({ confidence }) => confidence),
    });
    const class_name = found.map(({ name }) => name);
    return { predictions: withColumns(replaced, { class_name, detection_id: class_name.map(newId) }) };
  },
});

/** Texts of OCR and language models belong to the detections in their order. */
function classesByPosition(
  { length }: DetectionTable,
  items: readonly BlockValue[],
  fallback: LeadingClass | undefined,
): readonly (LeadingClass | undefined)[] {
  return Array.from({ length }, (_, row) => leadingClassOf(items[row] ?? null, fallback));
}

/** Classifications name the detection whose crop they were made on. */
function classesByParent(
  detections: DetectionTable,
  items: readonly (ClassificationResult | null)[],
  fallback: LeadingClass | undefined,
): readonly (LeadingClass | undefined)[] {
  const isEmpty = (item: ClassificationResult | null): boolean =>
    item === null || item.top === "" || item.predictions === undefined;
  if (items.every(isEmpty)) return [];
  const byParent = new Map<unknown, LeadingClass | undefined>();
  for (const item of items) if (item !== null) byParent.set(item.parent_id, leadingClassOf(item, fallback));
  return columnOf(detections, "detection_id").map((id) => byParent.get(id));
}

/** The best class of a classification, a text or a list of texts; the fallback for one that says nothing. */
export function leadingClassOf(
  prediction: string | readonly BlockValue[] | ClassificationResult | BlockValue,
  fallback: LeadingClass | undefined,
): LeadingClass | undefined {
  if (prediction === null) return fallback;
  if (typeof prediction === "string") return { name: prediction, id: 0, confidence: 1 };
  if (Array.isArray(prediction)) {
    if (prediction.length === 0) return fallback;
    const [text] = prediction;
    return typeof text === "string" ? { name: text, id: 0, confidence: 1 } : undefined;
  }
  const result = prediction as ClassificationResult;
  return result.top === undefined ? mostConfident(result) : topClass(result, fallback);
}

function topClass(
  { top, predictions }: ClassificationResult,
  fallback: LeadingClass | undefined,
): LeadingClass | undefined {
  if (!Array.isArray(predictions) || predictions.length === 0) return fallback;
  const matching = predictions.filter((candidate) => candidate.class === top);
  if (matching.length !== 1)
    throw inputError(`The classification names the top class "${top}" ${matching.length} times.`);
  const [{ class_id, confidence }] = matching;
  return { name: top!, id: class_id, confidence };
}

function mostConfident({ predictions = {}, predicted_classes = [] }: ClassificationResult): LeadingClass | undefined {
  if (predicted_classes.length === 0) return undefined;
  let best: LeadingClass | undefined;
  for (const [name, { class_id, confidence }] of Object.entries(predictions)) {
    if (best === undefined || confidence > best.confidence) best = { name, id: class_id, confidence };
  }
  return best;
}

function fallbackOf({ fallback_class_name: name, fallback_class_id: id }: BlockInputs): LeadingClass | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  return { name, id: typeof id === "number" && id >= 0 ? id : NO_CLASS_ID, confidence: 0 };
}

function isTextual(value: BlockValue): boolean {
  return typeof value === "string" || Array.isArray(value);
}
