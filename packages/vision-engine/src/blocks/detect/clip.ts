// image or text → vector
import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { cosineSimilarity } from "../../models/cosine-similarity.ts";
import type { EmbeddingModel } from "../../models/model.ts";
import {
  type Block,
  type BlockInputs,
  type BlockOutputs,
  imageOf,
  manifestOf,
  perElement,
  type StepText,
  textOf,
  textsOf,
} from "../block.ts";
import { createOpenedModels, literalModel } from "./model-blocks.ts";

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

/** The version that a step without one means. */
const FIRST_VERSION = "ViT-B-16";

export const CLIP_COMPARISONS: readonly Block[] = [
  comparisonBlock("v1", { known: () => FIRST_VERSION, given: () => FIRST_VERSION }, async (model, inputs) => ({
    similarity: await similarities(model, inputs, "texts"),
    prediction_type: "classification",
  })),
  comparisonBlock(
    "v2",
    { known: (step) => literalModel(step, "version"), given: (inputs) => textOf(inputs, "version") },
    async (model, inputs) =>
      rank(
        await similarities(model, inputs, "classes"),
        textsOf(inputs, "classes")!,
        imageOf(inputs, "images").parent.id,
      ),
  ),
];

type Compare = (model: EmbeddingModel, inputs: BlockInputs) => Promise<BlockOutputs>;

/** Which CLIP a step means: as far as is known before the start, and in a run. */
interface VersionOf {
  known(step: StepText): string | undefined;
  given(inputs: BlockInputs): string;
}

function comparisonBlock(number: string, version: VersionOf, compare: Compare): Block {
  return {
    manifest: manifestOf(`roboflow_core/clip_comparison@${number}`),
    description: "Says how well each of some texts fits a picture, with CLIP.",
    stateless: true,
    phrase: () => "compares pictures with texts",
    models: (step) => knownClip(version.known(step)),
    async create(context) {
      const models = createOpenedModels(context.models, "embedding");
      for (const id of knownClip(version.known(context.step))) await models.get(id);
      return {
        run: perElement(async (inputs) => {
          const model = await models.get(`clip/${version.given(inputs)}`);
          const { parent, root } = imageOf(inputs, "images");
          return { ...(await compare(model, inputs)), parent_id: parent.id, root_parent_id: root.id };
        }),
        close: () => models.close(),
      };
    },
  };
}

async function similarities(model: EmbeddingModel, inputs: BlockInputs, property: string): Promise<readonly number[]> {
  const texts = textsOf(inputs, property) ?? [];
  if (texts.length === 0) throw inputError(`"${property}" must name at least one text.`);
  const image = await model.embedImage(imageOf(inputs, "images"));
  return (await embedTexts(model, texts)).map((text) => cosineSimilarity(image, text));
}

function rank(values: readonly number[], classes: readonly string[], parentId: string): BlockOutputs {
  const highest = values.indexOf(Math.max(...values));
  const lowest = values.indexOf(Math.min(...values));
  const predictions = classes.map((name, classId) => ({
    class: name,
    class_id: classId,
    confidence: values[classId]!,
  }));
  return {
    similarities: values,
    max_similarity: values[highest]!,
    most_similar_class: classes[highest]!,
    min_similarity: values[lowest]!,
    least_similar_class: classes[lowest]!,
    classification_predictions: {
      predictions,
      top: classes[highest]!,
      confidence: values[highest]!,
      parent_id: parentId,
    },
  };
}
