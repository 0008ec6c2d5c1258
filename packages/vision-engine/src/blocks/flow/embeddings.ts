// embeddings → how alike they are, and which of them are unusual
import { inputError } from "../../errors.ts";
import { type BlockInputs, block, numberOr, textOf } from "../block.ts";

/** Numbers that a model made of a picture or a text. */
type Embedding = Float64Array;

function toEmbedding(values: ArrayLike<number>): Embedding {
  return Float64Array.from(values);
}

function dot(one: Embedding, other: Embedding): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

function cosineSimilarity(one: Embedding, other: Embedding): number {
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

/** Length 1; zeros stay as they are. */
function normalized(embedding: Embedding): Embedding {
  const norm = Math.sqrt(dot(embedding, embedding));
  return norm === 0 ? embedding : embedding.map((value) => value / norm);
}

/** Share of a normal distribution below `z`. */
function normalShareBelow(z: number): number {
  return 0.5 * (1 + errorFunction(z / Math.SQRT2));
}

/** Series of positive terms: no digits are lost by cancelling. */
function errorFunction(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** How the past is weighed. */
type Averaging = "Exponential Moving Average (EMA)" | "Simple Moving Average (SMA)" | "Sliding Window";

type AveragingOptions = ReturnType<typeof averagingOf>;

function averagingOf(inputs: BlockInputs, samples: number) {
  return {
    strategy: textOf(inputs, "strategy") as Averaging,
    /** Weight of the newest sample (EMA). */
    smoothing: numberOr(inputs, "smoothing_factor", 0.1),
    /** Samples that count (sliding window). */
    window: numberOr(inputs, "window_size", 10),
    /** Samples seen before this one (SMA). */
    samples,
  };
}

/** Mean and spread of vectors, one place at a time. */
class RunningStatistics {
  mean: Float64Array | undefined;
  deviation = new Float64Array(0);
  /** Variance (EMA), or the sum of squared differences (SMA). */
  #spread = new Float64Array(0);
  readonly #recent: Float64Array[] = [];

  add(sample: Float64Array, { strategy, smoothing, window, samples }: AveragingOptions): void {
    if (this.mean === undefined) {
      this.mean = sample;
      this.deviation = new Float64Array(sample.length);
      this.#spread = new Float64Array(sample.length);
    } else if (strategy === "Sliding Window") this.#addToWindow(sample, window);
    else if (strategy === "Simple Moving Average (SMA)") this.#addCounted(sample, this.mean, samples + 1);
    else this.#addWeighted(sample, this.mean, smoothing);
  }

  #addWeighted(sample: Float64Array, before: Float64Array, weight: number): void {
    const mean = before.map((value, at) => (1 - weight) * value + weight * sample[at]!);
    this.mean = mean;
    this.#spread = this.#spread.map((value, at) => (1 - weight) * value + weight * (sample[at]! - mean[at]!) ** 2);
    this.deviation = this.#spread.map(Math.sqrt);
  }

  #addCounted(sample: Float64Array, before: Float64Array, count: number): void {
    const mean = before.map((value, at) => value + (sample[at]! - value) / count);
    this.mean = mean;
    this.#spread = this.#spread.map((value, at) => value + (sample[at]! - before[at]!) * (sample[at]! - mean[at]!));
    this.deviation = this.#spread.map((value) => Math.sqrt(value / (count - 1)));
  }

  #addToWindow(sample: Float64Array, window: number): void {
    const recent = this.#recent;
    recent.push(sample);
    if (recent.length > window) recent.shift();
    const average = (value: (one: Float64Array, at: number) => number): Float64Array<ArrayBuffer> =>
      Float64Array.from(sample, (_, at) => recent.reduce((sum, one) => sum + value(one, at), 0) / recent.length);
    const center = average((one, at) => one[at]!);
    this.mean = center;
    this.deviation = average((one, at) => (one[at]! - center[at]!) ** 2).map(Math.sqrt);
  }
}

export const cosineSimilarityBlock = block({
  type: "roboflow_core/cosine_similarity@v1",
  description: "Tells how alike two embeddings are, from -1 to 1.",
  phrase: "compares two embeddings",
  run: (inputs) => {
    const [one, other] = [embeddingOf(inputs, "embedding_1"), embeddingOf(inputs, "embedding_2")];
    if (one.length === other.length) return { similarity: cosineSimilarity(one, other) };
    throw inputError(
      `The embeddings have ${one.length} and ${other.length} numbers: take both from one model.`,
      "RuntimeError",
    );
  },
});

function embeddingOf(inputs: BlockInputs, property: string): Embedding {
  const value = inputs[property];
  if (value instanceof Float32Array || Array.isArray(value)) return toEmbedding(value as readonly number[]);
  throw inputError(`"${property}" must be an embedding: a list of numbers.`);
}

/** Similarities that differ by less have never varied: there is nothing to depart from. */
const ROUNDING_NOISE = 1e-12;

export const identifyChanges = block({
  type: "roboflow_core/identify_changes@v1",
  description: "Tells when the embedding of a picture departs from the running average: something has changed.",
  phrase: "looks for changes over time",
  start: () => {
    const embeddings = new RunningStatistics();
    const similarities = new RunningStatistics();
    let samples = 0;
    return (inputs) => {
      const embedding = normalized(embeddingOf(inputs, "embedding"));
      const averaging = averagingOf(inputs, samples);
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
    };
  },
});

export const identifyOutliers = block({
  type: "roboflow_core/identify_outliers@v1",
  description: "Tells when the embedding of a picture stands apart from those of the last pictures.",
  phrase: "looks for pictures that stand apart",
  start: () => {
    const recent: Embedding[] = [];
    let samples = 0;
    return (inputs) => {
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
    };
  },
});

/** Absent when there are fewer than two, or when they cancel out. */
function meanDirection(embeddings: readonly Embedding[]): Embedding | undefined {
  if (embeddings.length < 2) return undefined;
  const sum = embeddings[0]!.map((_, at) => embeddings.reduce((total, one) => total + one[at]!, 0));
  return sum.some((value) => value !== 0) ? normalized(sum) : undefined;
}
