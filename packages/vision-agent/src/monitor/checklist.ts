const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const HEADING = /^#{1,6}(?:\s|$)/;
/** A bullet, a number or an empty box without words. */
const BLANK_ITEM = /^(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]?\])?$/;
const RULE = /^(?:[-*_]\s*){3,}$/;

/** Whether a Markdown text asks for anything: headings, comments, rules and empty items do not. */
export function hasItems(markdown: string): boolean {
  return markdown
    .replaceAll(COMMENT, "")
    .split("\n")
    .map((line) => line.trim())
    .some((line) => !HEADING.test(line) && !RULE.test(line) && !BLANK_ITEM.test(line));
}
