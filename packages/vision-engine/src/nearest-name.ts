/** The name that was most likely meant; absent when none is close. */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(written.length * 0.4)) + 1;
  for (const name of names) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

/** Letters to add, remove or change (Levenshtein). */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(change, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[to.length]!;
}
