// the clauses of an instruction → its wishes: what belongs together is one clause
import { NO_QUERY, recallOf } from "../acts/memory-and-tasks.ts";
import { eventKindOf } from "../acts/questions.ts";
import { isQuestion } from "../acts/reading.ts";
import type { Act, Clause, Slots } from "../intent.ts";
import { fill, hasAny, isWithin, namesNothing } from "../slots/fill-slots.ts";
import { isShortStay } from "../slots/find-condition.ts";
import { toPlainWords } from "../words/plain-words.ts";

type Kinds = readonly Act["kind"][];

/** Undefined when they are two wishes. */
type Join = (before: Clause, clause: Clause) => Clause | undefined;

interface Joining {
  readonly fits: (before: Clause, clause: Clause) => boolean;
  /** What is wanted by both; absent where the later says it. */
  readonly act?: (before: Clause, clause: Clause) => Act | undefined;
}

/** An earlier clause of one of these kinds and a later one of those, where they fit. */
function join(first: Kinds, then: Kinds, { fits, act = (_, clause) => clause.act }: Joining): Join {
  return (before, clause) => {
    if (!first.includes(before.act.kind) || !then.includes(clause.act.kind) || !fits(before, clause)) return undefined;
    const wanted = act(before, clause);
    return wanted && { ...onTopOf(before, clause), act: wanted };
  };
}

const plainOf = ({ words }: Clause): string => toPlainWords(words);
const asks = (clause: Clause): boolean => isQuestion(plainOf(clause));
const isElsewhere = ({ slots }: Clause): boolean => slots.cameras.length > 0 || slots.unknownCamera !== undefined;
const STARTS: Kinds = ["watch", "count", "detect", "run"];
const starts = ({ act }: Clause): boolean => STARTS.includes(act.kind);

/** What the later clause leaves open is as in the earlier one. */
function onTopOf(before: Clause, clause: Clause): Clause {
  return { ...clause, slots: fill(clause.slots, before.slots), words: `${before.words} ${clause.words}` };
}

/** The later clause only says more about the earlier one. */
function withModifier(before: Clause, { slots, words }: Clause): Clause {
  return { ...before, slots: fill(slots, before.slots), words: `${before.words} ${words}` };
}

const SETS_LIMIT =
  /\b(?:make|set|change|raise|lower|plenty|enough|instead|better|should be|would do|will do|suffices?|only|at most|no more than|once)\b/;
/** Asked about, and not named: "who does it belong to?" */
const UNNAMED = new RegExp(`^(?:${NO_QUERY}|belongs?(?: to)?|owns?|owner(?: of)?|(?:this|they|these|those)(?: one)?)$`);

/** The first that fits joins them. */
const JOINS: readonly Join[] = [
  // "The people on the yard drive me mad. Once an hour is plenty.": all that is taken from the first is where.
  (before, clause) => {
    const isLimit = hasAny(clause.slots, "hours", "seconds", "atLeast", "cooldownSeconds", "severity");
    const isOpen = ["none", "calmer"].includes(clause.act.kind) && namesNothing(clause.slots);
    const isSpoken = before.act.kind === "none" && !namesNothing(before.slots) && !asks(before);
    return isSpoken && isLimit && isOpen && SETS_LIMIT.test(plainOf(clause))
      ? { ...clause, slots: { ...clause.slots, cameras: before.slots.cameras } }
      : undefined;
  },
  // "Using my model acme/vests/5, alert me when …": the model that the watch is to look with.
  join(["none", "run"], ["watch"], {
    fits: ({ slots: named }, { slots }) =>
      named.model !== undefined && slots.model === undefined && isWithin(named.cameras, slots.cameras),
  }),
  // "Our model is acme/caps/7. I want it on the yard.": the second says where the first runs.
  join(["none", "run"], ["none", "run", "look", "detect", "watch"], {
    fits: ({ slots: named }, { slots, bare }) =>
      hasAny(named, "model", "workflow") &&
      named.cameras.length === 0 &&
      slots.cameras.length > 0 &&
      slots.classes.length === 0 &&
      !hasAny(slots, "model", "workflow") &&
      /\b(?:it|that|this|one|them)\b/.test(bare),
    act: () => ({ kind: "run" }),
  }),
  // "How often does a bus come by? Count them.": the question says what is to be counted.
  join(["recall", "look", "past", "totals"], ["count"], {
    fits: ({ slots: asked }, clause) =>
      asked.classes.length > 0 && namesNothing(clause.slots) && !isElsewhere(clause) && !clause.slots.anything,
  }),
  // "Put a horizontal line across the yard and count what crosses it."
  join(["none"], ["count", "watch"], {
    fits: ({ slots: drawn }, { slots }) =>
      drawn.line !== undefined && drawn.classes.length === 0 && isWithin(slots.cameras, drawn.cameras),
  }),
  // "There is a white van again. Whose is that?": the first says what is asked about.
  join(["none", "look", "beyond"], ["recall"], {
    fits: (before, { act }) => act.kind === "recall" && UNNAMED.test(act.query) && !asks(before),
    act: (before) => recallOf(plainOf(before)),
  }),
  // "Look at the dock every hour and tell me how many people there are.": the second is what is to be done.
  (before, clause) => {
    const { act, slots, judged } = before;
    const isBare = act.kind === "schedule" && slots.classes.length === 0 && slots.cameras.length > 0;
    if (!isBare || clause.act.kind !== "look" || isElsewhere(clause)) return undefined;
    const task = `${plainOf(clause)} on ${slots.cameras.join(" and ")}`;
    return { ...onTopOf(before, clause), act: { ...act, task }, judged };
  },
  // "How many came yesterday? Only those going in.": the question, about one way.
  join(["past"], ["none", "past"], {
    fits: (_, clause) => namesNothing(clause.slots) && !/\bhow (?:many|often)\b/.test(plainOf(clause)),
    act: ({ act }, { slots: { way } }) =>
      act.kind === "past" && (way === "in" || way === "out")
        ? { ...act, eventKind: "line_crossed", direction: way }
        : undefined,
  }),
  // "There is a new camera in the stable. It is at rtsp://…": one camera, where one says what the other leaves open.
  join(["camera", "none"], ["camera", "none", "look"], {
    fits: (before, clause) => before.act.kind === "camera" || clause.act.kind === "camera",
    act: (before, clause) => {
      const [first, second] = [cameraIn(before), cameraIn(clause)];
      const isOne = !(first.name && second.name) && !(first.source && second.source);
      const source = first.source ?? second.source;
      const { name, isGuess } = first.name === undefined ? second : first;
      return isOne && source !== undefined ? { kind: "camera", name, source, isGuess } : undefined;
    },
  }),
  // "Tell me of every car. Ignore it if it leaves within two minutes."
  (before, clause) =>
    before.act.kind === "watch" &&
    isShortStay(clause.bare) &&
    !isElsewhere(clause) &&
    isWithin(clause.slots.classes, before.slots.classes)
      ? withModifier(before, clause)
      : undefined,
  join(["look"], ["look"], { fits: ({ slots }, clause) => slots.classes.length === 0 && !isElsewhere(clause) }),
  // "Find people, follow them and count who crosses": counting finds and follows by itself.
  join(["detect"], ["count", "detect"], {
    fits: ({ slots: found }, { act, slots }) =>
      (act.kind === "count" || slots.classes.length === 0) &&
      isWithin(slots.cameras, found.cameras) &&
      isWithin(slots.classes, found.classes) &&
      !hasAny(slots, "thing", "unknownCamera"),
  }),
  // "Watch the street for people and tell me when they cross the line."
  join(["watch"], ["watch"], {
    fits: ({ slots: watched }, { slots }) =>
      watched.when === undefined &&
      isWithin(slots.cameras, watched.cameras) &&
      (isWithin(slots.classes, watched.classes) || watched.classes.length === 0),
  }),
  (before, clause) => (isModifier(before) ? onTopOf(before, clause) : undefined),
  // "There was a car at three. Why was I not told?": of what the question speaks.
  join(["none", "past"], ["why"], { fits: (before, { slots }) => !asks(before) && slots.cameras.length === 0 }),
  // "A truck may not stand there for an hour. Tell me if one does.": the first says what the second waits for.
  join(["none"], ["watch"], {
    fits: ({ slots: said }, { slots }) =>
      said.classes.length > 0 &&
      hasAny(said, "seconds", "atLeast", "hours", "zone") &&
      namesNothing(slots) &&
      !hasAny(slots, "seconds", "atLeast"),
  }),
  (before, clause) =>
    isModifier(clause) && (starts(before) || before.act.kind === "calmer") ? withModifier(before, clause) : undefined,
];

const ADDRESS = /:\/\/|^webcam:|\.\w{3,4}$/;

/** What a clause says of a camera that is to be written down. */
function cameraIn({ act, slots }: Clause): Omit<Extract<Act, { kind: "camera" }>, "kind"> {
  if (act.kind === "camera") return act;
  return { name: slots.unknownCamera, source: slots.cameras.find((camera) => ADDRESS.test(camera)) };
}

/** "Only at night.", "The line is horizontal." beside a wish: hours, a limit or a line, and nothing of its own. */
function isModifier({ act, slots }: Clause): boolean {
  const limits =
    hasAny(slots, "hours", "cooldownSeconds", "severity", "fps", "days", "line", "way") ||
    (slots.workspace !== undefined && slots.workflow === undefined) ||
    slots.excluded.length > 0;
  const says = !namesNothing(slots) || slots.anything || slots.thing !== undefined;
  const isEmpty = act.kind === "none" || (act.kind === "watch" && slots.when === undefined);
  return isEmpty && limits && !says;
}

/** "Watch the street for people and tell me when they cross the line" is one wish; "Monitor both" before two wishes is none. */
export function joinClauses(clauses: readonly Clause[]): readonly Clause[] {
  const joined: Clause[] = [];
  for (const clause of keepLooking(askOn(clauses))) {
    const before = joined.pop();
    const together = before && JOINS.map((each) => each(before, clause)).find((one) => one !== undefined);
    if (together !== undefined) joined.push(together);
    else joined.push(...(before === undefined ? [] : [before]), clause);
  }
  return joined.filter((clause, at) => !isCovered(clause, joined.slice(at + 1)));
}

/** It watches cameras for nothing in particular, and what follows says for what. */
function isCovered({ act, slots, words }: Clause, later: readonly Clause[]): boolean {
  const isBare = act.kind === "watch" && slots.classes.length === 0 && slots.when === undefined && !slots.anything;
  const covered = later.filter(starts).flatMap((next) => next.slots.cameras);
  return isBare && covered.length > 0 && (isWithin(slots.cameras, covered) || /\bboth\b/i.test(words));
}

const LOOKS_FOR = /\b(?:look(?:ing)?(?: out)? for|find|search for)\b/i;

/** "Monitor them: find people on cam1 and cars on cam2.": not one look, but from now on. */
function keepLooking(clauses: readonly Clause[]): readonly Clause[] {
  if (!clauses.some(({ act, slots }) => act.kind === "watch" && slots.classes.length === 0)) return clauses;
  return clauses.map((clause) =>
    clause.act.kind === "look" && clause.slots.classes.length > 0 && LOOKS_FOR.test(clause.words)
      ? { ...clause, act: { kind: "detect" } }
      : clause,
  );
}

/** What was asked is asked again in other words: "I mean, how many came?" */
const RESTATES = /^(?:well |or |so )*(?:i mean|i meant|that is to say|in other words|or rather|put differently)\b ?/;
const AGAIN = /^(?:(?:and|or|but|then|so|also) )*(?:how (?:many|often)|what about|how about)\b/;
/** They speak of now, whatever was asked before. */
const NOW = /\b(?:now|at the moment|currently|at present|are there|is there|do you see)\b/;

/** A question without a time of its own is about the time of the one before; one that was said better is not asked twice. */
function askOn(clauses: readonly Clause[]): readonly Clause[] {
  const asked: Clause[] = [];
  for (const clause of clauses) {
    const before = asked.at(-1);
    const goesOn = before === undefined ? clause : continuing(before, clause);
    const isRestated = before?.act.kind === "past" && goesOn.act.kind === "past" && RESTATES.test(plainOf(clause));
    if (isRestated) asked.pop();
    asked.push(goesOn);
  }
  return asked;
}

function continuing({ act: earlier, slots: spoken }: Clause, clause: Clause): Clause {
  const { act, slots } = clause;
  if (earlier.kind !== "past" || spoken.period === undefined || slots.period !== undefined) return clause;
  const plain = plainOf(clause).replace(RESTATES, "");
  const isMore =
    act.kind === "past" ? isQuestion(plain) : AGAIN.test(plain) && ["look", "totals", "none"].includes(act.kind);
  if (!isMore || NOW.test(plain)) return clause;
  const eventKind = eventKindOf(clause.bare);
  const again: Act = { ...(eventKind === undefined ? earlier : { kind: "past", eventKind }), asked: "count" };
  const cameras = isElsewhere(clause) ? slots.cameras : spoken.cameras;
  return { ...clause, act: act.kind === "past" ? act : again, slots: { ...slots, period: spoken.period, cameras } };
}

/** Said with a picture: a model that is named is run on it; else what is asked about it is asked once, and what leads up to it is not. */
export function aboutPicture(clauses: readonly Clause[]): readonly Clause[] {
  const ofPicture = clauses.filter(({ act }) => ["image", "run", "totals", "none"].includes(act.kind));
  const others = clauses.filter((clause) => !ofPicture.includes(clause));
  if (ofPicture.length === 0) return clauses;
  if (ofPicture.some(({ slots }) => hasAny(slots, "model", "workflow"))) {
    const clause = allOf(ofPicture);
    return [{ ...clause, act: { kind: "run" }, slots: { ...clause.slots, ...onPicture(clause) } }, ...others];
  }
  const asked = ofPicture.filter((clause) => asks(clause) || clause.slots.classes.length > 0);
  return [{ ...allOf(asked.length > 0 ? asked : ofPicture), act: { kind: "image" } }, ...others];
}

/** "I took the picture in the yard" speaks of a place, and the photo is meant. */
function onPicture({ words }: Clause): Partial<Slots> {
  const isMeant = /\b(?:photos?|pictures?|images?|snapshots?|screenshots?|attached|attachment|this)\b/i.test(words);
  return isMeant ? { cameras: [] } : {};
}

function allOf(clauses: readonly Clause[]): Clause {
  return clauses.reduce((before, clause) => ({ ...onTopOf(before, clause), bare: `${before.bare} ${clause.bare}` }));
}
