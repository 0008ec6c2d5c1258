/** Side of the square that one token covers, in pixels. */
const PATCH = 28;

/** VI-16: tokens of a picture that is scaled down to a longest side and to a number of tokens. */
export function imageTokensWithin(maxEdge: number, maxTokens: number): (width: number, height: number) => number {
  return (width, height) => {
    const scale = Math.min(1, maxEdge / Math.max(width, height, 1));
    return Math.min(maxTokens, Math.ceil((width * scale) / PATCH) * Math.ceil((height * scale) / PATCH));
  };
}
