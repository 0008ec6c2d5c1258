import type { ClassPattern } from "../expectation.ts";

/** Upper and lower case are the same. */
export function fitsClasses(pattern: ClassPattern, classes: readonly string[]): boolean {
  const found = lower(classes);
  const { all = [], any, only } = Array.isArray(pattern) ? { all: pattern, only: pattern } : pattern;
  const allowed = only && lower(only);
  return (
    lower(all).every((name) => found.includes(name)) &&
    (any === undefined || lower(any).some((name) => found.includes(name))) &&
    (allowed === undefined || (found.every((name) => allowed.includes(name)) && isNarrow(found, allowed)))
  );
}

/** No class named means all, and that is more than what is allowed. */
function isNarrow(found: readonly string[], allowed: readonly string[]): boolean {
  return found.length > 0 || allowed.length === 0;
}

function lower(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}
