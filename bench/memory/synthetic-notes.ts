/** A year of notes that nobody wrote, the same at every run. */
export interface SyntheticNotes {
  /** Path inside the workspace → Markdown. */
  readonly files: ReadonlyMap<string, string>;
  readonly questions: readonly string[];
}

const FIRST_DAY_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const DAYS = 365;
const CAMERAS = ["street", "gate", "yard", "dock", "lobby", "parking", "warehouse", "front door"];
const WORDS_A_NOTE = 12;
const WORDS_A_QUESTION = 4;
const RARE_WORDS = 6000;
// Common first: the beginning of the list is in most notes.
const COMMON_WORDS = (
  "person car truck appeared left crossed stayed waited near behind red white black blue two three several worker " +
  "van bicycle dog cat package pallet forklift helmet vest door fence light rain night morning evening delivery " +
  "visitor guard alarm broken clean dirty open closed slowly quickly again alone together ladder trolley umbrella"
).split(" ");

export function makeNotes(count: number, questions: number): SyntheticNotes {
  const random = createRandom(11);
  const lines = Map.groupBy(
    Array.from({ length: count }, (_, index) => index),
    (index) => index % DAYS,
  );
  const files = new Map(
    [...lines].map(([day, own]) => {
      const name = new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(0, 10);
      const notes = own.map(() => `- 12:00 [${pick(CAMERAS, random())}] ${sentence(WORDS_A_NOTE, random)}\n`);
      return [`memory/${name}.md`, `# ${name}\n\n${notes.join("")}`];
    }),
  );
  return { files, questions: Array.from({ length: questions }, () => sentence(WORDS_A_QUESTION, random)) };
}

/**
 * Texts that share words are alike, rare words counting more, as with a real model; half of a vector is its text's own.
 * Unit length, the same at every run.
 */
export function syntheticVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) addNoise(vector, word, COMMON_WORDS.includes(word) ? 0.5 : 1);
  addNoise(vector, text, Math.sqrt(words.length) / 2);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const noise = new Map<string, Float32Array>();

function addNoise(vector: Float32Array, name: string, weight: number): void {
  const known = noise.get(name) ?? gaussian(name, vector.length);
  // Words come again, whole texts do not.
  if (!name.includes(" ")) noise.set(name, known);
  for (let at = 0; at < vector.length; at++) vector[at]! += weight * known[at]!;
}

function gaussian(name: string, length: number): Float32Array {
  const random = createRandom([...name].reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0), 17));
  // The sum of four is near enough to a bell.
  return Float32Array.from({ length }, () => random() + random() + random() + random() - 2);
}

function sentence(length: number, random: () => number): string {
  const words = Array.from({ length }, () => {
    const isCommon = random() < 0.6;
    return isCommon ? pick(COMMON_WORDS, random() ** 2) : `w${Math.floor(RARE_WORDS * random() ** 3).toString(36)}`;
  });
  return words.join(" ");
}

function pick(list: readonly string[], share: number): string {
  return list[Math.floor(share * list.length)]!;
}

/** Numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
