// "the dog one", "it", "the other one", "both" → which of those that are there are meant
import type { Slots } from "../intent.ts";
import { toPlainWords } from "../words/plain-words.ts";

type Named = Pick<Slots, "cameras" | "classes" | "together">;

export interface SpokenTarget extends Named {
  readonly id: string;
  /** By which people call it; absent: its id. */
  readonly name?: string;
  readonly kind?: string;
}

export interface Pointing {
  readonly slots: Named & Partial<Pick<Slots, "excluded">>;
  /** Plain words. */
  readonly words: string;
  /** What was spoken of last. */
  readonly touched: readonly { readonly id: string; readonly kind: string }[];
}

const IT = /\b(?:it|its|that|this|them|those|these)\b/;
const OTHER = /\bthe other(?: (?:one|watch|alert|alarm))?s?\b/;
const BOTH = /\b(?:both|all|every|each|everything)\b/;
const ONE = /\b(?:the|this|that|my) (?:[\w-]+ ){0,6}(?:watch|alert|alarm|one)\b/;
/** One, although nothing says which. */
const SINGLE = /\b(?:it|this|that)\b/;
const MANY = /\b(?:watches|alerts|alarms|ones|both|all)\b/;
const ORDINALS = ["first", "second", "third", "fourth", "fifth"];
const ORDINAL = new RegExp(`\\bthe (${ORDINALS.join("|")}|last)(?: (?:one|watch|alert|alarm))?(?= |$)`);

export function isOfLast(words: string): boolean {
  return IT.test(words);
}

/** Undefined when the words point at nothing; empty when what they point at is not there. */
export function pointedAt<T extends SpokenTarget>(all: readonly T[], pointing: Pointing): readonly T[] | undefined {
  const { slots, words, touched } = pointing;
  const called = all.filter(({ id, name = id }) =>
    [id, name].some((word) => ` ${words} `.includes(` ${toPlainWords(word)} `)),
  );
  if (called.length > 0) return called;
  const isTouched = ({ id }: T): boolean => touched.some((one) => one.id === id);
  const isAlike = ({ kind }: T): boolean => touched.every((one) => kind === undefined || one.kind === kind);
  if (OTHER.test(words)) return all.filter((one) => isAlike(one) && !isTouched(one));
  if (slots.cameras.length + slots.classes.length > 0) return namedBy(all, slots, words);
  return IT.test(words) && touched.length > 0 ? all.filter(isTouched) : undefined;
}

/** On one of the cameras, and about all of the things; where none is about all, about one of them. */
function namedBy<T extends Named>(all: readonly T[], named: Named, words: string): readonly T[] {
  const { cameras, together = [] } = named;
  const classes = [...named.classes, ...together];
  const there = all.filter((one) => cameras.length === 0 || one.cameras.some((name) => cameras.includes(name)));
  const ofAll = MANY.test(words) ? [] : there.filter((one) => classes.every((name) => one.classes.includes(name)));
  if (classes.length === 0 || ofAll.length > 0) return classes.length === 0 ? there : ofAll;
  return there.filter((one) => classes.some((name) => one.classes.includes(name)));
}

/** "The second one" of these; undefined where one is meant and nothing says which. */
export function oneOrAll<T>(meant: readonly T[], words: string): readonly T[] | undefined {
  const [, ordinal] = ORDINAL.exec(words) ?? [];
  const one = ordinal === undefined ? undefined : meant.at(ORDINALS.indexOf(ordinal));
  if (one !== undefined) return [one];
  const isOne = ONE.test(words) || OTHER.test(words) || SINGLE.test(words);
  return meant.length > 1 && isOne && !BOTH.test(words) ? undefined : meant;
}

/** One of several that people call by what it is about: "the dog watch", "the alert on the dock". */
const CALLED = new RegExp(
  [
    "\\b(?:the|my|that|this) (?:(?!(?:the|my|that|this|an?|to|of|for|on|in|at|when|if|so)\\b)[\\w@-]+ ){1,5}(?:watch|alert|alarm|count|rule|one)s?\\b",
    "\\b(?:the|my|that|this) (?:watch|alert|alarm|count|rule|one)s? (?:on|for|about|at|in|of) (?:the |my )?[\\w-]+",
    OTHER.source,
  ].join("|"),
);

/** The words that say which one is meant, and the others with "it" in their place. */
export function calledIn(text: string): { readonly phrase: string; readonly rest: string } | undefined {
  const phrase = CALLED.exec(text)?.[0];
  return phrase === undefined ? undefined : { phrase, rest: text.replace(phrase, "it") };
}
