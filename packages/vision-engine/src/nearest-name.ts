import { distance } from "fastest-levenshtein";

/** The name that was most likely meant; absent when none is close. */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(written.length * 0.4)) + 1;
  for (const name of names) {
    const edits = distance(written.toLowerCase(), name.toLowerCase());
    if (edits >= least) continue;
    nearest = name;
    least = edits;
  }
  return nearest;
}
