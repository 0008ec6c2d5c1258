/** The name that is fewest edits away, if it is near enough to be a slip of the pen. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((other) => ({ other, edits: editDistance(name.toLowerCase(), other.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.edits - b.edits)[0];
  return best && best.edits <= Math.max(2, Math.floor(name.length / 3)) ? best.other : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
