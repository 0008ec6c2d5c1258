// options by name → what to write in place of one that nobody knows
import { distance } from "fastest-levenshtein";

/** One entry for each property of `T`, so that a list of names cannot differ from its type. */
export type KeysOf<T> = { readonly [Key in T extends T ? keyof T : never]-?: true };

interface UnknownOptionHints {
  /** What the options belong to, such as `tools.` */
  readonly owner?: string;
  /** Names that other libraries use, and what to write here. */
  readonly others?: { readonly [name: string]: string };
  /** Names that resemble none of the known ones are the program's own. */
  readonly allowsOwn?: boolean;
}

/** An option that does nothing would be missed where it matters, such as a tool to deny. What is no object has none. */
export function findUnknownOption(
  given: unknown,
  known: object,
  { owner = "", others = {}, allowsOwn = false }: UnknownOptionHints = {},
): string | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const names = Object.keys(known);
  const isUnknown = ([name, value]: [string, unknown]): boolean =>
    value !== undefined && !Object.hasOwn(known, name) && !(allowsOwn && nearestName(name, names) === undefined);
  const [name] = Object.entries(given).find(isUnknown) ?? [];
  if (name === undefined) return undefined;
  const near = nearestName(name, names);
  const other = Object.hasOwn(others, name) ? others[name] : undefined;
  const here = other ?? (near === undefined ? `one of ${names.join(", ")}` : `\`${owner}${near}\``);
  return `There is no option \`${owner}${name}\`: write ${here}.`;
}

/** Tools of a run or a job. */
export const TOOL_CHOICE_KEYS: KeysOf<{ allow: unknown; deny: unknown }> = { allow: true, deny: true };

/** The name that is fewest edits away, if it is near enough to be a slip of the pen. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [best] = nearestNames(name, known, 1);
  return best !== undefined && editsBetween(name, best) <= Math.max(2, Math.floor(name.length / 3)) ? best : undefined;
}

/** So many names, fewest edits away first. */
export function nearestNames(name: string, known: readonly string[], count: number): readonly string[] {
  return known
    .map((other) => ({ other, edits: editsBetween(name, other) }))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, count)
    .map(({ other }) => other);
}

function editsBetween(a: string, b: string): number {
  return distance(a.toLowerCase(), b.toLowerCase());
}
