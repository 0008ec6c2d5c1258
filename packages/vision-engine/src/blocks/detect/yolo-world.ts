// image and words → boxes around what the words describe
import { inputError } from "../../errors.ts";
import type { Block, StepText } from "../block.ts";
import { imageOf, numberOr, textOf, textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { perElement } from "../per-element.ts";
import { noteResult } from "./detection-block.ts";
import { createOpenedModels, literalModel } from "./opened-models.ts";

/** So low on purpose: scores of words are low. */
const DEFAULT_CONFIDENCE = 0.005;

export const YOLO_WORLD: Block = {
  manifest: manifestOf("roboflow_core/yolo_world_model@v1"),
  description: "Finds what words describe, without training: a box, the word and a confidence each.",
  stateless: true,
  phrase: ({ properties: { class_names } }) =>
    Array.isArray(class_names) ? `looks for ${class_names.join(", ")}` : "looks for what words describe",
  models: known,
  async create({ models: registry, newId, step }) {
    const models = createOpenedModels(registry, "zero-shot-detection");
    // Opened now, so that a missing package is told at the start and not at the first frame.
    for (const id of known(step)) await models.get(id);
    return {
      run: perElement(async (inputs) => {
        const classNames = textsOf(inputs, "class_names") ?? [];
        if (classNames.length === 0) throw inputError('"class_names" must name at least one thing.');
        const model = await models.get(`yolo_world/${textOf(inputs, "version")}`);
        const image = imageOf(inputs, "images");
        const confidence = numberOr(inputs, "confidence", DEFAULT_CONFIDENCE);
        const found = await model.withClasses(classNames).detect(image, { confidence });
        const notes = { image, model, inferenceId: newId(), task: "object-detection" as const, newId };
        return { predictions: noteResult(found, notes) };
      }),
      close: () => models.close(),
    };
  },
};

function known(step: StepText): readonly string[] {
  const version = literalModel(step, "version");
  return version === undefined ? [] : [`yolo_world/${version}`];
}
