// a question + what memory gave → the notes that speak of it
import type { MemoryFound } from "@vision-agent/protocol";

type Passage = MemoryFound["passages"][number];

/** Words that say nothing of what is meant. */
const EMPTY: ReadonlySet<string> = new Set(
  "the and you are was were has have had for with that this there here what who whose when where which how not again about from our your his her their its does did can could one any some on in at is it my a an of to up".split(
    " ",
  ),
);
const SHORTEST = 3;

/** The notes that hold the most of what the question names, and half of it at least: memory gives its nearest even where nothing fits. */
export function fittingNotes(notes: readonly Passage[], query: string): readonly Passage[] {
  const asked = tellingWords(query);
  const best = Math.max(...notes.map(({ text }) => shared(text, asked)));
  return best > 0 && best >= asked.length / 2 ? notes.filter(({ text }) => shared(text, asked) === best) : [];
}

/** `- 2026-01-02 14:05 [dock] The blue van comes at two. (memory/2026-01-02.md:7)` */
export function noteInWords({ text, day, time, camera, path, line }: Passage): string {
  const head = [day, time, camera === undefined ? undefined : `[${camera}]`].filter((part) => part !== undefined);
  return `- ${[...head, text.replaceAll("\n", " ")].join(" ")} (${path}:${line})`;
}

function shared(note: string, asked: readonly string[]): number {
  const held = new Set(tellingWords(note));
  return asked.filter((word) => held.has(word)).length;
}

/** One spelling for one word: "colour" and "color", "wife's" and "wife", "cars" and "car". */
function tellingWords(text: string): readonly string[] {
  const words =
    text
      .toLowerCase()
      .replace(/['’]s\b/g, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => word.length >= SHORTEST && !EMPTY.has(word));
  return [...new Set(telling.map((word) => word.replace(/our(?=s?$)/, "or").replace(/s$/, "")))];
}
