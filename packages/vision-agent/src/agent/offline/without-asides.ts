// the clauses of an instruction → those that want something
import { recallOf } from "./acts/memory-and-tasks.ts";
import { RUNS } from "./acts/models-and-blocks.ts";
import { isQuestion, TELLS } from "./acts/reading.ts";
import type { Clause } from "./intent.ts";
import { toPlainWords } from "./plain-words.ts";

/** "Two things.", "Get both going.": words around a wish. */
const AROUND =
  /^(?:(?:ok|okay|so|well|please|now|then|and|right) )*(?:(?:an? )?[\w-]+(?: of)? (?:things?|jobs?|wishes|requests?|tasks?|questions?|favou?rs?)|(?:get|set|start|switch|turn|make|do|put|have|bring) (?:it|that|this|them|both|all|everything|these|those)(?: \w+){0,3})(?: please)?$/;
/** "Check it first, and fix whatever is wrong": a workflow is checked whenever it is started. */
const CHECKS =
  /^(?:please |and |then |but )*(?:check|validate|verify|test|fix|correct|repair|make sure)\b(?!.*\b(?:if|whether|on|for)\b).*\b(?:it|them|that|this|whatever|anything|errors?|mistakes?|problems?|wrong|works?|runs?|valid|first)\b/;
/** "What does it say?" after a note was asked for. */
const OF_NOTE = /\b(?:it|that|the note)\b/;

/** Greetings go, so does what only leads up to a wish; what else is not read is marked, so that it can be told. */
export function withoutAsides(clauses: readonly Clause[]): readonly Clause[] {
  const [only, another] = clauses;
  if (only !== undefined && another === undefined) return [asked(only)];
  const kept = clauses.filter((clause, at) => !leadsUp(clause, clauses.slice(0, at), clauses.slice(at + 1)));
  if (kept.length === 0) return clauses.slice(0, 1);
  return kept.some(wants)
    ? kept.map((clause) => (wants(clause) ? clause : { ...clause, act: { kind: "aside" } }))
    : kept;
}

function asked(clause: Clause): Clause {
  const text = toPlainWords(clause.words);
  const isUnread = clause.act.kind === "none" && isQuestion(text) && text.split(" ").length > 3;
  const { cameras, period } = clause.slots;
  return isUnread && cameras.length === 0 && period === undefined ? { ...clause, act: recallOf(text) } : clause;
}

/** It says what is to be done, or at least about what and where. */
function wants({ act, slots }: Clause): boolean {
  if (act.kind !== "none") return true;
  const names = slots.classes.length > 0 || slots.model !== undefined || slots.workflow !== undefined;
  return slots.cameras.length > 0 && names;
}

function leadsUp(clause: Clause, before: readonly Clause[], after: readonly Clause[]): boolean {
  const { act, bare, words } = clause;
  const plain = toPlainWords(words);
  switch (act.kind) {
    case "greeting":
    case "thanks":
    case "yes":
    case "no":
      return true;
    case "run":
      return isCheck(clause, before) || (isMention(clause) && after.some((next) => next.act.kind === "run"));
    case "none":
      return bare === "" || AROUND.test(plain) || isTopic(clause, after) || isCheck(clause, before);
    case "look":
      return isCheck(clause, before) || isOfNote(clause, before);
    case "beyond":
      return (isStory(plain) && after.some((next) => next.act.kind === "watch")) || isOfNote(clause, before);
    case "watch":
      // "Recognise Anna and tell me when she comes": without the first there is no second.
      return before.at(-1)?.act.kind === "beyond" && /\b(?:he|she|it|they|this|that)\b/.test(bare);
    default:
      return false;
  }
}

function isCheck(clause: Clause, before: readonly Clause[]): boolean {
  return before.length > 0 && namesNothing(clause) && CHECKS.test(toPlainWords(clause.words));
}

/** A model or workflow is named, and nobody says yet what to do with it. */
function isMention({ slots, bare }: Clause): boolean {
  return /\bi have\b|\bthere(?:'s| is)\b/.test(bare) || (slots.cameras.length === 0 && !RUNS.test(bare));
}

function isOfNote(clause: Clause, before: readonly Clause[]): boolean {
  return before.at(-1)?.act.kind === "recall" && namesNothing(clause) && OF_NOTE.test(toPlainWords(clause.words));
}

function namesNothing({ slots }: Clause): boolean {
  return slots.cameras.length === 0 && slots.classes.length === 0 && slots.workflow === undefined;
}

/** "Somebody has been stealing parcels.": why the wish is there, not what it is. */
function isStory(plain: string): boolean {
  return (
    /\b(?:has|have|had) been\b|\b(?:was|were|keeps?|kept|got)\b/.test(plain) && !isQuestion(plain) && !TELLS.test(plain)
  );
}

/** "Packages, at the door." before "tell me when one stays there": all it names is named again, or taken over. */
function isTopic({ slots }: Clause, after: readonly Clause[]): boolean {
  const names = slots.cameras.length > 0 || slots.classes.length > 0;
  return (
    names &&
    after.some(
      ({ act, slots: next }) =>
        (act.kind === "watch" || act.kind === "count" || act.kind === "detect" || act.kind === "run") &&
        slots.cameras.every((name) => next.cameras.includes(name)) &&
        slots.classes.every((name) => next.classes.includes(name)),
    )
  );
}
