/** Side of the square that costs one token. */
const PATCH = 28;
/** The most that models of high resolution charge for one picture. */
const MOST_TOKENS = 4_096;

/**
 * VI-16: tokens of a picture for a model whose own formula nobody stated. Never less than a known provider charges.
 * Without a size (pixels) it is the most that any picture costs.
 */
export function estimateImageTokens(size?: { readonly width: number; readonly height: number }): number {
  if (!size) return MOST_TOKENS;
  const patches = Math.ceil(size.width / PATCH) * Math.ceil(size.height / PATCH);
  return Math.min(Math.max(patches, 1), MOST_TOKENS);
}
