// embeddings over time → whether this one is unlike those before
import type { Block } from "../block.ts";
import { numberOr, textOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { embeddingOf } from "./cosine-similarity.ts";
import { cosineSimilarity, normalized, normalShareBelow, toEmbedding } from "./embedding-math.ts";
import { type Averaging, createRunningStatistics } from "./running-statistics.ts";

/** Similarities that differ by less have never varied: there is nothing to depart from. */
const ROUNDING_NOISE = 1e-12;

export const identifyChanges: Block = {
  manifest: manifestOf("roboflow_core/identify_changes@v1"),
  description: "Tells when the embedding of a picture departs from the running average: something has changed.",
  phrase: () => "looks for changes over time",
  create: () => {
    const embeddings = createRunningStatistics();
    const similarities = createRunningStatistics();
    let samples = 0;
    return {
      run(inputs) {
        const embedding = normalized(embeddingOf(inputs, "embedding"));
        const averaging = {
          strategy: textOf(inputs, "strategy") as Averaging,
          smoothing: numberOr(inputs, "smoothing_factor", 0.1),
          window: numberOr(inputs, "window_size", 10),
          samples,
        };
        let zScore = 0;
        if (embeddings.mean !== undefined) {
          const similarity = cosineSimilarity(embedding, embeddings.mean);
          similarities.add(toEmbedding([similarity]), averaging);
          const [mean, deviation] = [similarities.mean![0]!, similarities.deviation[0]!];
          zScore = deviation < ROUNDING_NOISE ? 0 : (similarity - mean) / deviation;
        }
        const percentile = 1 - normalShareBelow(zScore);
        const tail = numberOr(inputs, "threshold_percentile", 0.2) / 2;
        const warmingUp = samples < numberOr(inputs, "warmup", 3);
        embeddings.add(embedding, averaging);
        samples += 1;
        return {
          is_outlier: !warmingUp && (percentile <= tail || percentile >= 1 - tail),
          percentile,
          z_score: zScore,
          average: Array.from(embeddings.mean!),
          std: Array.from(embeddings.deviation),
          warming_up: warmingUp,
        };
      },
    };
  },
};
