// a sentence that names something + one that says what to do with it → one wish
import { NO_QUERY, recallOf } from "../acts/memory-and-tasks.ts";
import { categoryOf } from "../acts/models-and-blocks.ts";
import { isQuestion } from "../acts/reading.ts";
import type { Act, Clause } from "../intent.ts";
import { fill } from "../slots/fill-slots.ts";
import { toPlainWords } from "../words/plain-words.ts";

/** Undefined when they are two wishes. */
export function joinMention(before: Clause, clause: Clause): Clause | undefined {
  const adjusted = adjusts(before, clause);
  if (adjusted !== undefined) return adjusted;
  if (watchesWith(before, clause)) return onTopOf(before, clause, clause.act);
  if (runsIt(before, clause)) return onTopOf(before, clause, { kind: "run" });
  if (asksFor(before, clause) || drawsLine(before, clause)) return onTopOf(before, clause, clause.act);
  if (asksOf(before, clause)) return onTopOf(before, clause, clause.act);
  const told = toldOf(before, clause);
  if (told !== undefined) return onTopOf(before, clause, told);
  const task = taskOf(before, clause);
  if (task !== undefined) return { ...onTopOf(before, clause, task), judged: before.judged };
  const narrowed = narrowsPast(before, clause);
  if (narrowed !== undefined) return onTopOf(before, clause, narrowed);
  const category = categoryBeside(before, clause);
  return category === undefined ? undefined : onTopOf(before, clause, { kind: "blocks", category });
}

function onTopOf(before: Clause, clause: Clause, act: Act): Clause {
  return { ...clause, act, slots: fill(clause.slots, before.slots), words: `${before.words} ${clause.words}` };
}

const SETS_LIMIT =
  /\b(?:make|set|change|raise|lower|plenty|enough|instead|better|should be|would do|will do|suffices?|only|at most|no more than|once)\b/;

/**
 * "The people on the yard drive me mad. Once an hour is plenty.": the first speaks of what is there, the second says
 * how it shall be. All that is taken from the first is where.
 */
function adjusts({ act, slots: spoken, words }: Clause, clause: Clause): Clause | undefined {
  const { hours, seconds, atLeast, cooldownSeconds, severity, cameras, classes } = clause.slots;
  const isLimit = [hours, seconds, atLeast, cooldownSeconds, severity].some((value) => value !== undefined);
  const isOpen = (clause.act.kind === "none" || clause.act.kind === "calmer") && cameras.length + classes.length === 0;
  const isSpoken = act.kind === "none" && spoken.cameras.length + spoken.classes.length > 0;
  if (!isSpoken || !isLimit || !isOpen || isQuestion(toPlainWords(words))) return undefined;
  if (!SETS_LIMIT.test(toPlainWords(clause.words))) return undefined;
  return { ...clause, slots: { ...clause.slots, cameras: spoken.cameras } };
}

/** "Using my model acme/vests/5, alert me when …": the model that the watch is to look with. */
function watchesWith({ act, slots: named }: Clause, { act: next, slots }: Clause): boolean {
  const isMention = (act.kind === "none" || act.kind === "run") && named.model !== undefined;
  const isOpen = named.cameras.length === 0 || named.cameras.every((name) => slots.cameras.includes(name));
  return isMention && isOpen && next.kind === "watch" && slots.model === undefined;
}

/** "Our model is acme/caps/7. I want it on the yard.": the second says where the first runs. */
function runsIt({ act, slots: named }: Clause, { act: next, slots, bare }: Clause): boolean {
  const isNamed = (named.model !== undefined || named.workflow !== undefined) && named.cameras.length === 0;
  const isPlaced = slots.cameras.length > 0 && slots.model === undefined && slots.workflow === undefined;
  const isMention = act.kind === "none" || act.kind === "run";
  const isWish = ["none", "run", "look", "detect", "watch"].includes(next.kind) && slots.classes.length === 0;
  return isNamed && isPlaced && isMention && isWish && /\b(?:it|that|this|one|them)\b/.test(bare);
}

/** "How often does a bus come by? Count them.": the question says what is to be counted. */
function asksFor({ act, slots: asked }: Clause, { act: next, slots }: Clause): boolean {
  const isQuestion = ["recall", "look", "past", "totals"].includes(act.kind) && asked.classes.length > 0;
  const isOpen = slots.cameras.length + slots.classes.length === 0 && slots.unknownCamera === undefined;
  return isQuestion && next.kind === "count" && isOpen && !slots.anything;
}

/** "People on the street, how many?" */
function asksOf({ act, slots: named }: Clause, { act: next, slots, words }: Clause): boolean {
  const isTopic = act.kind === "none" && named.classes.length > 0;
  const isOpen = slots.classes.length + slots.cameras.length === 0 && slots.thing === undefined;
  return isTopic && isOpen && next.kind === "look" && /^how many\b/.test(toPlainWords(words));
}

/** Asked about, and not named: "who does it belong to?" */
const UNNAMED = new RegExp(`^(?:${NO_QUERY}|belongs?(?: to)?|owns?|owner(?: of)?|(?:this|they|these|those)(?: one)?)$`);

/** "There is a white van again. Whose is that?": the first says what is asked about. */
function toldOf({ act, words }: Clause, { act: next }: Clause): Act | undefined {
  const plain = toPlainWords(words);
  const isOpen = next.kind === "recall" && UNNAMED.test(next.query);
  return isOpen && ["none", "look", "beyond"].includes(act.kind) && !isQuestion(plain) ? recallOf(plain) : undefined;
}

/** "Look at the dock every hour and tell me how many people there are.": the second is what is to be done. */
function taskOf({ act, slots: named }: Clause, { act: next, slots, words }: Clause): Act | undefined {
  const isBare = act.kind === "schedule" && named.classes.length === 0 && named.cameras.length > 0;
  if (!isBare || next.kind !== "look" || slots.cameras.length > 0 || slots.unknownCamera !== undefined)
    return undefined;
  return { ...act, task: `${toPlainWords(words)} on ${named.cameras.join(" and ")}` };
}

/** "Put a horizontal line across the yard and count what crosses it." */
function drawsLine({ act, slots: drawn }: Clause, { act: next, slots }: Clause): boolean {
  const isLine = act.kind === "none" && drawn.line !== undefined && drawn.classes.length === 0;
  const isWish = next.kind === "count" || next.kind === "watch";
  return isLine && isWish && slots.cameras.every((name) => drawn.cameras.includes(name));
}

/** "How many came yesterday? Only those going in.": the question, about one way. */
function narrowsPast({ act }: Clause, { act: next, slots, words }: Clause): Act | undefined {
  const { way } = slots;
  const isMore = act.kind === "past" && (next.kind === "none" || next.kind === "past") && slots.classes.length === 0;
  const isAsked = /\bhow (?:many|often)\b/.test(toPlainWords(words));
  if (!isMore || isAsked || slots.cameras.length > 0) return undefined;
  return way === "in" || way === "out" ? { ...act, eventKind: "line_crossed", direction: way } : undefined;
}

/** "I want to crop. Is there a block?": the other sentence says of which kind. */
function categoryBeside(before: Clause, clause: Clause): string | undefined {
  if (before.act.kind === "blocks" && clause.act.kind === "none") return categoryOf(toPlainWords(clause.words));
  const isOpen = clause.act.kind === "blocks" && clause.act.category === undefined;
  return isOpen && before.act.kind === "none" ? categoryOf(toPlainWords(before.words)) : undefined;
}
