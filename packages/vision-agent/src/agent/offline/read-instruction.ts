// plain English + the names of the app → the clauses of it: what is wanted, and what is named

import { readBeyond, readErrand, readGlance, readUnable } from "./acts/beyond.ts";
import { readCamera } from "./acts/cameras.ts";
import { readControl, readList } from "./acts/control.ts";
import { keptBefore, readRecall, readRemember, readSchedule } from "./acts/memory-and-tasks.ts";
import { readBlocks, readRun } from "./acts/models-and-blocks.ts";
import { readImage, readLook, readPast, readSummary, readTotals, readWhy } from "./acts/questions.ts";
import { isQuestion, type Reading, type Rule } from "./acts/reading.ts";
import { readCalmer, readShortReply, readSmallTalk } from "./acts/small-talk.ts";
import { readStart } from "./acts/starts.ts";
import { aboutPicture } from "./clauses/about-picture.ts";
import { askOn } from "./clauses/ask-on.ts";
import { carryOver } from "./clauses/carry-over.ts";
import { joinMention } from "./clauses/join-mentions.ts";
import { splitClauses } from "./clauses/split-clauses.ts";
import { withoutAsides, withoutGrumbles } from "./clauses/without-asides.ts";
import type { Act, Clause, Known, Slots } from "./intent.ts";
import { judgeSentence } from "./kind/judge-sentence.ts";
import { readLacking, readSelf } from "./kind/read-kind.ts";
import { readSlots } from "./read-slots.ts";
import { withoutOldValue } from "./slots/amounts.ts";
import { fill } from "./slots/fill-slots.ts";
import { isShortStay } from "./slots/find-condition.ts";
import type { WallClock } from "./slots/find-period.ts";
import { findSavedNames, markSavedNames, type SavedNames, unmarkSavedNames } from "./slots/find-saved-names.ts";
import { toFigures } from "./slots/to-figures.ts";
import { type Literals, readLiterals, toPlainWords } from "./words/plain-words.ts";
import { respell } from "./words/respell.ts";

export interface InstructionContext {
  readonly known: Known;
  readonly clock: WallClock;
  /** A picture came with the message. */
  readonly hasImage: boolean;
}

/** The first rule that knows what is meant decides. */
const RULES: readonly Rule[] = [
  readShortReply,
  readLacking,
  readCamera,
  readGlance,
  readErrand,
  readRemember,
  readRecall,
  readSchedule,
  readCalmer,
  readControl,
  readWhy,
  readSelf,
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
  readUnable,
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
  const pieces = KEEPS_FIRST.test(whole)
    ? [text]
    : splitClauses(respell(text, context.known), context.known.cameras, literals);
  const clauses = pieces.map((piece) => readClause(piece, names, context));
  if (context.hasImage) return aboutPicture(clauses);
  const joined = withoutAsides(carryOver(joinWatches(keepLooking(withoutGrumbles(askOn(clauses))))));
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
  const act = actOf(reading);
  const restore = (marked: string): string => withLiterals(unmarkSavedNames(marked, saved), literals);
  const wanted: Act = act.kind === "schedule" ? { ...act, task: restore(act.task) } : act;
  return { act: wanted, slots, judged, words: said.trim(), bare };
}

/** Acts that change something, which no question does. */
const CHANGES: ReadonlySet<Act["kind"]> = new Set([
  ...(["watch", "count", "detect", "stop", "pause", "resume", "calmer", "remember", "schedule"] as const),
]);

function actOf(reading: Reading): Act {
  for (const rule of RULES) {
    const act = rule(reading);
    if (act !== undefined && !(reading.judged.asks && CHANGES.has(act.kind))) return act;
  }
  return { kind: "none" };
}

function withLiterals(text: string, { addresses, models }: Literals): string {
  return text.replace(
    /@([am])(\d+)/g,
    (mark, kind: string, at: string) => (kind === "a" ? addresses : models)[Number(at)] ?? mark,
  );
}

/** What makes one wish of two clauses. */
const JOINS: readonly ((before: Clause, clause: Clause) => boolean)[] = [
  isPartOf,
  goesOn,
  isModifier,
  isOccasionOf,
  isConditionOf,
];

/** "Watch the street for people and tell me when they cross the line" is one wish; "Monitor both" before two wishes is none. */
function joinWatches(clauses: readonly Clause[]): readonly Clause[] {
  const joined: Clause[] = [];
  for (const clause of clauses) {
    const before = joined.at(-1);
    if (before === undefined) joined.push(clause);
    else if (joinMention(before, clause) !== undefined) joined.splice(-1, 1, joinMention(before, clause) ?? clause);
    else if (limitsStay(before, clause)) joined.splice(-1, 1, withModifier(before, clause));
    else if (JOINS.some((belongs) => belongs(before, clause))) joined.splice(-1, 1, onTopOf(before, clause));
    else if (isModifier(clause) && (starts(before) || before.act.kind === "calmer" || isTopic(before)))
      joined.splice(-1, 1, withModifier(before, clause));
    else joined.push(clause);
  }
  return joined.filter((clause, at) => !isCovered(clause, joined.slice(at + 1)));
}

/** It watches cameras for nothing in particular, and what follows says for what. */
function isCovered({ act, slots, words }: Clause, later: readonly Clause[]): boolean {
  const isBare = act.kind === "watch" && slots.classes.length === 0 && slots.when === undefined && !slots.anything;
  const covered = later.filter(starts).flatMap((next) => next.slots.cameras);
  const isAll = slots.cameras.every((camera) => covered.includes(camera)) || /\bboth\b/i.test(words);
  return isBare && covered.length > 0 && isAll;
}

function starts({ act }: Clause): boolean {
  return act.kind === "watch" || act.kind === "count" || act.kind === "detect" || act.kind === "run";
}

/** "Find people, follow them and count who crosses": counting finds and follows by itself. */
function isPartOf(before: Clause, { act, slots }: Clause): boolean {
  if (before.act.kind === "look" && act.kind === "look" && before.slots.classes.length === 0)
    return slots.cameras.length === 0 && slots.unknownCamera === undefined;
  if (before.act.kind !== "detect") return false;
  const goesOn = act.kind === "count" || (act.kind === "detect" && slots.classes.length === 0);
  // "I care about the left half": about nothing in particular, so what follows says it.
  const isOpen = before.slots.classes.length === 0 && !before.slots.anything && before.slots.thing === undefined;
  const isHere =
    slots.cameras.every((name) => before.slots.cameras.includes(name)) && slots.unknownCamera === undefined;
  return (goesOn && isAbout(slots, before.slots)) || (isOpen && isHere && (goesOn || act.kind === "watch"));
}

/** "Monitor them: find people on cam1 and cars on cam2.": not one look, but from now on. */
function keepLooking(clauses: readonly Clause[]): readonly Clause[] {
  const keeps = ({ act, slots }: Clause): boolean => act.kind === "watch" && slots.classes.length === 0;
  const looksFor = ({ act, slots, words }: Clause): boolean =>
    act.kind === "look" && slots.classes.length > 0 && /\b(?:look(?:ing)?(?: out)? for|find|search for)\b/i.test(words);
  if (!clauses.some(keeps)) return clauses;
  return clauses.map((clause) => (looksFor(clause) ? { ...clause, act: { kind: "detect" } } : clause));
}

/** "Tell me of every car. Ignore it if it leaves within two minutes." */
function limitsStay({ act, slots: earlier }: Clause, { bare, slots }: Clause): boolean {
  const isHere = slots.classes.every((name) => earlier.classes.includes(name)) && slots.unknownCamera === undefined;
  return act.kind === "watch" && isShortStay(bare) && isHere && slots.cameras.length === 0;
}

/** "A truck may not stand there for an hour. Tell me if one does.": the first says what the second waits for. */
function isConditionOf({ act, slots: earlier }: Clause, { act: next, slots }: Clause): boolean {
  const limits = [earlier.seconds, earlier.atLeast, earlier.hours, earlier.zone];
  const says = earlier.classes.length > 0 && limits.some((limit) => limit !== undefined);
  const isOpen = slots.classes.length + slots.cameras.length === 0 && slots.seconds === undefined;
  return act.kind === "none" && says && next.kind === "watch" && isOpen && slots.atLeast === undefined;
}

/** "There was a car at three. Why was I not told?": of what the question speaks. */
function isOccasionOf(before: Clause, { act, slots }: Clause): boolean {
  const isStatement = before.act.kind === "none" || before.act.kind === "past";
  return act.kind === "why" && isStatement && !isQuestion(toPlainWords(before.words)) && slots.cameras.length === 0;
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
    (workspace !== undefined && workflow === undefined) ||
    slots.excluded.length > 0;
  const says = slots.cameras.length > 0 || slots.classes.length > 0 || slots.anything || slots.thing !== undefined;
  const isEmpty = act.kind === "none" || (act.kind === "watch" && slots.when === undefined);
  return isEmpty && limits && !says;
}

/** "As for the cars on the street." */
function isTopic({ act, words }: Clause): boolean {
  return act.kind === "none" && TOPIC.test(toPlainWords(words));
}

const TOPIC = /^(?:now |so |ok |and )*(?:about|as for|regarding|concerning|with regard to|when it comes to|re)\b/;

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
