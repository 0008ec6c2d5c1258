// the name of a test → the requirements it proves
const ID = /\b(AF|AI|VI|SC|VA)-(\d+)(?:\.(\d+))?(?:\s*(?:…|–|\.\.\.)\s*(?:\1-)?(\d+)(?:\.(\d+))?)?/g;
/** A section of the plan, a part of it, and one statement of that: `S000-4`, `S000-4.1`, `S000-4.1.3`, `S000-C`. */
const PLANNED = /\bS000-(?:[A-Z]\b|\d+(?:\.\d+)*)/g;
const WORDED = /\b(invariant|complaint)s? (\d+)(?:(?:, | and |\/)(\d+))*/gi;

/** In order of appearance, each once. `AF-1…AF-3`, `SC-6…8` and `AI-23.1…10` count for all between. */
export function idsIn(name: string): readonly string[] {
  const plain = [...name.matchAll(ID)].flatMap(([, family, ...numbers]) => toRange(`${family}-`, numbers));
  const worded = [...name.matchAll(WORDED)].flatMap(([whole, word]) =>
    [...whole.matchAll(/\d+/g)].map(([number]) => `${word?.toLowerCase()} ${number}`),
  );
  const planned = [...name.matchAll(PLANNED)].map(([id]) => id);
  return [...new Set([...plain, ...planned, ...worded])];
}

function toRange(family: string, numbers: readonly (string | undefined)[]): readonly string[] {
  const [major = "", minor, last, lastMinor] = numbers;
  if (minor === undefined) return between(major, last).map((number) => `${family}${number}`);
  return between(minor, lastMinor ?? last).map((number) => `${family}${major}.${number}`);
}

function between(first: string, last: string | undefined): readonly number[] {
  const [from, to] = [Number(first), Number(last ?? first)];
  return Array.from({ length: Math.max(1, to - from + 1) }, (_, index) => from + index);
}
