// likelihood of each character at each step of a line → text
import { bestOf, type Matrix } from "../heads/yolo-heads.ts";

/** A line as it was read. */
export interface ReadText {
  readonly text: string;
  /** Mean likelihood of its characters; 0 when there are none. */
  readonly confidence: number;
}

/**
 * The best character of each step (greedy CTC): column 0 stands for none, and the same character in neighbouring
 * steps counts once.
 */
export function decodeText({ data, rows, columns }: Matrix, characters: readonly string[]): ReadText {
  let text = "";
  let sum = 0;
  let count = 0;
  let before = 0;
  for (let step = 0; step < rows; step++) {
    const column = bestOf(data, step * columns, columns);
    if (column !== 0 && column !== before) {
      text += characters[column - 1] ?? "";
      sum += data[step * columns + column]!;
      count += 1;
    }
    before = column;
  }
  return { text, confidence: count === 0 ? 0 : sum / count };
}

/** Characters by column, from a file with one a line; the last column is the space. */
export function parseCharacters(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return [...lines, " "];
}
