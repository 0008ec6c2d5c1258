// answer of a language model → classification

import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { toFloat } from "../../query/python-values.ts";
import { type Block, type BlockValue, block, imageOf, textsOf } from "../block.ts";
import { extractJsonPayload, isJsonObject, type JsonObject, type JsonPayload } from "./json-parser.ts";

export const vlmAsClassifierV1 = vlmAsClassifier("v1");
export const vlmAsClassifierV2 = vlmAsClassifier("v2");

function vlmAsClassifier(version: string): Block {
  return block({
    type: `roboflow_core/vlm_as_classifier@${version}`,
    description: "Reads the classes in the answer of a vision-language model.",
    phrase: "reads classes out of the answer",
    run: (inputs, { newId }) => {
      const inferenceId = newId();
      const predictions = decodeVlmClassification(inputs.vlm_output, {
        image: imageOf(inputs, "image"),
        classes: textsOf(inputs, "classes") ?? [],
        inferenceId,
      });
      return { error_status: predictions === undefined, predictions: predictions ?? null, inference_id: inferenceId };
    },
  });
}

export interface ClassificationSetting {
  readonly image: ImageValue;
  readonly classes: readonly string[];
  readonly inferenceId: string;
}

export type Classification = { readonly [name: string]: BlockValue };

/** One class or several, as the answer has it; absent when it cannot be read. */
export function decodeVlmClassification(answer: unknown, setting: ClassificationSetting): Classification | undefined {
  const payload = extractJsonPayload(answer);
  const results = payload && asObject(payload);
  try {
    if (results === undefined) return undefined;
    if ("class_name" in results && "confidence" in results) return singleLabel(results, setting);
    return "predicted_classes" in results ? multiLabel(results, setting) : undefined;
  } catch {
    return undefined;
  }
}

/** A bare list of classes is taken as several labels; absent when an entry has no class. */
function asObject(payload: JsonPayload): JsonObject | undefined {
  if (isJsonObject(payload)) return payload;
  const entries = payload.map((entry) => {
    const { class: name, class_name, label, confidence = 1 } = isJsonObject(entry) ? entry : {};
    const found = name ?? class_name ?? label ?? null;
    return found === null ? undefined : { class: String(found), confidence };
  });
  const named = entries.filter((entry) => entry !== undefined);
  return named.length > 0 && named.length === entries.length ? { predicted_classes: named } : undefined;
}

/** A class that was not asked for comes first, with the id -1. */
function singleLabel(results: JsonObject, { image, classes, inferenceId }: ClassificationSetting): Classification {
  const top = results.class_name!;
  const confidence = readConfidence(results.confidence);
  const known = classes.map((name, id) => ({ class: name, class_id: id, confidence: name === top ? confidence : 0 }));
  const foreign = classes.includes(top as string) ? [] : [{ class: top, class_id: -1, confidence }];
  return {
    image: { width: image.width, height: image.height },
    predictions: [...foreign, ...known],
    top,
    confidence,
    inference_id: inferenceId,
    parent_id: image.parent.id,
  };
}

/** A class that is named twice keeps its higher confidence. */
function multiLabel(results: JsonObject, { image, classes, inferenceId }: ClassificationSetting): Classification {
  const confidences = new Map<string, number>();
  for (const entry of results.predicted_classes as readonly JsonObject[]) {
    const name = String(entry.class);
    confidences.set(name, Math.max(confidences.get(name) ?? 0, readConfidence(entry.confidence)));
  }
  const names = [...new Set([...classes, ...confidences.keys()])];
  const scores = names.map((name) => [
    name,
    { confidence: confidences.get(name) ?? 0, class_id: classes.indexOf(name) },
  ]);
  return {
    image: { width: image.width, height: image.height },
    predictions: Object.fromEntries(scores),
    predicted_classes: [...confidences.keys()],
    inference_id: inferenceId,
    parent_id: image.parent.id,
  };
}

function readConfidence(value: unknown): number {
  const confidence = toFloat(value);
  if (!Number.isFinite(confidence)) throw inputError("A confidence is not a finite number.");
  return Math.min(Math.max(confidence, 0), 1);
}
