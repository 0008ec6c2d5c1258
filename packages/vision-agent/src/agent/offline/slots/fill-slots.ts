import type { Slots } from "../intent.ts";

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
