// output of a classification graph → a score for each class

/** `softmax`: they sum up to 1 · `sigmoid`: each for itself · `none`: they are scores already. */
export type ScoreRule = "softmax" | "sigmoid" | "none";

export function classScores(output: Float32Array, rule: ScoreRule): Float32Array {
  if (rule === "none") return output;
  if (rule === "sigmoid") return output.map((value) => 1 / (1 + Math.exp(-value)));
  const highest = output.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const shares = output.map((value) => Math.exp(value - highest));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}
