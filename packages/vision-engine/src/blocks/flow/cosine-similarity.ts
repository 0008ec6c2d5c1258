// two embeddings → how alike they are
import { inputError } from "../../errors.ts";
import type { Block, BlockInputs } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { cosineSimilarity, type Embedding, toEmbedding } from "./embedding-math.ts";

export const cosineSimilarityBlock: Block = {
  manifest: manifestOf("roboflow_core/cosine_similarity@v1"),
  description: "Tells how alike two embeddings are, from -1 to 1.",
  stateless: true,
  phrase: () => "compares two embeddings",
  create: () => ({
    run(inputs) {
      const [one, other] = [embeddingOf(inputs, "embedding_1"), embeddingOf(inputs, "embedding_2")];
      if (one.length === other.length) return { similarity: cosineSimilarity(one, other) };
      throw inputError(
        `The embeddings have ${one.length} and ${other.length} numbers: take both from one model.`,
        "RuntimeError",
      );
    },
  }),
};

export function embeddingOf(inputs: BlockInputs, property: string): Embedding {
  const value = inputs[property];
  if (value instanceof Float32Array || Array.isArray(value)) return toEmbedding(value as readonly number[]);
  throw inputError(`"${property}" must be an embedding: a list of numbers.`);
}
