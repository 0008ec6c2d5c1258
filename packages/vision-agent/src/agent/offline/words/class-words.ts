// words of people ↔ class names of detectors
import { CLASS_NAMES, PLURALS, SYNONYMS } from "./class-names.data.ts";

const SINGULARS = new Map(Object.entries(PLURALS).map(([one, many]) => [many, one]));
const KNOWN_CLASSES: ReadonlySet<string> = new Set(CLASS_NAMES);
const LONGEST_NAME = 2;

/** Every class named in the words, in order, once each. */
export function findClasses(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { classes, length } = classesAt(words, at);
    found.push(...classes);
    at += Math.max(1, length);
  }
  return [...new Set(found)];
}

/** Every naming of classes, where it stands. */
export function groupsIn(
  words: readonly string[],
): readonly { readonly classes: readonly string[]; readonly at: number; readonly end: number }[] {
  const groups = [];
  for (let at = 0; at < words.length; ) {
    const { classes, length } = classesAt(words, at);
    if (length > 0) groups.push({ classes, at, end: at + length });
    at += Math.max(1, length);
  }
  return groups;
}

/** The classes at the beginning of the words, and how many words name them. */
export function classesAt(
  words: readonly string[],
  at: number,
): { readonly classes: readonly string[]; readonly length: number } {
  for (let length = LONGEST_NAME; length > 0; length -= 1) {
    if (at + length > words.length) continue;
    const classes = classesOf(words.slice(at, at + length).join(" "));
    if (classes.length > 0) return { classes, length };
  }
  return { classes: [], length: 0 };
}

/** `3 people`, `1 car`. */
export function countOf(count: number, className: string): string {
  return `${count} ${count === 1 ? className : plural(className)}`;
}

export function plural(className: string): string {
  return PLURALS[className] ?? `${className}s`;
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[], and = "and"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${and} ${last}`;
}

/** `people and cars`; everything when no class is named. */
export function thingsInWords(classes: readonly string[], and = "and"): string {
  return classes.length === 0 ? "everything" : joinWords(classes.map(plural), and);
}

/** Whether it names a class, in singular or plural. */
export function isClassWord(word: string): boolean {
  return classesOf(word).length > 0;
}

/** Whether one word, such as "vehicle", means both. */
export function isOfOneKind(className: string, other: string): boolean {
  return Object.values(SYNONYMS).some((classes) => classes.includes(className) && classes.includes(other));
}

function classesOf(word: string): readonly string[] {
  for (const form of singularForms(word)) {
    const synonym = Object.hasOwn(SYNONYMS, form) ? SYNONYMS[form] : undefined;
    if (synonym !== undefined) return synonym;
    if (KNOWN_CLASSES.has(form)) return [form];
  }
  return [];
}

function singularForms(word: string): readonly string[] {
  return [
    word,
    SINGULARS.get(word) ?? word,
    word.replace(/s$/, ""),
    word.replace(/es$/, ""),
    word.replace(/ies$/, "y"),
  ];
}
