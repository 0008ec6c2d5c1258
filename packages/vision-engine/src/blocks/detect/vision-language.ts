// image or text → vector; image → sentences that say what is on it
import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { cosineSimilarity } from "../../models/cosine-similarity.ts";
import type { CaptionStyle, EmbeddingModel } from "../../models/model.ts";
import { toJsonText } from "../../query/python-text.ts";
import { type Block, type BlockInputs, type BlockOutputs, imageOf, textOf, textsOf } from "../block.ts";
import { modelBlock, modelPhrase } from "./model-blocks.ts";

const CLIP_MODEL = { property: "version", prefix: "clip/" };

export const CLIP: Block = modelBlock({
  type: "roboflow_core/clip@v1",
  description: "Turns a picture or a text into a vector: things that mean the same lie close together.",
  phrase: "turns pictures or texts into vectors with CLIP",
  task: "embedding",
  model: CLIP_MODEL,
  run: async (model, inputs) => {
    const { data } = inputs;
    if (data instanceof ImageValue) return { embedding: [...(await model.embedImage(data))] };
    const [vector] = await embedTexts(model, [textOf(inputs, "data")]);
    return { embedding: [...vector!] };
  },
});

export const EMBEDDING_MODEL: Block = modelBlock({
  type: "roboflow_core/embedding_model@v1",
  description: "Turns pictures into vectors: those that look alike lie close together.",
  phrase: modelPhrase("turns pictures into vectors"),
  task: "embedding",
  model: { property: "model_id" },
  run: async (model, inputs) => {
    if (inputs.output_type === "logits") throw inputError("Only feature vectors can be had here, not logits.");
    const vector = await model.embedImage(imageOf(inputs, "data"));
    const info = { model_id: textOf(inputs, "model_id"), output_type: "feature_vector", dimension: vector.length };
    return { embedding: [...vector], embedding_info: info };
  },
});

/** The first version of the block knows one CLIP only. */
export const CLIP_COMPARISONS: readonly Block[] = [
  comparisonBlock("v1", { id: "clip/ViT-B-16" }, async (model, inputs) => ({
    similarity: await similarities(model, inputs, "texts"),
    prediction_type: "classification",
  })),
  comparisonBlock("v2", CLIP_MODEL, async (model, inputs) =>
    rank(
      await similarities(model, inputs, "classes"),
      textsOf(inputs, "classes")!,
      imageOf(inputs, "images").parent.id,
    ),
  ),
];

function comparisonBlock(
  version: string,
  model: Parameters<typeof modelBlock>[0]["model"],
  compare: (model: EmbeddingModel, inputs: BlockInputs) => Promise<BlockOutputs>,
): Block {
  return modelBlock({
    type: `roboflow_core/clip_comparison@${version}`,
    description: "Says how well each of some texts fits a picture, with CLIP.",
    phrase: "compares pictures with texts",
    task: "embedding",
    model,
    run: async (opened, inputs) => {
      const { parent, root } = imageOf(inputs, "images");
      return { ...(await compare(opened, inputs)), parent_id: parent.id, root_parent_id: root.id };
    },
  });
}

/** Throws when the model only knows pictures. */
async function embedTexts(model: EmbeddingModel, texts: readonly string[]): Promise<readonly Float32Array[]> {
  if (model.embedTexts !== undefined) return model.embedTexts(texts);
  throw inputError(`The model "${model.id}" compares pictures only: it takes no texts.`);
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
  const [top, confidence] = [classes[highest]!, values[highest]!];
  const predictions = classes.map((name, at) => ({ class: name, class_id: at, confidence: values[at]! }));
  return {
    similarities: values,
    max_similarity: confidence,
    most_similar_class: top,
    min_similarity: values[lowest]!,
    least_similar_class: classes[lowest]!,
    classification_predictions: { predictions, top, confidence, parent_id: parentId },
  };
}

const STYLES: Readonly<Record<string, CaptionStyle>> = {
  caption: "short",
  "detailed-caption": "detailed",
  "more-detailed-caption": "longest",
};

export const FLORENCES: readonly Block[] = [florenceBlock("v1", "model_version"), florenceBlock("v2", "model_id")];

function florenceBlock(version: string, property: string): Block {
  return modelBlock({
    type: `roboflow_core/florence_2@${version}`,
    description:
      "Says in one or more sentences what is on a picture, with Florence-2. Its other tasks do not run here.",
    phrase: "says what is on the picture",
    task: "captioning",
    model: { property },
    problems: ({ properties: { task_type: task } }) =>
      typeof task === "string" && Object.hasOwn(STYLES, task)
        ? []
        : [{ property: "task_type", message: `Of Florence-2, only ${Object.keys(STYLES).join(", ")} run here.` }],
    run: async (model, inputs) => {
      const caption = await model.caption(imageOf(inputs, "images"), STYLES[textOf(inputs, "task_type")]!);
      return { raw_output: toJsonText(caption), parsed_output: null, classes: textsOf(inputs, "classes") ?? [] };
    },
  });
}
