// text that is no instruction → a block that it cannot close

/** What could begin or end a tag, also with signs in between that nobody sees. The token of a secret stays whole. */
const TAG = /<(?!secret:[0-9a-f]{12}>)(?=[\s\p{Cf}]*\/?[\s\p{Cf}]*\p{L})/gu;

/** `name` is the program's own word, `from` may be anybody's. Nothing in the text can close the block or open another. */
export function toDataBlock(name: string, text: string, from?: string): string {
  const source = from === undefined ? "" : ` from="${from.replaceAll(/["<>\s]+/g, " ")}"`;
  return `<${name}${source}>\n${text.replaceAll(TAG, "‹")}\n</${name}>`;
}
