/** Signs that programs are written with, and that no name or note needs. */
const NOT_PLAIN = /[<>{}[\]`\\\p{Cc}]/u;

/** A name or a short note, as people write them. */
export function isPlain(text: string, mostWords: number): boolean {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return !NOT_PLAIN.test(line) && line.split(" ").length <= mostWords;
}
