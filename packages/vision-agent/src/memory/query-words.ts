/** Words of a question that say nothing about its subject. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and any are as at be been but by can could did do does for from had has have how i if in is it its many me " +
    "much my of on or our out please show so tell than that the their them then there these they this those to up us " +
    "was we were what when where which who whom why will with would you your"
  ).split(" "),
);
const MOST_WORDS = 16;

/** The words to look for, each once. A question of empty words alone is taken at its word. */
export function toQueryWords(query: string): readonly string[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [])];
  const full = words.filter((word) => !EMPTY_WORDS.has(word));
  return (full.length > 0 ? full : words).slice(0, MOST_WORDS);
}

/** A string that full text search takes literally. */
export function quoteWord(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
