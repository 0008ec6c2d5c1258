// the clauses of an instruction → those that want something
import { recallOf } from "../acts/memory-and-tasks.ts";
import { RUNS } from "../acts/models-and-blocks.ts";
import { isQuestion, OWN_PLANS, TELLS } from "../acts/reading.ts";
import type { Clause } from "../intent.ts";
import { NUMBER } from "../slots/amounts.ts";
import { toPlainWords } from "../words/plain-words.ts";

/** "Two things.", "Get both going.": words around a wish. */
const AROUND =
  /^(?:(?:ok|okay|so|well|please|now|then|and|right) )*(?:(?:an? )?[\w-]+(?: of)? (?:things?|jobs?|wishes|requests?|tasks?|questions?|favou?rs?)|(?:get|set|start|switch|turn|make|do|put|have|bring) (?:it|that|this|them|both|all|everything|these|those)(?: \w+){0,3})(?: please)?$/;
/** "That is too few." before what would be enough. */
const COMPLAINS =
  /\b(?:that|this|it|which|those|they)(?: (?:camera|one|alert|watch|count|number|line|time|place|thing))?(?:'s| is| was| are| seems?| isn't| wasn't| aren't)(?: \w+){0,2} (?:enough|right|correct|good|wrong|silly|daft|stupid|pointless|ridiculous|absurd|crazy|annoying|useless|nonsense|no (?:use|good)|few|little|many|much|long|short|late|early|strict|often|what i (?:meant|wanted|asked|said)(?: \w+){0,2})$/;
const POLITE =
  /^(?:please )?(?:be so (?:kind|good|nice)(?: as to)?|would you be so kind|(?:best|kind|warm) regards|regards|many thanks|yours(?: \w+)?|dear \w+|that(?:'s| is| would be| will be) (?:all|it|great|nice|fine|perfect)(?: \w+){0,3})$/;
const SETS_FIGURE = new RegExp(`\\b(?:it|that|this|them) (?:to |at )?${NUMBER}\\b`);
const INTERJECTION =
  /^(?:(?:hmm+|um+|uh|oh|ah|ok|okay|well|so|right|sorry|oops|hey|please|thanks|actually|now|then|and|but|yes|no|look|listen|mind|wait|i see|good|(?:remind|tell) me|wrong(?: (?:camera|one|place|word))?|my (?:mistake|bad|fault)|apologies|pardon(?: me)?|whoops) ?)+$/;
/** "We just had lunch.": why somebody asks. */
const ABOUT_ME =
  /^(?:sorry |hey |well |and |but )*(?:(?:i|we) (?:was|were|am|are|have(?:n't)?|had|just|went|got|came|put|only just|only|don't (?:have|own|know)|didn't|did|told|must have|may have|know|knew|think|thought|suppose|guess)|(?:my|our) [\w-]+ (?:set|put|got|had|has|did|made|installed|fitted|bought|told|said|thinks?|says?))\b/;
/** "Check it first, and fix whatever is wrong": a workflow is checked whenever it is started. */
const CHECKS =
  /^(?:please |and |then |but )*(?:check|validate|verify|test|fix|correct|repair|make sure)\b(?!.*\b(?:if|whether|on|for)\b).*\b(?:it|them|that|this|whatever|anything|errors?|mistakes?|problems?|wrong|works?|runs?|valid|first)\b/;
/** What was just said to be impossible: "when she comes", "when somebody hasn't got one on". */
const OF_THE_SAME =
  /\b(?:he|she|it|they|this|that|one|ones|them|theirs|any on|does so|(?:doesn't|don't|isn't|hasn't)$)\b/;
/** "What does it say?" after a note was asked for. */
const OF_NOTE = /\b(?:it|that|the note)\b/;

const GRUMBLES =
  /^(?:but |well |and |obviously |honestly )*(?:that|this|it|which)(?:'s| is| was) (?:\w+ ){0,2}(?:silly|daft|stupid|pointless|ridiculous|absurd|crazy|annoying|useless|nonsense|no (?:use|good)|too (?:much|many|often))\b/;

/** "That is silly by day, it is full of people." before what shall be instead: what it names is not wanted. */
export function withoutGrumbles(clauses: readonly Clause[]): readonly Clause[] {
  const kept = clauses.filter(({ act, words }) => act.kind !== "none" || !GRUMBLES.test(toPlainWords(words)));
  return kept.length === 0 ? clauses : kept;
}

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
  if (isSpared(clause, plain, [...before, ...after]) || OWN_PLANS.test(plain)) return true;
  switch (act.kind) {
    case "greeting":
    case "thanks":
    case "yes":
    case "no":
      return true;
    case "run":
      return (
        isCheck(clause, before) ||
        isStarted(clause, before) ||
        (isMention(clause) && after.some((next) => next.act.kind === "run"))
      );
    case "none":
      return (
        bare === "" ||
        INTERJECTION.test(bare) ||
        POLITE.test(plain) ||
        ((ABOUT_ME.test(plain) || COMPLAINS.test(plain)) && isEmpty(clause)) ||
        (AROUND.test(plain) && isEmpty(clause) && !SETS_FIGURE.test(plain)) ||
        isTopic(clause, after) ||
        isCheck(clause, before) ||
        isSetting(clause, after) ||
        isOtherWay(clause, before)
      );
    case "past":
      return ABOUT_ME.test(plain) && isEmpty(clause) && clause.slots.period === undefined;
    case "look":
      return isCheck(clause, before) || isOfNote(clause, before) || isSetting(clause, after);
    case "beyond":
      return (
        (isStory(plain) && after.some(({ act: next }) => next.kind === "watch" || next.kind === "count")) ||
        isOfNote(clause, before)
      );
    case "watch":
      // "Recognise Anna and tell me when she comes": without the first there is no second.
      return before.at(-1)?.act.kind === "beyond" && OF_THE_SAME.test(bare);
    default:
      return false;
  }
}

/** "Stop the one, but leave the other running." */
function isSpared({ act }: Clause, plain: string, others: readonly Clause[]): boolean {
  const controls = others.some(({ act: { kind } }) => kind === "stop" || kind === "pause" || kind === "resume");
  return controls && act.kind !== "stop" && act.kind !== "pause" && SPARES.test(plain);
}

const SPARES =
  /^(?:please |but |and |just )*(?:leave|keep|spare|don't touch|do not touch)\b|\b(?:others?|rest|remaining|else)\b.*\b(?:stays?|carry|carries|goes|go|runs?|running|continues?|remains?|fine|alone|going|untouched|needed)\b|\b(?:goes on|carries on|stays(?: on| as it is)?|keeps? (?:going|running)|continues|as (?:it|they) (?:is|are)|alone)$/;

function isCheck(clause: Clause, before: readonly Clause[]): boolean {
  return before.length > 0 && namesNothing(clause) && CHECKS.test(toPlainWords(clause.words));
}

/** "Count the cars, then start it.": it runs already. */
function isStarted(clause: Clause, before: readonly Clause[]): boolean {
  const starts = before.some(({ act }) => act.kind === "count" || act.kind === "watch" || act.kind === "detect");
  return starts && namesNothing(clause) && clause.slots.model === undefined;
}

/** A model or workflow is named, and nobody says yet what to do with it. */
function isMention({ slots, bare }: Clause): boolean {
  return /\bi have\b|\bthere(?:'s| is)\b/.test(bare) || (slots.cameras.length === 0 && !RUNS.test(bare));
}

function isOfNote(clause: Clause, before: readonly Clause[]): boolean {
  return before.at(-1)?.act.kind === "recall" && namesNothing(clause) && OF_NOTE.test(toPlainWords(clause.words));
}

/** Nothing at all could be taken from it. */
function isEmpty(clause: Clause): boolean {
  const { hours, seconds, atLeast, cooldownSeconds, zone, line, way, fps, model, thing, unknownCamera } = clause.slots;
  const named = [hours, seconds, atLeast, cooldownSeconds, zone, line, way, fps, model, thing, unknownCamera];
  return namesNothing(clause) && named.every((value) => value === undefined);
}

function namesNothing({ slots }: Clause): boolean {
  return slots.cameras.length === 0 && slots.classes.length === 0 && slots.workflow === undefined;
}

/** "Somebody has been stealing parcels.": why the wish is there, not what it is. */
function isStory(plain: string): boolean {
  return (
    /\b(?:has|have|had) been\b|\b(?:was|were|keeps?|kept|got|isn't|aren't|not ready|still being|still in|you can't|you cannot)\b|\b(?:don't|do not|haven't) (?:have|got|own)\b/.test(
      plain,
    ) &&
    !isQuestion(plain) &&
    !TELLS.test(plain)
  );
}

/** "Never mind the opposite direction.": said already by the way that was named. */
function isOtherWay({ words }: Clause, before: readonly Clause[]): boolean {
  const isSaid = before.some(({ slots }) => slots.way !== undefined);
  return isSaid && /\b(?:other|opposite|reverse|wrong) (?:way|direction|side)\b/.test(toPlainWords(words));
}

/** A sentence that tells how things are, or where to look. */
const STATES =
  /^(?:please )?(?:look at|have a look at|take)\b|\b(?:there's|is|are|was|were|has|have|had|keeps?|kept|may|must|mustn't|might|can|cannot|can't|should|shouldn't|gets?|got|limited|allowed|permitted|always|often|never|sometimes|used to)\b/;

/** "There is a bench in the left half of the yard." before "tell me when somebody sits there": where it happens. */
function isSetting({ slots, words }: Clause, after: readonly Clause[]): boolean {
  const plain = toPlainWords(words);
  const isHere = ({ act, slots: next }: Clause): boolean =>
    act.kind === "beyond" ||
    ((act.kind === "watch" || act.kind === "count") && slots.cameras.every((name) => next.cameras.includes(name)));
  return STATES.test(plain) && !isQuestion(plain) && slots.cameras.length > 0 && after.some(isHere);
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
