/** The nearest place from `at` on where a cut does not leave half a character, which providers refuse. */
export function toCharBoundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
