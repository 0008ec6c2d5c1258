// plain English + the names of the app → the clauses of it: what is wanted, and what is named

import { readAct } from "./acts/intents.ts";
import { keptBefore } from "./acts/memory-and-tasks.ts";
import type { Reading } from "./acts/reading.ts";
import { aboutPicture, joinClauses } from "./clauses/join-clauses.ts";
import { calledIn } from "./clauses/pointed-at.ts";
import { splitClauses } from "./clauses/split-clauses.ts";
import { type SequenceWords, splitSequence } from "./clauses/split-sequence.ts";
import type { Act, Called, Clause, Known, Slots } from "./intent.ts";
import { judgeSentence } from "./kind/judge-sentence.ts";
import { readSlots } from "./read-slots.ts";
import { toFigures, withoutOldValue } from "./slots/amounts.ts";
import { fill, NO_SLOTS, withoutGaps } from "./slots/fill-slots.ts";
import type { WallClock } from "./slots/find-period.ts";
import { findSavedNames, markSavedNames, type SavedNames, unmarkSavedNames } from "./slots/find-saved-names.ts";
import { type Literals, readLiterals, toPlainWords } from "./words/plain-words.ts";
import { respell } from "./words/respell.ts";

export interface InstructionContext {
  readonly known: Known;
  readonly clock: WallClock;
  /** A picture came with the message. */
  readonly hasImage: boolean;
}

const LONGEST_INSTRUCTION = 2000;

/** Never throws: what cannot be read is a clause whose act is `none`. */
export function readInstruction(instruction: string, context: InstructionContext): readonly Clause[] {
  const { text, literals } = readLiterals(instruction.slice(0, LONGEST_INSTRUCTION));
  const whole = toPlainWords(text);
  const names: Names = { literals, saved: findSavedNames(whole, literals, context.known) };
  const kept = keptBefore(text);
  if (kept !== undefined) return [readClause(`Remember: ${kept}`, names, context)];
  const spelt = respell(text, context.known);
  const sequence = splitSequence(spelt);
  if (sequence !== undefined) return [readSequence(sequence, spelt, { names, context })];
  // What is to be kept is kept as it was said.
  const pieces = KEEPS_FIRST.test(whole) ? [text] : splitClauses(spelt, context.known.cameras, literals);
  const clauses = pieces.map((piece) => readClause(piece, names, context));
  if (context.hasImage) return aboutPicture(clauses);
  const joined = joinClauses(clauses);
  const said = new Set(clauses.map(({ words }) => words));
  return joined.map((clause) =>
    said.has(clause.words) ? clause : { ...clause, judgedWhole: judgeSentence(clause.words, context.known.cameras) },
  );
}

const KEEPS_FIRST =
  /^(?:please )?(?:remember|don't forget|note that|keep in mind|make a note|for the record|fyi|just so you know)\b/;

interface Names {
  readonly literals: Literals;
  readonly saved: SavedNames;
}

interface ReadWith {
  readonly names: Names;
  readonly context: InstructionContext;
}

/** What a later step leaves open is as in the one before it: "and then a car" crosses, too. */
function readSequence({ steps, withinSeconds }: SequenceWords, words: string, { names, context }: ReadWith): Clause {
  const [first, ...others] = steps.map((step) => readClause(step, names, context)) as [Clause, ...Clause[]];
  const then: Clause[] = [];
  let { slots } = first;
  for (const step of others) {
    const { when, line, way, zone } = step.slots.when === undefined ? slots : step.slots;
    const classes = step.slots.thing === undefined ? slots.classes : [];
    slots = withoutGaps({ ...fill(step.slots, { ...NO_SLOTS, classes }), when, line, way, zone });
    then.push({ ...step, act: { kind: "watch" }, slots });
  }
  const cameras = [first, ...then].map((step) => step.slots.cameras).find((named) => named.length > 0) ?? [];
  return {
    ...first,
    act: { kind: "watch" },
    words: withLiterals(words, names.literals).trim(),
    slots: { ...first.slots, cameras, ...(withinSeconds !== undefined && { withinSeconds }) },
    then,
  };
}

/** Before what is said, and saying nothing. */
const SOUNDS =
  /^(?:(?:hmm+|mm+|ugh|argh|oh|ah|um+|uh|er|well|nah|hey|phew|wow|gosh|oops|hang on|hold on|(?:wait|just|one|hold on|hang on)(?: an?)? (?:minute|moment|second|sec|mo|tick)) )+(?=\S)/;

/** … and after it. */
const TAILS =
  /(?<=\S)(?: (?:ta|cheers|mate|pal|buddy|love|innit|yeah|thanks(?: (?:a lot|so much|very much))?|thank you(?: (?:so|very) much)?))+$/;

function readClause(words: string, { literals, saved }: Names, context: InstructionContext): Clause {
  const { known, clock, hasImage } = context;
  const plain = toPlainWords(words).replace(SOUNDS, "").replace(TAILS, "");
  const text = withoutOldValue(toFigures(markSavedNames(plain, saved)));
  // "No, cars" wants cars; "no cars" waits until there are none.
  const { slots, bare } = readSlots(/^\s*no,/i.test(words) ? text.replace(/^no /, "") : text, {
    known,
    literals,
    saved,
    clock,
  });
  const readAgain = (some: string): Slots => readSlots(some, { known, literals, saved, clock }).slots;
  const called = toCalled(text, readAgain);
  const hasModel = literals.models.length > 0;
  const said = withLiterals(words, literals);
  const judged = judgeSentence(said, known.cameras);
  const reading: Reading = {
    judged,
    words: said,
    text,
    bare,
    slots,
    known,
    clock,
    hasImage,
    hasModel,
  };
  const act = readAct(reading);
  const restore = (marked: string): string => withLiterals(unmarkSavedNames(marked, saved), literals);
  const wanted: Act = act.kind === "schedule" ? { ...act, task: restore(act.task) } : act;
  return { act: wanted, slots, judged, words: said.trim(), bare, ...(called && { called }) };
}

/** Where the words that point at something name a thing or a camera, or another one. */
function toCalled(text: string, read: (words: string) => Slots): Called | undefined {
  const { phrase, rest } = calledIn(text) ?? {};
  if (phrase === undefined || rest === undefined) return undefined;
  const { cameras, classes, together } = read(phrase);
  if (cameras.length + classes.length === 0 && !/\bother\b/.test(phrase)) return undefined;
  return { phrase, named: { cameras, classes, ...(together && { together }) }, slots: read(rest) };
}

function withLiterals(text: string, { addresses, models }: Literals): string {
  return text.replace(
    /@([am])(\d+)/g,
    (mark, kind: string, at: string) => (kind === "a" ? addresses : models)[Number(at)] ?? mark,
  );
}
