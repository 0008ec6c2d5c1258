/** Numbers that a model made of a picture or a text. */
export type Embedding = Float64Array;

export function toEmbedding(values: ArrayLike<number>): Embedding {
  return Float64Array.from(values);
}

export function dot(one: Embedding, other: Embedding): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

export function cosineSimilarity(one: Embedding, other: Embedding): number {
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

/** Length 1; zeros stay as they are. */
export function normalized(embedding: Embedding): Embedding {
  const norm = Math.sqrt(dot(embedding, embedding));
  return norm === 0 ? embedding : embedding.map((value) => value / norm);
}

/** Share of a normal distribution below `z`. */
export function normalShareBelow(z: number): number {
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
