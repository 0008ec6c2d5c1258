// image → model → classes with scores
import type { ImageValue } from "../../frames/image-value.ts";
import type { ClassificationModel } from "../../models/model.ts";
import type { Block, BlockContext, BlockInputs, BlockInstance, BlockOutputs, BlockValue } from "../block.ts";
import { imageOf, numberOf, textOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { perElement } from "../per-element.ts";
import { createOpenedModels, literalModel } from "./opened-models.ts";

/** Without a number of its own, a step lists the classes that are more likely than not. */
const SINGLE_LABEL_CONFIDENCE = 0.5;
const MULTI_LABEL_CONFIDENCE = 0.4;

type ScoreList = (scores: Float32Array, model: ClassificationModel, inputs: BlockInputs) => BlockOutputs;

const VERSIONS = ["v1", "v2", "v3"] as const;

export const CLASSIFICATION_MODELS: readonly Block[] = [
  ...VERSIONS.map((version) =>
    classificationBlock(
      `roboflow_core/roboflow_classification_model@${version}`,
      "Says which one of its classes a picture shows.",
      singleLabel,
    ),
  ),
  ...VERSIONS.map((version) =>
    classificationBlock(
      `roboflow_core/roboflow_multi_label_classification_model@${version}`,
      "Says which of its classes a picture shows; several may hold at once.",
      multiLabel,
    ),
  ),
];

function classificationBlock(type: string, description: string, list: ScoreList): Block {
  return {
    manifest: manifestOf(type),
    description,
    stateless: true,
    phrase: (step) => `classifies pictures with ${literalModel(step) ?? "a model given at the start"}`,
    models: (step) => [literalModel(step)].filter((id) => id !== undefined),
    create: (context) => openClassifier(context, list),
  };
}

async function openClassifier(context: BlockContext, list: ScoreList): Promise<BlockInstance> {
  const models = createOpenedModels(context.models, "classification");
  const known = literalModel(context.step);
  if (known !== undefined) await models.get(known);
  return {
    run: perElement(async (inputs) => {
      const id = textOf(inputs, "model_id");
      const model = await models.get(id);
      const image = imageOf(inputs, "images");
      const begin = context.now();
      const scores = await model.classify(image);
      const inferenceId = context.newId();
      const predictions = {
        inference_id: inferenceId,
        time: (context.now() - begin) / 1000,
        image: { width: image.width, height: image.height },
        ...list(scores, model, inputs),
        ...originOf(image),
        ...(model.note !== undefined && { model_note: model.note }),
      };
      return { predictions, inference_id: inferenceId, model_id: id };
    }),
    close: () => models.close(),
  };
}

function originOf({ parent, root }: ImageValue): Readonly<Record<string, BlockValue>> {
  return { prediction_type: "classification", parent_id: parent.id, root_parent_id: root.id };
}

/** The classes above the threshold, the best first. */
function singleLabel(scores: Float32Array, { classNames }: ClassificationModel, inputs: BlockInputs): BlockOutputs {
  const threshold = thresholdOf(inputs, SINGLE_LABEL_CONFIDENCE);
  const predictions = classNames
    .map((name, classId) => ({ class_id: classId, class: name, confidence: toFourDecimals(scores[classId]!) }))
    .filter(({ class_id }) => scores[class_id]! >= threshold)
    .sort((a, b) => b.confidence - a.confidence);
  return { predictions, top: predictions[0]?.class ?? "", confidence: predictions[0]?.confidence ?? 0 };
}

/** Every class with its score, and the names of those that hold. */
function multiLabel(scores: Float32Array, { classNames }: ClassificationModel, inputs: BlockInputs): BlockOutputs {
  const threshold = thresholdOf(inputs, MULTI_LABEL_CONFIDENCE);
  const predictions = Object.fromEntries(
    classNames.map((name, classId) => [name, { confidence: scores[classId]!, class_id: classId }]),
  );
  return { predictions, predicted_classes: classNames.filter((_, classId) => scores[classId]! >= threshold) };
}

function thresholdOf(inputs: BlockInputs, byDefault: number): number {
  const mode = inputs.confidence_mode ?? "confidence";
  if (mode === "best" || mode === "default") return byDefault;
  return numberOf(inputs, mode === "custom" ? "custom_confidence" : "confidence");
}

function toFourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
