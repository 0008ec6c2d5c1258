// plain words of one clause → everything they name

import type { CameraPlace } from "@vision-agent/protocol";
import type { Known, Slots } from "./intent.ts";
import { NUMBER } from "./slots/amounts.ts";
import { withoutGaps } from "./slots/fill-slots.ts";
import { findBySlip, findCameras, findUnknownCamera } from "./slots/find-cameras.ts";
import { findColour } from "./slots/find-colour.ts";
import { findCondition } from "./slots/find-condition.ts";
import { findDays, findModes } from "./slots/find-days.ts";
import { findEnd, findLastMoment } from "./slots/find-end.ts";
import { findHours, TIME } from "./slots/find-hours.ts";
import { findAgain, findCooldown, findFps, findSeverity } from "./slots/find-limits.ts";
import { findNamedPlace, slotsOfPlace, wayAcross } from "./slots/find-named-place.ts";
import { findPeriod, type WallClock } from "./slots/find-period.ts";
import { findLine, findUnknownLine, findUnknownZone, findWay, findZone } from "./slots/find-places.ts";
import { type SavedNames, WORKFLOW_MARK, WORKSPACE_MARK } from "./slots/find-saved-names.ts";
import { findThing } from "./slots/find-things.ts";
import { classesAt, findClasses, groupsIn } from "./words/class-words.ts";
import type { Literals } from "./words/plain-words.ts";

export interface ReadingContext {
  readonly known: Known;
  readonly literals: Literals;
  /** Names of the whole instruction; in the text there are marks for them. */
  readonly saved: SavedNames;
  readonly clock: WallClock;
}

export interface SlotsRead {
  readonly slots: Slots;
  /** The words without cameras, hours, limits and classes to leave out. */
  readonly bare: string;
}

/** Each finder takes its words away, so that no number or name is read twice. */
export function readSlots(text: string, { known, literals, saved, clock }: ReadingContext): SlotsRead {
  const named = findNamedPlace(text, known.cameras);
  const { cameras, rest: unnamed } = findCameras(named.rest, known.cameras, literals);
  const { cooldownSeconds, rest: unlimited } = findCooldown(unnamed);
  const { againSeconds, rest: unrepeated } = findAgain(unlimited);
  const isUntil = UNTIL.test(unrepeated) && !FROM.test(unrepeated);
  const { end, rest: lasting } = isUntil ? findLastMoment(unrepeated, clock) : findEnd(unrepeated, clock);
  const { modes, rest: unmoded } = findModes(lasting);
  const { rest: daily, ...days } = findDays(unmoded);
  const { rest: untimed, ...times } = findHours(daily);
  const { severity, rest: unranked } = findSeverity(untimed);
  const { fps, rest: unpaced } = findFps(unranked);
  const { excluded, rest: bare } = findExcluded(unpaced);
  const { near, metres, rest: alone } = findNear(bare);
  const condition = findCondition(bare.replace(ONCE, " "));
  const { when } = condition;
  const { rest: unplaced, ...place } = findPlace(alone, when, named.place);
  const [owner, other] = named.owners;
  const classes = classesIn(alone, excluded);
  const anything = /\b(?:everything|anything|something|things?|objects?|movements?|motion|whatever|moves)\b/.test(bare);
  const slots: Slots = {
    ...(cameras.length > 0 ? { cameras } : findElsewhere(unplaced, known)),
    // Where one camera has the place, that one is meant.
    ...(cameras.length === 0 && owner !== undefined && other === undefined && { cameras: [owner] }),
    classes,
    excluded,
    // Where two things are named it may be of either.
    colour: near.length === 0 && classes.length === 1 ? findColour(alone) : undefined,
    anything,
    near,
    metres,
    ...condition,
    ...(near.length === 0 && excluded.length === 0 && findTogether(bare)),
    ...times,
    ...days,
    // Tonight says its hours, too.
    hours: times.hours ?? (/\btonight\b/.test(end?.words ?? "") ? TONIGHT : undefined),
    modes,
    end,
    againSeconds,
    cooldownSeconds,
    severity,
    fps,
    ...place,
    thing: anything || classes.length > 0 ? undefined : findThing(unplaced),
    once: end === undefined ? ONCE.exec(text)?.[0] : undefined,
    period: findPeriod(unlimited, clock),
    channel: CHANNEL.exec(text)
      ?.slice(1)
      .find((name) => name !== undefined),
    ...findNames(text, literals, saved),
  };
  return { slots: withoutGaps(slots), bare };
}

/** "Until 6 am" ends it; "from 10 until 6 am" says its hours. */
const UNTIL = new RegExp(`\\b(?:until|till|til) ${TIME}\\b`);
const FROM =
  /\b(?:from|between|after|since|before|past|daily|every|each|nobody|no one|not|no|don't|hasn't|haven't)\b|\d ?(?:am|pm)? ?(?:until|till|til)\b/;

/** What only people do. */
const OF_PEOPLE =
  /\b(?:loiter(?:s|ing|ed)?|linger(?:s|ing)?|trespass(?:es|ing)?|intrusions?|break-?ins?|burglar(?:y|ies)|queu(?:e|es|ing)|shoplift(?:s|ing)?|count(?:ing)? (?:who|whoever)|head ?-?count|whoever|hang(?:s|ing)? (?:around|about))\b/;

function classesIn(text: string, excluded: readonly string[]): readonly string[] {
  const named = findClasses(text.split(" ")).filter((name) => !excluded.includes(name));
  return named.length === 0 && excluded.length === 0 && OF_PEOPLE.test(text) ? ["person"] : named;
}

/** A camera that is called by its place, or by a name that none has. */
function findElsewhere(text: string, known: Known): Pick<Slots, "cameras" | "unknownCamera"> {
  const unknownCamera = findUnknownCamera(text);
  if (unknownCamera === undefined) return { cameras: [] };
  const located = findBySlip(unknownCamera, known.cameras);
  return located === undefined ? { cameras: [], unknownCamera } : { cameras: [located] };
}

/** "right now" and "nobody is left" name no side of the picture. */
const NOT_A_SIDE =
  /\bright (?:now|away|here|then|off|(?:at )?(?:this|that|the) (?:very )?(?:minute|moment|second|instant|time))\b|\b(?:that's|all|quite|is that|not|isn't) right\b|\b(?:who|they|he|she|somebody|someone|nobody) left\b|\b(?:has|have|is|are|was|were|been|be) left\b/g;

const ONCE =
  /\b(?:tonight|tomorrow(?: night| morning| evening)?|today|this (?:week(?:end)?|month|evening|afternoon)|(?:for )?the (?:next|rest of the|coming) (?:\w+ )?(?:hours?|days?|nights?|weeks?|night|day|week|evening))\b/;

const TONIGHT = { from: "18:00", to: "06:00" };

type PlaceFound = Pick<Slots, "line" | "way" | "zone" | "unknownZone"> & { readonly rest: string };

/** The same words name a line where something crosses, and a part of the picture where it does not. */
function findPlace(text: string, when: Slots["when"], named: CameraPlace | undefined): PlaceFound {
  const { way = wayAcross(named, text), rest } = findWay(text.replace(NOT_A_SIDE, " "));
  if (named !== undefined) return { way, ...slotsOfPlace(named), rest };
  if (when === "crosses" || /\b(?:lines?|horizontal(?:ly)?|vertical(?:ly)?)\b/.test(rest))
    return { way, line: findLine(rest), unknownZone: findUnknownLine(rest), rest };
  const { zone, unknown, rest: unplaced } = findZone(rest);
  const isElsewhere = zone === undefined && when !== "leaves";
  return { way, zone, unknownZone: isElsewhere ? (unknown ?? findUnknownZone(rest)) : undefined, rest: unplaced };
}

const EXCLUDES =
  /\b(?:but not|but no|not|instead of|rather than|but(?: for)?|except(?: for)?|excluding|without|ignore|ignoring|apart from|other than|leave out|skip|but no|forget|drop|lose|never mind)(?: about| for)?(?: the| any| a| an)? /;

interface ExcludedFound {
  readonly excluded: readonly string[];
  readonly rest: string;
}

/** Classes after "not", "except" and the like, as many as are listed there. */
function findExcluded(said: string): ExcludedFound {
  const text = said.replace(/\bleave ((?:the |any |my )?[\w ]{2,20}?) out\b/, "leave out $1");
  const match = EXCLUDES.exec(text);
  if (match === null) return { excluded: [], rest: text };
  const words = text.slice(match.index + match[0].length).split(" ");
  // "Not cars, trucks": what is wanted follows what is not.
  const isSwap =
    /^(?:no |sorry |wait |actually )*$/.test(text.slice(0, match.index)) && !/\b(?:and|or|nor)\b/.test(text);
  const excluded: string[] = [];
  let at = 0;
  while (at < words.length) {
    const { classes, length } = classesAt(words, at);
    if (isSwap && excluded.length > 0) break;
    if (length === 0 && !/^(?:and|or|the|any|a|an)$/.test(words[at] ?? "")) break;
    excluded.push(...classes);
    at += Math.max(1, length);
  }
  if (excluded.length === 0) return { excluded, rest: text };
  return { excluded, rest: [text.slice(0, match.index).trim(), ...words.slice(at)].join(" ").trim() };
}

const NEAR = new RegExp(
  `\\b(?:near|around|close to|next to|beside|besides|approach(?:es|ing)?|touch(?:es|ing)?|within reach of|too close to|(?:within|(?:closer|nearer|less) than) (${NUMBER} ?(?:m|met(?:er|re)s?|cm|feet|foot|ft|yards?))(?: of| to| from)?)(?: to)?(?: the| a| an| any| my| our)* `,
);

/** What something has to be near to: a class, not a place. */
function findNear(text: string): Pick<Slots, "near" | "metres"> & { readonly rest: string } {
  const match = NEAR.exec(text);
  if (match === null) return { near: [], rest: text };
  const words = text.slice(match.index + match[0].length).split(" ");
  const { classes, length } = classesAt(words, 0);
  if (length === 0) return { near: [], rest: text };
  const rest = [text.slice(0, match.index).trim(), ...words.slice(length)].join(" ").trim();
  return { near: classes, ...(match[1] !== undefined && { metres: match[1] }), rest };
}

const AT_ONCE =
  /\b(?:both(?! (?:ways|directions|sides|cameras?|cams?))|side by side|at the same time|simultaneously|together|at once)\b/;

/** Two things that have to be there at once. */
function findTogether(text: string): Pick<Slots, "when" | "classes" | "together" | "isLoose"> | undefined {
  const isSaid = AT_ONCE.test(text);
  const [first, second, third] = groupsIn(text.split(" "));
  if (first === undefined || second === undefined || third !== undefined) return undefined;
  const between = text.split(" ").slice(first.end, second.at).join(" ");
  const isJoined = /^(?:(?:is|are|@c) )*(?:and|with|plus|together with)\b(?:(?! or\b).)*$/.test(between);
  const isCondition = /\b(?:when(?:ever)?|if|once|as soon as|in case)\b/.test(text);
  if (!isJoined || !(isSaid || isCondition)) return undefined;
  return {
    when: "together",
    classes: first.classes,
    together: second.classes,
    ...(!isSaid && { isLoose: true as const }),
  };
}

const CHANNEL =
  /\b(e-?mail|text message|sms|whats ?app|telegram|slack|discord|phone|call|text)\b(?= me\b| us\b)|\b(?:by|via|on|over|through|an?) (e-?mail|text message|sms|whats ?app|telegram|slack|discord|phone(?: call)?)\b/;

/** Models by their marks; a saved workflow where its mark stands, a workspace with it or where it is spoken of. */
function findNames(text: string, { models }: Literals, saved: SavedNames): Pick<Slots, "model" | keyof SavedNames> {
  const model = models[Number(/@m(\d+)/.exec(text)?.[1])];
  const isHere = text.includes(WORKFLOW_MARK);
  return {
    model,
    workflow: isHere ? saved.workflow : undefined,
    workspace: isHere || text.includes(WORKSPACE_MARK) ? saved.workspace : undefined,
  };
}
