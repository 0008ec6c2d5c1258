// something that was made + "only at night" → what it becomes
import { TELLS } from "../acts/reading.ts";
import { USUAL_COOLDOWN } from "../answers/watch-words.ts";
import type { Called, Clause, Slots } from "../intent.ts";
import { NUMBER, toFigures, toNumber, unitOf, withoutOldValue } from "../slots/amounts.ts";
import { fill, hasAny, namesNothing, withoutGaps } from "../slots/fill-slots.ts";
import { calmer } from "../slots/find-limits.ts";
import { escapePattern, toPlainWords } from "../words/plain-words.ts";
import { isOfLast, type Pointing, pointedAt, type SpokenTarget } from "./pointed-at.ts";

const CHANGES =
  /^(?:no|but|and|actually|please|ok|okay|sorry|wait|hmm|well|nope)?\s?(?:only|just|make (?:it|that|them)|change (?:it|that|this|the|them)|set (?:it|the)|not|no|without|except|ignore|instead|also|rather|i meant|i mean|use|for|on|at|in|between|after|before|when|if|every|increase|decrease|raise|lower|longer|shorter|less|more|move|switch|add|include|exclude|skip|leave|take|keep|forget|drop|limit|always|all day|the|from|during|outside|with|as|don't|do not|too|people|cars)\b|\b(?:instead|too|as well|i meant|rather)\b/;
/** A whole new sentence is a change only after such a word. */
const CORRECTS =
  /^(?:no|nope|wait|sorry|actually|i meant|i mean|rather|correction|wrong|oops|hmm|not that|change|make)\b|\binstead\b|\bi meant\b/;
const ADDS = /\btoo$|\b(?:also|as well|add|include|additionally|plus|(?:the )?same (?:for|on|at|in|with))\b|^and\b/;
const ALWAYS =
  /\b(?:always|all day(?: long)?|around the clock|24 7|at any time|any time|the whole day|day and night)\b/;

const EVERY_DAY = /\b(?:every day|all days|all week|seven days)\b/;

/** A figure alone is a change after such a word. */
const SETS =
  /^(?:no|nope|sorry|wait|not)\b|\b(?:make|set|change|put|raise|lower|increase|decrease|reduce|instead|rather|better|should be|try|use|take)\b/;
const ABOUT_WATCH =
  /^(?:please |no |ok |but |and )*(?:make|set|turn|switch|move|keep) (?:the|my|that|this) (?:[\w-]+ ){0,3}(?:watch|alert|alarm|rule|one)\b|^(?:please |no |ok |but |and )*(?:the|my|that|this|your) (?:[\w-]+ ){0,2}(?:watch|alert|alarm|warning|notification|rule)\b.*\b(?:should|must|has to|needs? to|ought to|shall|is to|is supposed to)\b|^(?:please |but |yes )*(?:keep|continue|carry on|go on) (?:telling|alerting|notifying|warning|informing)\b|\b(?:change|adjust|update|edit|modify) (?:the|my|that|this) (?:[\w-]+ ){0,2}(?:watch|alert|alarm|rule)\b|^(?:now |so |ok |and )*(?:about|as for|regarding|concerning|with regard to|when it comes to|re) (?:the|that|this|those|my|your|our)\b.*\b(?:watch(?:es|ing)?|alerts?|alarms?|warnings?|notifications?|rule|you (?:are )?(?:tell|told|warn|alert|notify|look)\w*)\b/;

/** "The watch on the yard should …" speaks of one that is there. */
export function isAboutWatch(plain: string): boolean {
  return ABOUT_WATCH.test(plain);
}

/**
 * Those of `all` that a change speaks of: what it is called by, else what it names, belongs to them, or to none of all.
 * "I meant the dock" and "also on the dock" say how it should be, whatever else is on the dock.
 */
export function changedBy<T extends SpokenTarget>(
  all: readonly T[],
  clause: Clause,
  touched: Pointing["touched"],
): readonly T[] {
  const { act, slots, words } = clause;
  const called = referenceOf(clause);
  const plain = toPlainWords(words);
  if (called !== undefined) return pointedAt(all, { slots: called.named, words: called.phrase, touched }) ?? all;
  const has = (one: T, name: string): boolean => [...one.cameras, ...one.classes].includes(name);
  if (isSwap(slots, plain)) return all.filter((one) => slots.excluded.some((name) => has(one, name)));
  if (ADDS.test(plain) || (CORRECTS.test(plain) && !/^(?:change|make)\b/.test(plain))) return all;
  const names = [...slots.cameras, ...slots.classes];
  const last =
    isOfLast(plain) && touched.length > 0 ? all.filter(({ id }) => touched.some((one) => one.id === id)) : all;
  const owned = names.filter((name) => all.some((one) => has(one, name)));
  if (owned.length < names.length && (act.kind === "calmer" || isOfOther(slots, plain))) return [];
  return (owned.length > 0 ? all : last).filter((one) => owned.every((name) => has(one, name)));
}

/** "I meant the dock one" says how it should be; "make the dock one urgent" says which one. */
function referenceOf({ called, words }: Clause): Called | undefined {
  const isMeant = /\b(?:i meant?|instead|rather)\b/.test(toPlainWords(words));
  return called && isMeant && !namesSomething(called.slots) ? undefined : called;
}

/** "Only tell me about the dog when we are away" limits what tells of the dog. */
function isOfOther(slots: Slots, plain: string): boolean {
  return hasAny(slots, ...LIMITS) && slots.classes.length > 0 && TELLS.test(plain);
}

/** Whether the words change what was made just before, and start nothing of their own. */
export function isChange(clauses: readonly Clause[], text: string): boolean {
  const plain = toFigures(toPlainWords(text));
  return clauses.length > 0 && clauses.every((clause) => changes(clause, plain));
}

function changes(clause: Clause, plain: string): boolean {
  const { act, called, bare } = clause;
  const slots = referenceOf(clause)?.slots ?? clause.slots;
  switch (act.kind) {
    case "calmer":
      return true;
    case "none":
      return (
        ALWAYS.test(plain) ||
        EVERY_DAY.test(plain) ||
        namesSomething(slots) ||
        (SETS.test(plain) && bareNumber(plain) !== undefined)
      );
    case "watch":
    case "count":
    case "detect": {
      const isWhole = slots.classes.length > 0 && (slots.cameras.length > 0 || /\b(?:when|if|whenever)\b/.test(bare));
      return (
        CORRECTS.test(plain) || isAboutWatch(plain) || (!isWhole && /^(?:please )?(?:only|just|not)\b/.test(plain))
      );
    }
    case "past":
    case "look":
      return (
        CHANGES.test(plain) &&
        !/^(?:what|how|who|when (?:did|was)|did|is there|are there|show|any)\b/.test(plain) &&
        namesSomething(slots)
      );
    case "stop":
      return called === undefined && stopsPart(act.what, slots, plain);
    default:
      return false;
  }
}

/** What stops is a part of what was made, and the rest goes on. */
function stopsPart(what: string, slots: Slots, plain: string): boolean {
  // "Don't bother me at night": the hours change, the watch stays.
  if (slots.hours !== undefined && slots.cameras.length === 0) return true;
  // "No need for the dock any more": the watch stays where it has another camera.
  if (slots.cameras.length > 0)
    return what === "named" && !/\b(?:count\w*|pipelines?|detect\w*|track\w*|workflow|model)\b/.test(plain);
  return (
    /\b(?:don't|do not|no more|stop) (?:tell|alert|notify|telling|alerting|count|counting|include)\w*\b/.test(plain) &&
    slots.classes.length > 0 &&
    slots.cameras.length === 0
  );
}

const LIMITS = [
  ...(["hours", "days", "modes", "zone", "seconds", "atLeast", "atMost"] as const),
  ...(["cooldownSeconds", "againSeconds", "severity", "line", "way", "fps"] as const),
] as const;

/** A camera or a thing alone changes nothing without a word such as "instead". */
export function isMarkedChange({ slots }: Clause, plain: string): boolean {
  const lifts = ALWAYS.test(plain) || EVERY_DAY.test(plain);
  return CHANGES.test(plain) || SETS.test(plain) || lifts || hasAny(slots, ...LIMITS);
}

/** "Only tell me about the dog when we are away." */
export function isLimiting({ slots }: Clause, plain: string): boolean {
  return /^(?:please )?(?:only|just)\b/.test(plain) && slots.cameras.length === 0 && hasAny(slots, ...LIMITS);
}

/** Something that a change can set. */
function namesSomething(slots: Slots): boolean {
  const lists = slots.excluded.length + slots.near.length > 0;
  return !namesNothing(slots) || lists || slots.anything || hasAny(slots, "when", "end", ...LIMITS);
}

/** It sets hours, pauses or severity alone, which only what tells somebody has. */
export function isAboutAlerts(clause: Clause): boolean {
  const { act } = clause;
  const slots = referenceOf(clause)?.slots ?? clause.slots;
  const alerts =
    act.kind === "calmer" ||
    hasAny(slots, "hours", "days", "modes", "end", "cooldownSeconds", "againSeconds", "severity");
  return alerts && namesNothing(slots) && slots.excluded.length === 0 && !hasAny(slots, "zone", "line", "way", "fps");
}

/** The earlier clause as the later one wants it. */
export function changeClause(earlier: Clause, change: Clause): Clause {
  const { kind } = change.act;
  const plain = toFigures(toPlainWords(change.words));
  const isOther = kind === "count" || kind === "detect" || (kind === "watch" && earlier.act.kind !== "count");
  return {
    ...earlier,
    act: isOther ? change.act : earlier.act,
    slots: changeSlots(earlier.slots, change, plain),
    ...(earlier.then && changeSequence(earlier, change, plain)),
    words: `${earlier.words.replace(/[.!?\s]+$/, "")}, ${change.words}`,
  };
}

/** Of one thing after another: a length of time is how soon each follows. */
function changeSequence({ slots: earlier, then: steps = [] }: Clause, change: Clause, plain: string): Partial<Clause> {
  const said = referenceOf(change)?.slots ?? change.slots;
  const then = isSwap(said, plain) ? steps.map((step) => ({ ...step, slots: swapThings(step.slots, said) })) : steps;
  const { seconds, ...others } = said;
  const within = said.when === undefined ? (seconds ?? withinOf(earlier, change, plain)) : undefined;
  if (within === undefined) return { then };
  const slots = changeSlots(earlier, { ...change, called: undefined, slots: others, bare: "" }, plain);
  return { then, slots: { ...slots, withinSeconds: within } };
}

function withinOf({ withinSeconds }: Slots, { slots, bare }: Clause, plain: string): number | undefined {
  const number = SETS.test(plain) && !hasAny(slots, ...LIMITS) ? bareNumber(bare) : undefined;
  return number === undefined || withinSeconds === undefined ? undefined : number * unitOf(withinSeconds);
}

/** "A truck instead of a car". */
function isSwap({ classes, excluded }: Slots, plain: string): boolean {
  return classes.length > 0 && excluded.length > 0 && /\b(?:instead of|rather than)\b/.test(plain);
}

/** One thing in the place of another, on its side of near and together. */
function swapThings(earlier: Slots, { classes, excluded }: Slots): Slots {
  const swap = (names: readonly string[]): readonly string[] => [
    ...new Set(names.flatMap((name) => (excluded.includes(name) ? classes : [name]))),
  ];
  const { together } = earlier;
  return {
    ...earlier,
    classes: swap(earlier.classes),
    near: swap(earlier.near),
    ...(together && { together: swap(together) }),
  };
}

/** "Make it 4 hours" of what ends soon: whether it ends then or something stays so long, nobody said. */
export function isOpenLength({ end, seconds }: Slots, { slots }: Clause): boolean {
  return end !== undefined && seconds === undefined && slots.seconds !== undefined && slots.when === undefined;
}

function changeSlots(earlier: Slots, change: Clause, plain: string): Slots {
  const { act, bare } = change;
  const slots = referenceOf(change)?.slots ?? change.slots;
  if (isSwap(slots, plain))
    return changeSlots(
      swapThings(earlier, slots),
      { ...change, called: undefined, slots: { ...slots, classes: [], excluded: [] } },
      plain,
    );
  if (act.kind === "calmer")
    return { ...earlier, cooldownSeconds: slots.cooldownSeconds ?? calmer(earlier.cooldownSeconds ?? USUAL_COOLDOWN) };
  const stops = act.kind === "stop";
  const dropped = stops && slots.cameras.length === 0 ? slots.classes : slots.excluded;
  const { hours, days, thing, unknownCamera, unknownZone, ...kept } = earlier;
  const base: Slots = {
    ...kept,
    ...(hours && !ALWAYS.test(plain) && { hours }),
    ...(days && !EVERY_DAY.test(plain) && { days }),
    ...(thing && slots.classes.length === 0 && { thing }),
    ...(unknownZone && !slots.zone && { unknownZone }),
  };
  const merged = fill(stops ? { ...slots, classes: [] } : slots, base);
  const classes = ADDS.test(plain) ? union(earlier.classes, slots.classes) : merged.classes;
  const isOfNumber = !hasAny(slots, ...LIMITS) || (SETS.test(plain) && !hasAny(slots, "atLeast", "seconds"));
  const number = isOfNumber ? bareNumber(bare) : undefined;
  const { daysOff, atLeast, atMost, ...others } = merged;
  const isCounted = hasAny(slots, "atLeast", "atMost");
  return {
    ...others,
    // "At least 4" after "exactly 3" has no end.
    ...withoutGaps(isCounted ? { atLeast: slots.atLeast, atMost: slots.atMost } : { atLeast, atMost }),
    ...(slots.daysOff && days && { days: days.filter((day) => !slots.daysOff?.includes(day)) }),
    ...(slots.days && days && ADDS.test(plain) && { days: [...new Set([...days, ...slots.days])] }),
    cameras: stops
      ? earlier.cameras.filter((camera) => !slots.cameras.includes(camera))
      : changeCameras(earlier.cameras, slots.cameras, plain),
    classes: classes.filter((name) => !dropped.includes(name)),
    excluded: union(merged.excluded, dropped),
    ...kindOf(earlier, slots),
    ...(number !== undefined && withNumber(earlier, number)),
    ...(number !== undefined && /\bexactly\b/.test(plain) && { atLeast: number, atMost: number }),
  };
}

/** A bare figure is what the earlier wish had a figure for, in its unit: "make it five" of a minute is five minutes. */
function withNumber({ when, seconds, atLeast, atMost }: Slots, number: number): Partial<Slots> {
  if (when === "count")
    return { ...(atMost !== undefined && { atMost: number }), ...(atLeast !== undefined && { atLeast: number }) };
  return seconds === undefined ? {} : { seconds: number * unitOf(seconds) };
}

const NEGATES = /\b(?:not|don't|do not|never|instead of|rather than|wrong)\b/;

function changeCameras(earlier: readonly string[], named: readonly string[], plain: string): readonly string[] {
  if (named.length === 0) return earlier;
  if (ADDS.test(plain)) return union(earlier, named);
  const out = named.filter((camera) => isLeftOut(camera, plain));
  if (out.length > 0 && out.length < named.length) return named.filter((camera) => !out.includes(camera));
  const left = earlier.filter((camera) => !named.includes(camera));
  if (out.length > 0) return left.length > 0 ? left : earlier;
  const others = named.filter((camera) => !earlier.includes(camera));
  // "I do not want the yard but the street": both are named, one is meant.
  if (others.length > 0 && NEGATES.test(plain)) return others;
  return named;
}

/** "Not the yard", "leave the yard out of it". */
function isLeftOut(camera: string, plain: string): boolean {
  const name = `(?:the |my |our |that )*${escapePattern(camera.toLowerCase())}(?![\\p{L}\\p{N}_-])`;
  return new RegExp(
    `\\b(?:except(?: for)?|not(?: on| at| in| for)?|without|ignor(?:e|ing)|skip|leave out|forget(?: about)?|drop|lose|scrap|ditch|stop(?: watching| with)?|exclud(?:e|ing)|remove|never mind|no need for) ${name}|\\b(?:leave|take|keep|cut|get|drop) ${name}(?: camera)? (?:out|off|alone)\\b`,
    "u",
  ).test(plain);
}

/** A new length of time keeps what waits for one; a new place makes an entering. */
function kindOf(earlier: Slots, slots: Slots): Pick<Slots, "when"> {
  const waits =
    earlier.when === "near" ||
    earlier.when === "together" ||
    earlier.when === "stays" ||
    earlier.when === "absent" ||
    earlier.when === "count";
  if (slots.seconds !== undefined && waits && (slots.when === undefined || slots.when === "stays"))
    return { when: earlier.when };
  const when = slots.when ?? earlier.when;
  return when === undefined ? {} : { when };
}

function bareNumber(plain: string): number | undefined {
  const found = new RegExp(`\\b(\\d+|${NUMBER})\\b(?! ?(?:s|secs?|seconds?|mins?|minutes?|hours?|am|pm|:)\\b)`).exec(
    withoutOldValue(plain).replace(/\ban?\b/g, " "),
  )?.[1];
  const number = toNumber(found ?? "");
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...first, ...second])];
}
