import { z } from "zod";

/** Controls, marks that turn the direction of writing, line separators, halves of characters, hidden tags. */
const NOT_PLAIN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\ufeff\u200b\u2060\u{e0000}-\u{e007f}]+/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Z}]/gu;

/** Words from outside as one line that reads as it is written; empty when nothing of it can be seen. */
export function toPlainText(text: string): string {
  const plain = text.replace(NOT_PLAIN, " ").replace(/\s+/g, " ").trim();
  return plain.replace(INVISIBLE, "") === "" ? "" : plain;
}

/** Names and sentences that people give to things. */
export function plainTextSchema(longest: number) {
  return z.string().overwrite(toPlainText).min(1).max(longest);
}
