/** The default of a child workflow's parameter that nobody bound, where its selector stood. It may stand for a selector. */
export class ChildDefault {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** The same value with `replace` in place of defaults, at the top or one level inside. */
export function replaceDefaults(value: unknown, replace: (written: ChildDefault) => unknown): unknown {
  if (value instanceof ChildDefault) return replace(value);
  if (Array.isArray(value)) return value.map((item) => (item instanceof ChildDefault ? replace(item) : item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (!entries.some(([, item]) => item instanceof ChildDefault)) return value;
  return Object.fromEntries(entries.map(([name, item]) => [name, item instanceof ChildDefault ? replace(item) : item]));
}
