// classification → its classes and confidences
import { failingAs, queryError } from "../query-error.ts";
import { isDictionary, type QueryDictionary, type QueryValue, typeNameOf } from "../query-value.ts";
import type { OperationBuilders } from "./operation.ts";

interface ClassScore {
  readonly class: QueryValue;
  readonly class_id: number;
  readonly confidence: number;
}

const PROPERTIES: Readonly<Record<string, (prediction: QueryDictionary) => QueryValue>> = {
  top_class: ({ top, predicted_classes }) => top ?? predicted_classes ?? [],
  top_class_confidence: (prediction) => prediction.confidence ?? predictedConfidences(prediction),
  top_class_confidence_single: (prediction) =>
    prediction.confidence ?? Math.max(0, ...predictedConfidences(prediction)),
  all_classes: (prediction) => scoresOf(prediction).map((score) => score.class),
  all_confidences: (prediction) => scoresOf(prediction).map((score) => score.confidence),
};

export const CLASSIFICATION_OPERATIONS: OperationBuilders = {
  ClassificationPropertyExtract: ({ definition }) => {
    const read = PROPERTIES[String(definition.property_name)];
    if (read === undefined) {
      throw queryError("InvalidInputTypeError", `A classification has no "${definition.property_name}".`);
    }
    return {
      numbers: "float",
      run: (value) => {
        if (isDictionary(value)) return failingAs("OperationError", undefined, () => read(value));
        throw queryError("InvalidInputTypeError", `A classification is needed, not a ${typeNameOf(value)}.`);
      },
    };
  },
};

/** In the order of the list, or by class id where classes are named. */
function scoresOf({ predictions }: QueryDictionary): readonly ClassScore[] {
  if (Array.isArray(predictions)) return predictions as unknown as readonly ClassScore[];
  const scores = Object.entries(predictions as QueryDictionary).map(([name, score]) => ({
    ...(score as QueryDictionary),
    class: name,
  })) as unknown as ClassScore[];
  return scores.sort((a, b) => a.class_id - b.class_id);
}

function predictedConfidences({ predictions, predicted_classes }: QueryDictionary): readonly number[] {
  const scores = predictions as unknown as Readonly<Record<string, ClassScore>>;
  return ((predicted_classes ?? []) as readonly string[]).map((name) => scores[name]!.confidence);
}
