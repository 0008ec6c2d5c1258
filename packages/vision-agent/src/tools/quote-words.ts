const LONGEST = 120;

/** Words that a model or a stranger chose, as a question shows them: one line, cut, in quotes that they cannot close. */
export function quoteWords(words: string, longest: number = LONGEST): string {
  const line = words
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .replaceAll('"', "'")
    .trim();
  return `"${line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line}"`;
}
