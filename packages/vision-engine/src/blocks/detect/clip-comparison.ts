// image and words → how well each word fits
import { inputError } from "../../errors.ts";
import { cosineSimilarity } from "../../models/cosine-similarity.ts";
import type { EmbeddingModel } from "../../models/model.ts";
import type { Block, BlockInputs, BlockOutputs, StepText } from "../block.ts";
import { imageOf, textOf, textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { perElement } from "../per-element.ts";
import { embedTexts, knownClip } from "./clip.ts";
import { createOpenedModels, literalModel } from "./opened-models.ts";

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
