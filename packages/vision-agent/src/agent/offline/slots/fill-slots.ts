import type { Slots } from "../intent.ts";

export const NO_SLOTS: Slots = { cameras: [], classes: [], excluded: [], near: [], anything: false };

/** `over` where it says something, else `under`. */
export function fill(over: Slots, under: Slots): Slots {
  return {
    ...under,
    ...over,
    cameras: over.cameras.length > 0 ? over.cameras : under.cameras,
    classes: over.classes.length > 0 || over.anything ? over.classes : under.classes,
    excluded: [...new Set([...under.excluded, ...over.excluded])],
    near: over.near.length > 0 ? over.near : under.near,
    anything: over.anything || (under.anything && over.classes.length === 0),
  };
}

/** Whether one of these was heard. */
export function hasAny(slots: Slots, ...names: readonly (keyof Slots)[]): boolean {
  return names.some((name) => slots[name] !== undefined);
}

/** Neither where nor what. */
export function namesNothing({ cameras, classes }: Slots): boolean {
  return cameras.length + classes.length === 0;
}

/** All that the first list names is in the second. */
export function isWithin(names: readonly string[], others: readonly string[]): boolean {
  return names.every((name) => others.includes(name));
}

/** Only what was heard. */
export function withoutGaps<T extends object>(slots: T): T {
  return Object.fromEntries(Object.entries(slots).filter(([, value]) => value !== undefined)) as T;
}
