// a person's text → the same with slips of the finger in words that matter put right

import type { Known } from "../intent.ts";
import { CLASS_NAMES, KEYWORDS, LOOK_ALIKES, PLURALS, SYNONYMS } from "./class-names.data.ts";
import { isClassWord } from "./class-words.ts";

/** Shorter words are too much alike. */
const SHORTEST = 5;
const WORD = /(?<![\p{L}\p{N}_@/.'-])\p{L}{4,}(?![\p{L}\p{N}_@/-]|\.\p{L})/gu;

const SPELLINGS: readonly string[] = [
  ...Object.keys(SYNONYMS),
  ...CLASS_NAMES,
  ...Object.values(PLURALS),
  ...KEYWORDS,
].flatMap((word) => (word.length < SHORTEST || /[^a-z]/.test(word) ? [] : [word, pluralOf(word)]));

function pluralOf(word: string): string {
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

const KNOWN: ReadonlySet<string> = new Set([...SPELLINGS, ...LOOK_ALIKES]);

/** Where one slip away there is one word only, and it begins with the same letter. Names of the app and everything else stay as they were written. */
export function respell(text: string, { cameras, pipelines }: Known): string {
  const placesOf = ({ places = [] }: Known["cameras"][number]) => places.map(({ name }) => name);
  const names = [
    ...cameras.flatMap((camera) => [camera.name, camera.about ?? "", ...placesOf(camera)]),
    ...pipelines.map(({ name }) => name),
  ];
  const taken = new Set(names.flatMap((name) => name.toLowerCase().match(/\p{L}+/gu) ?? []));
  return text.replace(WORD, (word) => {
    const plain = word.toLowerCase();
    return taken.has(plain) ? word : (nearest(plain, SPELLINGS) ?? word);
  });
}

/** The one of `names` that is one slip away; undefined when none or several are. A name and its plural are the same. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (KNOWN.has(word) || isClassWord(word)) return undefined;
  const near = names.filter((name) => name[0] === word[0] && isOneSlipAway(word, name));
  const [first] = near.toSorted((a, b) => a.length - b.length);
  return near.every((name) => name === first || name === pluralOf(first ?? "")) ? first : undefined;
}

/** A letter too many, one missing, another one, or two in the wrong order. */
function isOneSlipAway(word: string, name: string): boolean {
  const [short, long] = word.length < name.length ? [word, name] : [name, word];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  const isSwap = short[at] === long[at + 1] && short[at + 1] === long[at];
  return short.slice(at + 1) === long.slice(at + 1) || (isSwap && short.slice(at + 2) === long.slice(at + 2));
}
