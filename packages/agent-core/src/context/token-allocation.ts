/** What somebody would like to have of a common budget. */
export interface TokenWish {
  readonly id: string;
  readonly tokens: number;
  /** Higher is served first; equals share what is left for them. */
  readonly priority: number;
}

/**
 * AF-35: gives everyone what they wish while there is enough. Of equals the smallest wishes are met first, and the
 * others share the rest evenly. The sum is never more than `total`.
 */
export function allocateTokens(total: number, wishes: readonly TokenWish[]): ReadonlyMap<string, number> {
  const given = new Map<string, number>();
  let left = total;
  const ordered = wishes.toSorted((a, b) => b.priority - a.priority || a.tokens - b.tokens);
  ordered.forEach((wish, at) => {
    const equals = ordered.slice(at).filter((other) => other.priority === wish.priority).length;
    const tokens = Math.min(wish.tokens, Math.floor(left / equals));
    given.set(wish.id, tokens);
    left -= tokens;
  });
  return given;
}
