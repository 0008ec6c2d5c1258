// the clauses of an instruction → those that want something
import { recallOf } from "../acts/memory-and-tasks.ts";
import { RUNS } from "../acts/models-and-blocks.ts";
import { isQuestion, OWN_PLANS, TELLS } from "../acts/reading.ts";
import type { Act, Clause } from "../intent.ts";
import { NUMBER } from "../slots/amounts.ts";
import { hasAny, isWithin, namesNothing } from "../slots/fill-slots.ts";
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

/** "Stop the one, but leave the other running." */
const SPARES =
  /^(?:please |but |and |just )*(?:leave|keep|spare|don't touch|do not touch)\b|\b(?:others?|rest|remaining|else)\b.*\b(?:stays?|carry|carries|goes|go|runs?|running|continues?|remains?|fine|alone|going|untouched|needed)\b|\b(?:goes on|carries on|stays(?: on| as it is)?|keeps? (?:going|running)|continues|as (?:it|they) (?:is|are)|alone)$/;
/** "Somebody has been stealing parcels.": why the wish is there, not what it is. */
const STORY =
  /\b(?:has|have|had) been\b|\b(?:was|were|keeps?|kept|got|isn't|aren't|not ready|still being|still in|you can't|you cannot)\b|\b(?:don't|do not|haven't) (?:have|got|own)\b/;
/** A sentence that tells how things are, or where to look. */
const STATES =
  /^(?:please )?(?:look at|have a look at|take)\b|\b(?:there's|is|are|was|were|has|have|had|keeps?|kept|may|must|mustn't|might|can|cannot|can't|should|shouldn't|gets?|got|limited|allowed|permitted|always|often|never|sometimes|used to)\b/;
const OTHER_WAY = /\b(?:other|opposite|reverse|wrong) (?:way|direction|side)\b/;

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

/** A question that no rule reads may be one that a note answers. */
function asked(clause: Clause): Clause {
  const { act, slots, words } = clause;
  const text = toPlainWords(words);
  const isUnread = act.kind === "none" && isQuestion(text) && text.split(" ").length > 3;
  return isUnread && slots.cameras.length === 0 && !slots.period ? { ...clause, act: recallOf(text) } : clause;
}

/** It says what is to be done, or at least about what and where. */
function wants({ act, slots }: Clause): boolean {
  const names = slots.classes.length > 0 || hasAny(slots, "model", "workflow");
  return act.kind !== "none" || (slots.cameras.length > 0 && names);
}

function leadsUp(clause: Clause, before: readonly Clause[], after: readonly Clause[]): boolean {
  const { act, bare, slots, words } = clause;
  const plain = toPlainWords(words);
  const last = before.at(-1)?.act.kind;
  const isNameless = namesNothing(slots) && slots.workflow === undefined;
  const isEmpty = isNameless && !hasAny(slots, ...HEARD);
  const isSpared = isOneOf([...before, ...after], "stop", "pause", "resume") && SPARES.test(plain);
  if ((isSpared && act.kind !== "stop" && act.kind !== "pause") || OWN_PLANS.test(plain)) return true;
  const isCheck = before.length > 0 && isNameless && CHECKS.test(plain);
  const isOfNote = last === "recall" && isNameless && OF_NOTE.test(plain);
  switch (act.kind) {
    case "greeting":
    case "thanks":
    case "yes":
    case "no":
      return true;
    case "run":
      // "Count the cars, then start it.": it runs already.
      return (
        isCheck ||
        (isOneOf(before, "count", "watch", "detect") && isNameless && slots.model === undefined) ||
        (isMention(clause) && isOneOf(after, "run"))
      );
    case "none":
      return (
        bare === "" ||
        INTERJECTION.test(bare) ||
        POLITE.test(plain) ||
        (isEmpty && (ABOUT_ME.test(plain) || COMPLAINS.test(plain))) ||
        (isEmpty && AROUND.test(plain) && !SETS_FIGURE.test(plain)) ||
        isTopic(clause, after) ||
        isCheck ||
        isSetting(clause, after) ||
        // "Never mind the opposite direction.": said already by the way that was named.
        (before.some((one) => one.slots.way !== undefined) && OTHER_WAY.test(plain))
      );
    case "past":
      return ABOUT_ME.test(plain) && isEmpty && slots.period === undefined;
    case "look":
      return isCheck || isOfNote || isSetting(clause, after);
    case "beyond":
      return (
        (STORY.test(plain) && !isQuestion(plain) && !TELLS.test(plain) && isOneOf(after, "watch", "count")) || isOfNote
      );
    case "watch":
      // "Recognise Anna and tell me when she comes": without the first there is no second.
      return last === "beyond" && OF_THE_SAME.test(bare);
    default:
      return false;
  }
}

/** What may be taken from a clause that names neither camera nor thing. */
const HEARD = [
  ...(["hours", "seconds", "atLeast", "cooldownSeconds", "zone", "line", "way", "fps", "model", "thing"] as const),
  "unknownCamera",
] as const;

function isOneOf(clauses: readonly Clause[], ...kinds: readonly Act["kind"][]): boolean {
  return clauses.some(({ act }) => kinds.includes(act.kind));
}

/** A model or workflow is named, and nobody says yet what to do with it. */
function isMention({ slots, bare }: Clause): boolean {
  return /\bi have\b|\bthere(?:'s| is)\b/.test(bare) || (slots.cameras.length === 0 && !RUNS.test(bare));
}

/** "There is a bench in the left half of the yard." before "tell me when somebody sits there": where it happens. */
function isSetting({ slots, words }: Clause, after: readonly Clause[]): boolean {
  const plain = toPlainWords(words);
  const here = after.filter((next) => isOneOf([next], "beyond") || isWithin(slots.cameras, next.slots.cameras));
  return (
    STATES.test(plain) && !isQuestion(plain) && slots.cameras.length > 0 && isOneOf(here, "beyond", "watch", "count")
  );
}

/** "Packages, at the door." before "tell me when one stays there": all it names is named again, or taken over. */
function isTopic({ slots }: Clause, after: readonly Clause[]): boolean {
  const same = after.filter(
    ({ slots: next }) => isWithin(slots.cameras, next.cameras) && isWithin(slots.classes, next.classes),
  );
  return !namesNothing(slots) && isOneOf(same, "watch", "count", "detect", "run");
}
