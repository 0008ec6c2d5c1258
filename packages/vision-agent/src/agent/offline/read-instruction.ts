// plain English + the names of the app → the clauses of it: what is wanted, and what is named

import { readAct } from "./acts/intents.ts";
import { keptBefore } from "./acts/memory-and-tasks.ts";
import type { Reading } from "./acts/reading.ts";
import { aboutPicture, joinClauses } from "./clauses/join-clauses.ts";
import { splitClauses } from "./clauses/split-clauses.ts";
import type { Act, Clause, Known } from "./intent.ts";
import { judgeSentence } from "./kind/judge-sentence.ts";
import { readSlots } from "./read-slots.ts";
import { toFigures, withoutOldValue } from "./slots/amounts.ts";
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
  // What is to be kept is kept as it was said.
  const pieces = KEEPS_FIRST.test(whole)
    ? [text]
    : splitClauses(respell(text, context.known), context.known.cameras, literals);
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
  const { slots, bare } = readSlots(text, { known, literals, saved, clock });
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
  return { act: wanted, slots, judged, words: said.trim(), bare };
}

function withLiterals(text: string, { addresses, models }: Literals): string {
  return text.replace(
    /@([am])(\d+)/g,
    (mark, kind: string, at: string) => (kind === "a" ? addresses : models)[Number(at)] ?? mark,
  );
}
