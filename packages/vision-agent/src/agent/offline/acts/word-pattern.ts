/** Source of a pattern for any of them. Each line of a list is a group: words between `|`, parts of a pattern where a word has several forms. */
export function anyOf(groups: readonly string[]): string {
  return `(?:${groups.join("|")})`;
}

/** … as whole words. */
export function wholeWords(groups: readonly string[]): string {
  return `\\b${anyOf(groups)}\\b`;
}

/** One pattern for several ways to say it. */
export function toPattern(...ways: readonly string[]): RegExp {
  return new RegExp(ways.join("|"));
}
