// image or text → vector

import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import type { EmbeddingModel } from "../../models/model.ts";
import type { Block } from "../block.ts";
import { imageOf, textOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { perElement } from "../per-element.ts";
import { createOpenedModels, literalModel } from "./opened-models.ts";

/** The vector of a text. Throws when the model only knows pictures. */
export async function embedTexts(model: EmbeddingModel, texts: readonly string[]): Promise<readonly Float32Array[]> {
  if (model.embedTexts !== undefined) return model.embedTexts(texts);
  throw inputError(`The model "${model.id}" compares pictures only: it takes no texts.`);
}

/** The model of a version that is known before the start. */
export function knownClip(version: string | undefined): readonly string[] {
  return version === undefined ? [] : [`clip/${version}`];
}

export const CLIP: Block = {
  manifest: manifestOf("roboflow_core/clip@v1"),
  description: "Turns a picture or a text into a vector: things that mean the same lie close together.",
  stateless: true,
  phrase: () => "turns pictures or texts into vectors with CLIP",
  models: (step) => knownClip(literalModel(step, "version")),
  async create(context) {
    const models = createOpenedModels(context.models, "embedding");
    // Opened now, so that a missing package is told at the start and not at the first frame.
    for (const id of knownClip(literalModel(context.step, "version"))) await models.get(id);
    return {
      async run(inputs) {
        const model = await models.get(`clip/${textOf(inputs, "version")}`);
        const { data } = inputs;
        if (data instanceof ImageValue) return { embedding: toList(await model.embedImage(data)) };
        const [vector] = await embedTexts(model, [textOf(inputs, "data")]);
        return { embedding: toList(vector!) };
      },
      close: () => models.close(),
    };
  },
};

export const EMBEDDING_MODEL: Block = {
  manifest: manifestOf("roboflow_core/embedding_model@v1"),
  description: "Turns pictures into vectors: those that look alike lie close together.",
  stateless: true,
  phrase: (step) => `turns pictures into vectors with ${literalModel(step) ?? "a model given at the start"}`,
  models: (step) => [literalModel(step)].filter((id) => id !== undefined),
  async create(context) {
    const models = createOpenedModels(context.models, "embedding");
    const known = literalModel(context.step);
    if (known !== undefined) await models.get(known);
    return {
      run: perElement(async (inputs) => {
        if (inputs.output_type === "logits") throw inputError("Only feature vectors can be had here, not logits.");
        const id = textOf(inputs, "model_id");
        const vector = await (await models.get(id)).embedImage(imageOf(inputs, "data"));
        const info = { model_id: id, output_type: "feature_vector", dimension: vector.length };
        return { embedding: toList(vector), embedding_info: info };
      }),
      close: () => models.close(),
    };
  },
};

function toList(vector: Float32Array): readonly number[] {
  return [...vector];
}
