/** Patterns that nothing fits, and things that fit nowhere. */
export interface Matched<Pattern, Thing> {
  readonly unmet: readonly Pattern[];
  readonly left: readonly Thing[];
}

/**
 * Gives each pattern a thing of its own, to as many as can have one. What is needed goes before what is optional,
 * and things are taken in their order.
 */
export function matchPatterns<Pattern extends { readonly optional: boolean }, Thing>(
  patterns: readonly Pattern[],
  things: readonly Thing[],
  fits: (pattern: Pattern, thing: Thing) => boolean,
): Matched<Pattern, Thing> {
  const ordered = patterns.toSorted((one, other) => Number(one.optional) - Number(other.optional));
  const owner = new Map<Thing, Pattern>();
  const place = (pattern: Pattern, tried: Set<Thing>): boolean =>
    things.some((thing) => {
      if (tried.has(thing) || !fits(pattern, thing)) return false;
      tried.add(thing);
      const before = owner.get(thing);
      // Whoever holds it may have another one.
      if (before !== undefined && !place(before, tried)) return false;
      owner.set(thing, pattern);
      return true;
    });
  const unmet = ordered.filter((pattern) => !place(pattern, new Set()) && !pattern.optional);
  return { unmet, left: things.filter((thing) => !owner.has(thing)) };
}
