// plain English + the names of the house → the clauses of it: what is wanted, and what is named
import { readBeyond } from "./acts/beyond.ts";
import { readControl, readList } from "./acts/control.ts";
import { keptBefore, readRecall, readRemember, readSchedule } from "./acts/memory-and-tasks.ts";
import { readBlocks, readRun } from "./acts/models-and-blocks.ts";
import { readImage, readLook, readPast, readSummary, readTotals, readWhy } from "./acts/questions.ts";
import type { Reading, Rule } from "./acts/reading.ts";
import { readCalmer, readShortReply, readSmallTalk } from "./acts/small-talk.ts";
import { readStart } from "./acts/starts.ts";
import type { Act, Clause, Known, Slots } from "./intent.ts";
import { type Literals, readLiterals, toPlainWords } from "./plain-words.ts";
import { readSlots } from "./read-slots.ts";
import { withoutOldValue } from "./slots/amounts.ts";
import type { WallClock } from "./slots/find-period.ts";
import { findSavedNames, markSavedNames, type SavedNames, unmarkSavedNames } from "./slots/find-saved-names.ts";
import { splitClauses } from "./split-clauses.ts";
import { withoutAsides } from "./without-asides.ts";

export interface InstructionContext {
  readonly known: Known;
  readonly clock: WallClock;
  /** A picture came with the message. */
  readonly hasImage: boolean;
}

/** The first rule that knows what is meant decides. */
const RULES: readonly Rule[] = [
  readShortReply,
  readRemember,
  readRecall,
  readSchedule,
  readCalmer,
  readControl,
  readWhy,
  readBlocks,
  readRun,
  readList,
  readSummary,
  readBeyond,
  readPast,
  readTotals,
  readStart,
  readImage,
  readLook,
  readSmallTalk,
];

const LONGEST_INSTRUCTION = 2000;

/** Never throws: what cannot be read is a clause whose act is `none`. */
export function readInstruction(instruction: string, context: InstructionContext): readonly Clause[] {
  const { text, literals } = readLiterals(instruction.slice(0, LONGEST_INSTRUCTION));
  const whole = toPlainWords(text);
  const names: Names = { literals, saved: findSavedNames(whole, literals, context.known) };
  const kept = keptBefore(text);
  if (kept !== undefined) return [readClause(`Remember: ${kept}`, names, context)];
  // What is to be kept is kept as it was said.
  const pieces = KEEPS_FIRST.test(whole) ? [text] : splitClauses(text, context.known.cameras, literals);
  const clauses = pieces.map((piece) => readClause(piece, names, context));
  return withoutAsides(inherit(joinWatches(clauses)));
}

const KEEPS_FIRST =
  /^(?:please )?(?:remember|don't forget|note that|keep in mind|make a note|for the record|fyi|just so you know)\b/;

interface Names {
  readonly literals: Literals;
  readonly saved: SavedNames;
}

function readClause(words: string, { literals, saved }: Names, context: InstructionContext): Clause {
  const { known, clock, hasImage } = context;
  const text = withoutOldValue(markSavedNames(toPlainWords(words), saved));
  const { slots, bare } = readSlots(text, { known, literals, saved, clock });
  const reading: Reading = { words: withLiterals(words, literals), text, bare, slots, known, clock, hasImage };
  const act = actOf(reading);
  const restore = (marked: string): string => withLiterals(unmarkSavedNames(marked, saved), literals);
  const said: Act = act.kind === "schedule" ? { ...act, task: restore(act.task) } : act;
  return { act: said, slots, words: reading.words.trim(), bare };
}

function actOf(reading: Reading): Act {
  for (const rule of RULES) {
    const act = rule(reading);
    if (act !== undefined) return act;
  }
  return { kind: "none" };
}

function withLiterals(text: string, { addresses, models }: Literals): string {
  return text.replace(
    /@([am])(\d+)/g,
    (mark, kind: string, at: string) => (kind === "a" ? addresses : models)[Number(at)] ?? mark,
  );
}

/** "Watch the street for people and tell me when they cross the line" is one wish; "Monitor both" before two wishes is none. */
function joinWatches(clauses: readonly Clause[]): readonly Clause[] {
  const joined: Clause[] = [];
  for (const clause of clauses) {
    const before = joined.at(-1);
    if (before === undefined) joined.push(clause);
    else if (isPartOf(before, clause)) joined.splice(-1, 1, onTopOf(before, clause));
    else if (goesOn(before, clause) || isModifier(before)) joined.splice(-1, 1, onTopOf(before, clause));
    else if (isConditionOf(before, clause)) joined.splice(-1, 1, onTopOf(before, clause));
    else if (isModifier(clause) && (starts(before) || before.act.kind === "calmer"))
      joined.splice(-1, 1, withModifier(before, clause));
    else joined.push(clause);
  }
  return joined.filter((clause, at) => !isCovered(clause, joined.slice(at + 1)));
}

/** It watches cameras for nothing in particular, and what follows says for what. */
function isCovered({ act, slots }: Clause, later: readonly Clause[]): boolean {
  const isBare =
    act.kind === "watch" && slots.classes.length === 0 && slots.when === undefined && slots.cameras.length > 0;
  const covered = later.filter(starts).flatMap((next) => next.slots.cameras);
  return isBare && slots.cameras.every((camera) => covered.includes(camera));
}

function starts({ act }: Clause): boolean {
  return act.kind === "watch" || act.kind === "count" || act.kind === "detect" || act.kind === "run";
}

/** "Find people, follow them and count who crosses": counting finds and follows by itself. */
function isPartOf(before: Clause, { act, slots }: Clause): boolean {
  if (before.act.kind === "look" && act.kind === "look" && before.slots.classes.length === 0)
    return slots.cameras.length === 0 && slots.unknownCamera === undefined;
  const goesOn = act.kind === "count" || (act.kind === "detect" && slots.classes.length === 0);
  return before.act.kind === "detect" && goesOn && isAbout(slots, before.slots);
}

/** "A truck may not stand there for an hour. Tell me if one does.": the first says what the second waits for. */
function isConditionOf({ act, slots: earlier }: Clause, { act: next, slots }: Clause): boolean {
  const says = earlier.classes.length > 0 && (earlier.seconds !== undefined || earlier.atLeast !== undefined);
  const isOpen = slots.classes.length + slots.cameras.length === 0 && slots.seconds === undefined;
  return act.kind === "none" && says && next.kind === "watch" && isOpen && slots.atLeast === undefined;
}

/** It names nothing that the other does not. */
function isAbout(slots: Slots, other: Slots): boolean {
  return (
    slots.cameras.every((name) => other.cameras.includes(name)) &&
    slots.classes.every((name) => other.classes.includes(name)) &&
    slots.thing === undefined &&
    slots.unknownCamera === undefined
  );
}

/** "Only at night.", "The line is horizontal." beside a wish: hours, a limit or a line, and nothing of its own. */
function isModifier({ act, slots }: Clause): boolean {
  const { hours, cooldownSeconds, severity, fps, days, line, way, workspace, workflow } = slots;
  const limits =
    [hours, cooldownSeconds, severity, fps, days, line, way].some((value) => value !== undefined) ||
    (workspace !== undefined && workflow === undefined);
  const says = slots.cameras.length > 0 || slots.classes.length > 0 || slots.anything || slots.thing !== undefined;
  const isEmpty = act.kind === "none" || (act.kind === "watch" && slots.when === undefined);
  return isEmpty && limits && !says;
}

function withModifier(clause: Clause, { slots, words }: Clause): Clause {
  return { ...clause, slots: fill(slots, clause.slots), words: `${clause.words} ${words}` };
}

/** The second says when, about what the first watches. */
function goesOn(before: Clause, { act, slots }: Clause): boolean {
  if (before.act.kind !== "watch" || before.slots.when !== undefined || act.kind !== "watch") return false;
  const isSame = (ours: readonly string[], theirs: readonly string[]): boolean =>
    ours.length === 0 || ours.every((name) => theirs.includes(name));
  return (
    isSame(slots.cameras, before.slots.cameras) &&
    (isSame(slots.classes, before.slots.classes) || before.slots.classes.length === 0)
  );
}

/** What the later clause leaves open is as in the earlier one. */
function onTopOf(before: Clause, clause: Clause): Clause {
  return { ...clause, slots: fill(clause.slots, before.slots), words: `${before.words} ${clause.words}` };
}

/** "… and let me know if they leave": camera and class are those of the clause before. */
function inherit(clauses: readonly Clause[]): readonly Clause[] {
  let names: Pick<Slots, "cameras" | "classes" | "model" | "workflow" | "workspace"> = { cameras: [], classes: [] };
  return clauses.map((clause) => {
    const { slots, act } = clause;
    const takesThing = act.kind === "watch" || act.kind === "count" || act.kind === "detect";
    const refers = /\b(?:it|they|them|one|he|she|that|this)\b/.test(clause.bare) || slots.thing === undefined;
    const filled: Slots = {
      ...slots,
      ...(takesThing && slots.unknownCamera === undefined && slots.cameras.length === 0 && { cameras: names.cameras }),
      ...(takesThing && refers && !slots.anything && slots.classes.length === 0 && { classes: names.classes }),
      ...(act.kind === "run" && slots.model === undefined && slots.workflow === undefined && namesOf(names)),
    };
    names = {
      cameras: filled.cameras.length > 0 ? filled.cameras : names.cameras,
      classes: filled.classes.length > 0 ? filled.classes : names.classes,
      ...namesOf(names),
      ...namesOf(filled),
    };
    return { ...clause, slots: filled };
  });
}

function namesOf({ model, workflow, workspace }: Pick<Slots, "model" | "workflow" | "workspace">) {
  return {
    ...(model !== undefined && { model }),
    ...(workflow !== undefined && { workflow }),
    ...(workspace !== undefined && { workspace }),
  };
}

/** `over` where it says something, else `under`. */
export function fill(over: Slots, under: Slots): Slots {
  return {
    ...under,
    ...over,
    cameras: over.cameras.length > 0 ? over.cameras : under.cameras,
    classes: over.classes.length > 0 || over.anything ? over.classes : under.classes,
    excluded: [...new Set([...under.excluded, ...over.excluded])],
    near: over.near.length > 0 ? over.near : under.near,
    anything: over.anything || (under.anything && over.classes.length === 0),
  };
}
