// the clauses of an instruction → its wishes: what belongs together is one clause, what says nothing goes
import { recallOf } from "../acts/memory-and-tasks.ts";
import { eventKindOf } from "../acts/questions.ts";
import { isQuestion } from "../acts/reading.ts";
import type { Act, Clause, Slots } from "../intent.ts";
import { fill, hasAny, isWithin, namesNothing } from "../slots/fill-slots.ts";
import { isShortStay } from "../slots/find-condition.ts";
import { toPlainWords } from "../words/plain-words.ts";

type Kinds = readonly Act["kind"][];

const STARTS: Kinds = ["watch", "count", "detect", "run"];
const QUESTIONS: Kinds = ["look", "past", "totals", "summary"];

const plainOf = ({ words }: Clause): string => toPlainWords(words);
const asks = (clause: Clause): boolean => isQuestion(plainOf(clause));
const isOf = ({ act }: Clause, kinds: Kinds): boolean => kinds.includes(act.kind);

/** "Watch the street for people and tell me when they cross the line" is one wish. */
export function joinClauses(clauses: readonly Clause[]): readonly Clause[] {
  const joined: Clause[] = [];
  for (const clause of clauses) {
    const before = joined.pop();
    const together = before && joinTwo(before, clause);
    if (together !== undefined) joined.push(together);
    else joined.push(...(before === undefined ? [] : [before]), clause);
  }
  return carryOver(withoutTalk(joined));
}

/** Undefined when they are two wishes. */
function joinTwo(before: Clause, clause: Clause): Clause | undefined {
  if (isOf(before, ["camera"]) || isOf(clause, ["camera"])) return joinCamera(before, clause);
  if (!agrees(before.slots, clause.slots)) return undefined;
  if (isModifier(clause) && isOf(before, [...STARTS, "calmer"])) return onTopOf(clause, before, before);
  if (before.act.kind === "past" && isModifier(clause)) return onlyThatWay(before, before.act, clause);
  if (saysWhere(before, clause)) return { ...onTopOf(clause, before, clause), act: { kind: "run" } };
  if (before.act.kind === "schedule" && isOf(clause, ["look"]) && before.slots.classes.length === 0) {
    // "Look at the dock every hour and tell me how many people there are.": the second is what is to be done.
    const task = [plainOf(clause), ...before.slots.cameras].join(" on ");
    return { ...onTopOf(clause, before, before), act: { ...before.act, task } };
  }
  return tellsMore(before, clause) ? onTopOf(clause, before, clause) : undefined;
}

/** The later clause wants something, and all that the earlier one says may belong to it. */
function tellsMore(before: Clause, clause: Clause): boolean {
  const isStatement = isOf(before, ["none", "look", "run"]) && !asks(before);
  if (isStatement && isOf(clause, [...STARTS, "calmer", "why"])) return true;
  if (isOf(before, ["watch"])) return isOf(clause, ["watch"]) && before.slots.when === undefined;
  if (isOf(before, ["detect"])) return isOf(clause, ["detect", "count"]);
  return isOf(before, QUESTIONS) && isOf(clause, ["count"]) && namesNothing(clause.slots);
}

/** "Our model is acme/caps/7. I want it on the yard.": the second says where the first runs. */
function saysWhere({ act, slots: named }: Clause, clause: Clause): boolean {
  const { slots, bare } = clause;
  const isMention = ["none", "run"].includes(act.kind) && hasAny(named, "model", "workflow");
  const isPlace = slots.cameras.length > 0 && slots.classes.length === 0 && /\b(?:it|that|this)\b/.test(bare);
  return isMention && named.cameras.length === 0 && isPlace && isOf(clause, ["none", "run", "look", "detect"]);
}

/** "How many came yesterday? Only those going in.": the question, about one way. */
function onlyThatWay(before: Clause, act: PastAct, clause: Clause): Clause | undefined {
  const { way } = clause.slots;
  if (way !== "in" && way !== "out") return undefined;
  return { ...onTopOf(clause, before, before), act: { ...act, eventKind: "line_crossed", direction: way } };
}

/** Slots of the first where it says something, else of the second; the act of the third. */
function onTopOf(over: Clause, under: Clause, { act, judged, bare }: Clause): Clause {
  const slots = fill(over.slots, { ...under.slots, classes: meantBy(over.bare, under.slots) });
  return { act, judged, bare, words: `${under.words} ${over.words}`, slots };
}

/** "The drivers leave the forklift there. When it stays …": nobody is an "it". */
function meantBy(bare: string, { classes }: Slots): readonly string[] {
  const things = classes.filter((name) => name !== "person");
  return things.length > 0 && /\b(?:it|its|it's)\b/.test(bare) ? things : classes;
}

/** Neither names a camera, a thing or a model that the other contradicts. */
function agrees(before: Slots, after: Slots): boolean {
  const fits = (ours: readonly string[], theirs: readonly string[]): boolean =>
    ours.length === 0 || isWithin(theirs, ours);
  const isOther =
    (before.model !== undefined && after.model !== undefined) ||
    (before.cameras.length > 0 && after.unknownCamera !== undefined) ||
    (before.classes.length > 0 && after.thing !== undefined);
  return fits(before.cameras, after.cameras) && fits(before.classes, after.classes) && !isOther;
}

/** "Only at night.", "The line is horizontal." beside a wish: hours, a limit or a line, and nothing of its own. */
function isModifier({ act, slots, bare }: Clause): boolean {
  const limits =
    hasAny(slots, "hours", "cooldownSeconds", "againSeconds", "severity", "fps", "days", "modes", "line", "way") ||
    hasAny(slots, "workspace") ||
    slots.excluded.length > 0 ||
    isShortStay(bare);
  const isEmpty = act.kind === "none" || (act.kind === "watch" && slots.when === undefined) || isShortStay(bare);
  return isEmpty && limits && !hasAny(slots, "workflow") && (namesNothing(slots) || isShortStay(bare));
}

const ADDRESS = /:\/\/|^webcam:|\.\w{3,4}$/;

/** "There is a new camera in the stable. It is at rtsp://…": one camera, where one says what the other leaves open. */
function joinCamera(before: Clause, clause: Clause): Clause | undefined {
  if (![before, clause].every((one) => isOf(one, ["camera", "none", "look"]))) return undefined;
  const [first, second] = [cameraIn(before), cameraIn(clause)];
  const isOne = !(first.name && second.name) && !(first.source && second.source);
  const source = first.source ?? second.source;
  if (!isOne || source === undefined) return undefined;
  return { ...onTopOf(clause, before, clause), act: { kind: "camera", name: first.name ?? second.name, source } };
}

/** What a clause says of a camera that is to be written down. */
function cameraIn({ act, slots }: Clause): Omit<Extract<Act, { kind: "camera" }>, "kind"> {
  if (act.kind === "camera") return act;
  return { name: slots.unknownCamera, source: slots.cameras.find((camera) => ADDRESS.test(camera)) };
}

/** "Stop the one, but leave the other running." */
const SPARES = /^(?:but |and |please )*(?:leave|keep|don't touch)\b|^the (?:rest|others?)\b/;
const TALK: Kinds = ["greeting", "thanks", "yes", "no"];
const INTERJECTION =
  /^(?:(?:hmm+|um+|uh|oh|ah|ok|okay|well|so|right|sorry|oops|whoops|hey|please|thanks|actually|now|then|and|but|yes|no|look|listen|wait|i see|good|wrong(?: (?:camera|one|place|word))?|my (?:mistake|bad|fault)|(?:two|a few|some|three) things|(?:get|set|start|do) (?:it|them|both|that)(?: going| up| running)?) ?)*$/;
/** "Check it before you start it, and fix what is wrong": a workflow is checked whenever it is started. */
const CHECKS = /^(?:and |then |please )*(?:check|validate|verify|test|fix|correct) (?:it|them|that|whatever|any)\b/;

/** Greetings go beside a wish; what else is not read is marked, so that it can be told. */
function withoutTalk(clauses: readonly Clause[]): readonly Clause[] {
  const [only, another] = clauses;
  if (only !== undefined && another === undefined) return [asked(only)];
  const kept = clauses.filter((clause, at) => !saysNothing(clause, clauses.slice(0, at), clauses.slice(at + 1)));
  if (kept.length === 0) return clauses.slice(0, 1);
  const wants = (clause: Clause): boolean => !isOf(clause, ["none"]);
  return kept.some(wants)
    ? kept.map((clause) => (wants(clause) ? clause : { ...clause, act: { kind: "aside" } }))
    : kept;
}

function saysNothing(clause: Clause, before: readonly Clause[], after: readonly Clause[]): boolean {
  const { act, slots, bare } = clause;
  const isStarted = before.some((one) => isOf(one, STARTS));
  if (isStarted && CHECKS.test(plainOf(clause)) && !hasAny(slots, "model", "workflow")) return true;
  switch (act.kind) {
    case "none":
      return (
        (INTERJECTION.test(bare) && !isModifier(clause)) ||
        (before.some((one) => isOf(one, ["stop", "pause", "resume"])) && SPARES.test(plainOf(clause)))
      );
    case "run":
      // "Count the cars, then start it.": it runs already.
      return isStarted && !hasAny(slots, "model", "workflow");
    case "watch": {
      // "Monitor both.": what follows says for what.
      const covered = after.flatMap((one) => one.slots.cameras);
      const isBare = slots.classes.length === 0 && slots.when === undefined && !slots.anything;
      return isBare && covered.length > 0 && isWithin(slots.cameras, covered);
    }
    default:
      return TALK.includes(act.kind);
  }
}

/** A question that no rule reads may be one that a note answers. */
function asked(clause: Clause): Clause {
  const { act, slots } = clause;
  const text = plainOf(clause);
  const isUnread = act.kind === "none" && isQuestion(text) && text.split(" ").length > 3;
  return isUnread && slots.cameras.length === 0 && !slots.period ? { ...clause, act: recallOf(text) } : clause;
}

type PastAct = Extract<Act, { kind: "past" }>;
type Spoken = Pick<Slots, "cameras" | "classes" | "period"> & { readonly act?: PastAct };

/** A later clause is about the camera of the one before where it names none, and about its things where it says "them". */
function carryOver(clauses: readonly Clause[]): readonly Clause[] {
  let spoken: Spoken = { cameras: [], classes: [] };
  return clauses.map((clause) => {
    const isAgain = isOf(clause, ["look", "totals", "aside"]) && AGAIN.test(plainOf(clause));
    const again = spoken.act && { ...spoken.act, eventKind: eventKindOf(clause.bare) ?? spoken.act.eventKind };
    const taken = { ...clause, act: (isAgain && again) || clause.act };
    const slots: Slots = { ...clause.slots, ...takenOver(taken, spoken) };
    spoken = {
      period: slots.period ?? spoken.period,
      cameras: namedIn(taken.act) ?? (slots.cameras.length > 0 ? slots.cameras : spoken.cameras),
      classes: slots.classes.length > 0 ? slots.classes : spoken.classes,
      ...(taken.act.kind === "past" && { act: taken.act }),
    };
    return { ...taken, slots };
  });
}

/** "Add a camera called gate at rtsp://…, and tell me when somebody is there": on the gate. */
function namedIn(act: Act): readonly string[] | undefined {
  return act.kind === "camera" && act.name !== undefined ? [act.name] : undefined;
}

/** "How many came yesterday, and how many on the dock?" */
const AGAIN = /^(?:and |or )*(?:how many|what about|how about)\b(?!.*\b(?:now|at the moment|are there|do you see)\b)/;

function takenOver(clause: Clause, { cameras, classes, period }: Spoken): Partial<Slots> {
  const { slots, bare } = clause;
  if (!isOf(clause, [...STARTS, ...QUESTIONS])) return {};
  const isHere = slots.cameras.length === 0 && slots.unknownCamera === undefined;
  const isOfThem = slots.classes.length === 0 && /\b(?:it|they|them|one|those|how many)\b/.test(bare);
  return {
    ...(isHere && { cameras }),
    ...(isOfThem && { classes }),
    ...(isOf(clause, ["past"]) && slots.period === undefined && { period }),
  };
}

/** Said with a picture: a model that is named is run on it; else what is asked about it is asked once, and what leads up to it is not. */
export function aboutPicture(clauses: readonly Clause[]): readonly Clause[] {
  const ofPicture = clauses.filter((clause) => isOf(clause, ["image", "run", "totals", "none"]));
  const others = clauses.filter((clause) => !ofPicture.includes(clause));
  if (ofPicture.length === 0) return clauses;
  const allOf = (some: readonly Clause[]): Clause =>
    some.reduce((before, clause) => onTopOf(clause, before, { ...clause, bare: `${before.bare} ${clause.bare}` }));
  if (ofPicture.some(({ slots }) => hasAny(slots, "model", "workflow"))) {
    const clause = allOf(ofPicture);
    return [{ ...clause, act: { kind: "run" }, slots: { ...clause.slots, ...onPicture(clause) } }, ...others];
  }
  const questions = ofPicture.filter((clause) => asks(clause) || clause.slots.classes.length > 0);
  return [{ ...allOf(questions.length > 0 ? questions : ofPicture), act: { kind: "image" } }, ...others];
}

/** "I took the picture in the yard" speaks of a place, and the photo is meant. */
function onPicture({ words }: Clause): Partial<Slots> {
  const isMeant = /\b(?:photos?|pictures?|images?|snapshots?|screenshots?|attached|attachment|this)\b/i.test(words);
  return isMeant ? { cameras: [] } : {};
}
