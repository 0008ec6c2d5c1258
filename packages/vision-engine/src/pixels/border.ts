/** Which pixel stands for one beyond the edge: mirrored without repeating the edge, or the edge itself. */
export type BorderRule = "reflect" | "replicate";

/** For the positions `-before` up to `length + after`: the position inside that stands for each. */
export function borderIndices(length: number, before: number, after: number, rule: BorderRule): Int32Array {
  const indices = new Int32Array(before + length + after);
  for (let at = 0; at < indices.length; at++) {
    indices[at] = rule === "reflect" ? reflect(at - before, length) : clamp(at - before, length);
  }
  return indices;
}

function clamp(position: number, length: number): number {
  return Math.min(Math.max(position, 0), length - 1);
}

function reflect(position: number, length: number): number {
  if (length === 1) return 0;
  const period = 2 * (length - 1);
  const folded = Math.abs(position) % period;
  return folded < length ? folded : period - folded;
}
