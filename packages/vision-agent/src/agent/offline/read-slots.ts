// plain words of one clause → everything they name
import { classesAt, findClasses } from "./class-words.ts";
import type { Known, Slots } from "./intent.ts";
import type { Literals } from "./plain-words.ts";
import { findByLocation, findByPlace, findCameras, findUnknownCamera } from "./slots/find-cameras.ts";
import { findCondition } from "./slots/find-condition.ts";
import { findHours } from "./slots/find-hours.ts";
import { findCooldown, findFps, findSeverity } from "./slots/find-limits.ts";
import { findPeriod, type WallClock } from "./slots/find-period.ts";
import { findLine, findUnknownZone, findWay, findZone } from "./slots/find-places.ts";
import { type SavedNames, WORKFLOW_MARK, WORKSPACE_MARK } from "./slots/find-saved-names.ts";

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
  const { cameras, rest: unnamed } = findCameras(text, known.cameras, literals);
  const cooldown = findCooldown(unnamed);
  const hours = findHours(cooldown.rest);
  const severity = findSeverity(hours.rest);
  const fps = findFps(severity.rest);
  const left = findExcluded(fps.rest);
  const bare = left.rest;
  const near = findNear(bare);
  const condition = findCondition(bare);
  const place = findPlace(bare, condition.when);
  const classes = findClasses(near.rest.split(" ")).filter((name) => !left.excluded.includes(name));
  const anything = /\b(?:everything|anything|something|things?|objects?|movements?|motion|whatever|moves)\b/.test(bare);
  const thing = classes.length === 0 && !anything ? findThing(place.rest) : undefined;
  const period = findPeriod(cooldown.rest, clock);
  const slots: Slots = {
    ...(cameras.length > 0 ? { cameras } : findElsewhere(place.rest, known)),
    classes,
    excluded: left.excluded,
    anything,
    near: near.classes,
    ...place.slots,
    ...(thing !== undefined && { thing }),
    ...(condition.when !== undefined && { when: condition.when }),
    ...(condition.seconds !== undefined && { seconds: condition.seconds }),
    ...(condition.atLeast !== undefined && { atLeast: condition.atLeast }),
    ...(hours.hours && { hours: hours.hours }),
    ...(hours.days && { days: hours.days }),
    ...(cooldown.seconds !== undefined && { cooldownSeconds: cooldown.seconds }),
    ...(severity.severity && { severity: severity.severity }),
    ...(fps.fps !== undefined && { fps: fps.fps }),
    ...(period && { period }),
    ...findChannel(text),
    ...findNames(text, literals, saved),
  };
  return { slots, bare };
}

/** A camera that is called by its place, or by a name that none has. */
function findElsewhere(text: string, known: Known): Pick<Slots, "cameras" | "unknownCamera"> {
  const placed = findByPlace(text, known.cameras);
  if (placed !== undefined) return { cameras: [placed] };
  const unknownCamera = findUnknownCamera(text);
  if (unknownCamera === undefined) return { cameras: [] };
  const located = findByLocation(unknownCamera, known.cameras);
  return located === undefined ? { cameras: [], unknownCamera } : { cameras: [located] };
}

/** "right now" and "nobody is left" name no side of the picture. */
const NOT_A_SIDE = /\bright (?:now|away)\b|\b(?:has|have|is|are|was|were|been|be) left\b/g;

type PlaceSlots = Pick<Slots, "line" | "way" | "zone" | "unknownZone">;

/** The same words name a line where something crosses, and a part of the picture where it does not. */
function findPlace(text: string, when: Slots["when"]): { readonly slots: PlaceSlots; readonly rest: string } {
  const { way, rest } = findWay(text.replace(NOT_A_SIDE, " "));
  if (when === "crosses" || /\blines?\b/.test(rest)) {
    const line = findLine(rest);
    return { slots: { ...(way && { way }), ...(line && { line }) }, rest };
  }
  const zone = findZone(rest);
  const unknownZone = zone.zone === undefined && when !== "leaves" ? findUnknownZone(rest) : undefined;
  return {
    slots: { ...(way && { way }), ...(zone.zone && { zone: zone.zone }), ...(unknownZone && { unknownZone }) },
    rest: zone.rest,
  };
}

const EXCLUDES =
  /\b(?:but not|not|except(?: for)?|excluding|without|ignore|ignoring|apart from|other than|leave out|skip|but no)(?: about| for)?(?: the| any| a| an)? /;

/** Classes after "not", "except" and the like, as many as are listed there. */
function findExcluded(said: string): { readonly excluded: readonly string[]; readonly rest: string } {
  const text = said.replace(/\bleave ((?:the |any |my )?[\w ]{2,20}?) out\b/, "leave out $1");
  const match = EXCLUDES.exec(text);
  if (match === null) return { excluded: [], rest: text };
  const words = text.slice(match.index + match[0].length).split(" ");
  const excluded: string[] = [];
  let at = 0;
  while (at < words.length) {
    const { classes, length } = classesAt(words, at);
    if (length === 0 && !/^(?:and|or|the|any|a|an)$/.test(words[at] ?? "")) break;
    excluded.push(...classes);
    at += Math.max(1, length);
  }
  if (excluded.length === 0) return { excluded, rest: text };
  return { excluded, rest: [text.slice(0, match.index).trim(), ...words.slice(at)].join(" ").trim() };
}

const NEAR =
  /\b(?:near|close to|next to|beside|besides|approach(?:es|ing)?|touch(?:es|ing)?|within reach of|too close to)(?: to)?(?: the| a| an| any| my| our)* /;

/** What something has to be near to: a class, not a place. */
function findNear(text: string): { readonly classes: readonly string[]; readonly rest: string } {
  const match = NEAR.exec(text);
  if (match === null) return { classes: [], rest: text };
  const words = text.slice(match.index + match[0].length).split(" ");
  const { classes, length } = classesAt(words, 0);
  const rest = length === 0 ? text : [text.slice(0, match.index).trim(), ...words.slice(length)].join(" ").trim();
  return { classes, rest };
}

const NO_THING =
  /^(?:me|the|how|what|who|which|crossing|crossings|going|please|camera|cameras|now|it|one|ones|they|them|he|she|this|that|these|those|there|here|you|your|my|a|an|any|all|some|on|in|at|is|are|when|if|results?|alerts?|events?|pictures?|images?|photos?|video|longer|more|less|than|long|each|every|least|most|only|just|too|also|again|has|have|had|been|gets?|got|was|were|will|visualization|happened|happens|line|zone|middle|left|right|top|bottom|watch|watches|pipelines?|tasks?|movement|both|either|while|minutes?|seconds?|hours?|tracking|anything|everything|something|same|other|another|new|case|then|free|busy|its|so|stays?|stands?|leaves?|enters?|appears?|possible|blocks?|models?|total|far|today|yesterday|many|count|traffic|today's|lot|few|couple|bit|time|first|last|next|real|live|and|or|for|to|of|with|from|by|number|figures?|counts?|totals?|empty|nobody|cross|crosses|crossed|pass|passes|passed|go|goes|went|drive|drives|drove|walk|walks|walked|come|comes|came|move|moves|run|runs|whole|entire|everywhere|anywhere|once|twice|at)$/;

/** The thing that is looked for and is no class; undefined when nothing is named there. */
function findThing(text: string): string | undefined {
  const pattern =
    /\b(?:count|counting|for|detect|detecting|track|tracking|find|spot|see|when|if|whenever|there|there's)\s+(?:is |are |the |all |any |an? |some |my |how many |number of |every |each |new )*([\p{L}-]{3,}(?: (?:hats?|plates?|extinguishers?|vests?|balls?|helmets?|lights?|glasses|gloves|masks?|tags?))?)/gu;
  for (const match of text.matchAll(pattern)) {
    const word = match[1] ?? "";
    if (!NO_THING.test(word.split(" ")[0] ?? "") && !/(?:ing|ly)$/.test(word)) return word;
  }
  return undefined;
}

const CHANNEL =
  /\b(e-?mail|text message|sms|whats ?app|telegram|slack|discord|phone|call|text)\b(?= me\b| us\b)|\b(?:by|via|on|over|through|an?) (e-?mail|text message|sms|whats ?app|telegram|slack|discord|phone(?: call)?)\b/;

function findChannel(text: string): Pick<Slots, "channel"> {
  const match = CHANNEL.exec(text);
  const channel = match?.[1] ?? match?.[2];
  return channel === undefined ? {} : { channel };
}

/** Models by their marks; a saved workflow where its mark stands, a workspace with it or where it is spoken of. */
function findNames(
  text: string,
  { models }: Literals,
  { workflow, workspace }: SavedNames,
): Pick<Slots, "model" | "workflow" | "workspace"> {
  const at = /@m(\d+)/.exec(text)?.[1];
  const model = at === undefined ? undefined : models[Number(at)];
  const isHere = text.includes(WORKFLOW_MARK);
  return {
    ...(model !== undefined && { model }),
    ...(workflow !== undefined && isHere && { workflow }),
    ...(workspace !== undefined && (isHere || text.includes(WORKSPACE_MARK)) && { workspace }),
  };
}
