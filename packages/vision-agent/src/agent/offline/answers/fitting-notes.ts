// a question + what memory gave → the notes that speak of it
import type { MemoryFound } from "@vision-agent/protocol";
import { toQueryWords } from "../../../memory/word-search.ts";

type Passage = MemoryFound["passages"][number];

/** The notes that hold the most of what the question names, and half of it at least: memory gives its nearest even where nothing fits. */
export function fittingNotes(notes: readonly Passage[], query: string): readonly Passage[] {
  const asked = toQueryWords(spelt(query));
  const shared = notes.map(({ text }) => {
    const held = spelt(text).split(/[^\p{L}\p{N}]+/u);
    return asked.filter((word) => held.includes(word)).length;
  });
  const best = Math.max(...shared);
  return best > 0 && best >= asked.length / 2 ? notes.filter((_, at) => shared[at] === best) : [];
}

/** One spelling for one word: "colour" and "color", "wife's" and "wife", "cars" and "car". */
function spelt(text: string): string {
  return text
    .toLowerCase()
    .replace(/(?<=\p{L}{2})(?:['’]?s)\b/gu, "")
    .replace(/our\b/g, "or");
}
