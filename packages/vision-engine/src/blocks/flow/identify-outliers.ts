// recent embeddings → whether the newest one stands apart
import type { Block } from "../block.ts";
import { numberOr } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { embeddingOf } from "./cosine-similarity.ts";
import { dot, type Embedding, normalized } from "./embedding-math.ts";

export const identifyOutliers: Block = {
  manifest: manifestOf("roboflow_core/identify_outliers@v1"),
  description: "Tells when the embedding of a picture stands apart from those of the last pictures.",
  phrase: () => "looks for pictures that stand apart",
  create: () => {
    const recent: Embedding[] = [];
    let samples = 0;
    return {
      run(inputs) {
        const embedding = normalized(embeddingOf(inputs, "embedding"));
        samples += 1;
        recent.push(embedding);
        if (recent.length > numberOr(inputs, "window_size", 32)) recent.shift();
        if (samples < numberOr(inputs, "warmup", 3)) return { is_outlier: false, percentile: 0.5, warming_up: true };
        const direction = meanDirection(recent) ?? embedding;
        const own = dot(direction, embedding);
        const below = recent.filter((one) => dot(direction, one) < own).length;
        const percentile = below / recent.length;
        const tail = numberOr(inputs, "threshold_percentile", 0.05);
        return { is_outlier: percentile < tail || percentile > 1 - tail, percentile, warming_up: false };
      },
    };
  },
};

/** Absent when there are fewer than two, or when they cancel out. */
function meanDirection(embeddings: readonly Embedding[]): Embedding | undefined {
  if (embeddings.length < 2) return undefined;
  const sum = embeddings[0]!.map((_, at) => embeddings.reduce((total, one) => total + one[at]!, 0));
  return sum.some((value) => value !== 0) ? normalized(sum) : undefined;
}
