// words → the cameras they name

import type { KnownCamera } from "../intent.ts";
import { findClasses } from "../words/class-words.ts";
import { escapePattern, type Literals } from "../words/plain-words.ts";
import { nearest } from "../words/respell.ts";

/** Stands where a camera was said to be looked at: "in the yard", so that no other word is taken for the place. */
export const CAMERA_MARK = "@c";
const PLACED =
  /\b(?:on|in|at|near|by|outside|inside|behind|close to|next to|beside|in front of|leave|ignore|skip|except)(?: (?:the|my|our|your|this|that))? ~+(?: |$)/g;

const ALL =
  /\b(?:all|every|each|both|any|either|which|whichever)(?: of)?(?: the| my| our| these| those)?(?: \w+)? (?:cameras?|cams?)\b|\b(?:everywhere|anywhere)\b/;

export interface CamerasFound {
  /** Names of cameras, or addresses as they were written. */
  readonly cameras: readonly string[];
  /** The words without the cameras, so that a street camera is not read as a thing. */
  readonly rest: string;
  /** The words with a mark for each camera. */
  readonly marked: string;
}

/** `text` is of `toPlainWords`. The longest name wins; `-`, `_` and space are the same. */
export function findCameras(text: string, known: readonly KnownCamera[], { addresses }: Literals): CamerasFound {
  const found: { readonly name: string; readonly at: number }[] = [];
  let rest = text;
  const take = (pattern: RegExp, name: string): void => {
    for (let match = pattern.exec(rest); match !== null; match = pattern.exec(rest)) {
      found.push({ name, at: match.index });
      // The length stays, so that the order of what is found later can be told.
      rest = rest.slice(0, match.index) + "~".repeat(match[0].length) + rest.slice(match.index + match[0].length);
    }
  };
  addresses.forEach((address, index) => {
    take(new RegExp(`@a${index}(?!\\d)`), address);
  });
  for (const { name } of known.toSorted((a, b) => b.name.length - a.name.length)) take(namePattern(name), name);
  const all = ALL.test(rest);
  const but = /\b(?:except|excluding|apart from|other than|without|but not|save|besides)\b/.test(rest);
  const others = known.map(({ name }) => name).filter((name) => !but || !found.some((one) => one.name === name));
  if (!all && found.length === 0) for (const { pattern, name } of findPlaces(rest, known)) take(pattern, name);
  const isPair = found.length === 2 && /\bboth\b/.test(text);
  const names = all && !isPair ? others : found.toSorted((a, b) => a.at - b.at).map(({ name }) => name);
  return {
    cameras: [...new Set(names)],
    marked: rest.replace(/~+/g, CAMERA_MARK),
    rest: rest.replace(PLACED, `${CAMERA_MARK} `).replace(/~+/g, " ").replace(/\s+/g, " ").trim(),
  };
}

/** A pipeline such as street-count holds the name of its camera and does not mean it. */
function namePattern(name: string): RegExp {
  const parts = name.toLowerCase().split(/[ _-]+/);
  const words = parts.length > 1 ? parts.map(escapePattern).join("[ _-]?") : oneOrTwoWords(parts[0] ?? "");
  return new RegExp(
    `(?<![\\p{L}\\p{N}_-])(?:(?:camera|cam) )?${words}(?:'s)?(?![\\p{L}\\p{N}_]|-\\p{L})(?: (?:cameras?|cams?))?`,
    "u",
  );
}

/** "back door" is the camera backdoor. */
function oneOrTwoWords(name: string): string {
  const cuts = Array.from({ length: Math.max(0, name.length - 2 * SHORTEST_WORD + 1) }, (_, at) => at + SHORTEST_WORD);
  const split = cuts.map((at) => `${escapePattern(name.slice(0, at))}[ _-]${escapePattern(name.slice(at))}`);
  return `(?:${[escapePattern(name), ...split].join("|")})`;
}

const SHORTEST_WORD = 3;

/** Words that follow "on" or "in" without being a camera. */
const NO_CAMERA =
  /^(?:the )?(?:it|there|here|this|that|these|those|now|right now|total|view|sight|front|picture|pictures|photo|image|frame|scene|middle|center|centre|line|zone|area|all|every|each|any|which|one|screen|cameras?|video|moment|left|right|top|bottom|upper|lower|and|or|both|me|everything|anything|something|what|how|once|least|most|night|day|time|times|noon|midnight|home|work|first|last|case|them|him|her|us|you|your|detail|details|advance|general|particular|again|please|tracking|counting|speed|full|same|other|model|workflow|workspace|use|way|and|memory|past|last|previous|today|yesterday|morning|afternoon|evening|hour|week|alerts?|events?|watches|pipelines?|tasks?|results?|numbers?|figures?|totals?|counts?|statistics|reports?|lists?|logs?|later|tomorrow|\d.*)\b/;

/** Places in a sentence where a camera's name stands, the surest first. */
const PLACES: readonly RegExp[] = [
  /^(?:and |so )?is (?:the |my |our )([\p{L}\p{N}_-]+(?: (?!still|being)[\p{L}\p{N}_-]+)?) (?:still |being )*(?:watched|monitored|guarded)\b/u,
  /\b(?:on|at|of|in|from|watch|monitor|show me|show|what about|stop|pause|resume)\s+(?:the\s+|my\s+)?([\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+)?)\s+(?:camera|cam)\b/u,
  /\b(?:camera|cam) ([\p{L}\p{N}_-]+)$/u,
  /\b(cam(?:era)?[ _-]?\d+)\b/u,
  /\b(?:watch|monitor|guard|observe)\s+(?:the\s+|my\s+)?([\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+)?)\s+for\b/u,
  /\b(?:on|at|in|from|near|show me|show|look at|outside|inside|watch(?:ing)?|monitor(?:ing)?|guard(?:ing)?|keep(?:ing)? an eye on)\s+(?:the\s+|my\s+|our\s+)?([\p{L}\p{N}_-]+(?: (?:door|gate|yard|room|lot|entrance|hall))?)$/u,
  /\b(?:on|at|in)\s+(?:the\s+|my\s+|our\s+)([\p{L}\p{N}_-]+(?: (?:door|gate|yard|room|lot|entrance|hall))?)\b/u,
];

/** A name that no camera has; undefined when none is named. */
export function findUnknownCamera(text: string): string | undefined {
  const isName = (called: string): boolean => !NO_CAMERA.test(called) && findClasses(called.split(" ")).length === 0;
  return PLACES.flatMap((place) => place.exec(text)?.[1] ?? []).find(isName);
}

interface NamedPlace {
  readonly pattern: RegExp;
  readonly name: string;
}

/** "the delivery ramp", wherever it stands in the sentence, when one camera is said to hang there. The longest first. */
function findPlaces(text: string, known: readonly KnownCamera[]): readonly NamedPlace[] {
  const said = known.flatMap(({ name, about = "" }) => placesIn(about).map((place) => ({ name, place })));
  const isSure = (place: string): boolean => said.every((one) => one.place !== place || one.name === nameOf(place));
  const nameOf = (place: string): string | undefined => said.find((one) => one.place === place)?.name;
  return said
    .filter(({ place }) => isSure(place))
    .toSorted((a, b) => b.place.length - a.place.length)
    .map(({ name, place }) => ({ name, pattern: placePattern(place) }))
    .filter(({ pattern }) => pattern.test(text));
}

/** Up to three words in a row of what is said about a camera. */
function placesIn(about: string): readonly string[] {
  const parts = about.toLowerCase().split(/[^\p{L}\p{N}' -]+/u);
  const phrases = parts.flatMap((part) => {
    const words = part.split(/\s+/).filter((word) => word !== "");
    return words.flatMap((_, at) => [1, 2, 3].map((many) => words.slice(at, at + many).join(" ")));
  });
  return [...new Set(phrases)].filter((phrase) => {
    const words = phrase.split(" ");
    const isPlain = words.length > 1 || (phrase.length > 2 && !NO_CAMERA.test(phrase));
    return isPlain && !NO_PLACE.test(words[0] ?? "") && !isThing(words.at(-1) ?? "");
  });
}

const NO_PLACE = /^(?:the|an?|at|in|on|of|by|to|and|or|with|for|from|is|are|its|it|over|above|towards?|facing|looks?)$/;

function isThing(word: string): boolean {
  return NO_PLACE.test(word) || findClasses([word]).length > 0;
}

/** Two words are a name of their own; one is where "the" or a place's preposition stands before it. */
function placePattern(place: string): RegExp {
  const words = place.split(" ").map(escapePattern).join("[ -]");
  const before = place.includes(" ") ? "" : "(?<=\\b(?:the|my|our|at|in|on|from|near|by) )";
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${before}${words}(?![\\p{L}\\p{N}_-])(?: (?:cameras?|cams?))?`, "u");
}

/** The camera whose name is one slip of the finger away: "wharehouse". */
export function findBySlip(name: string, known: readonly KnownCamera[]): string | undefined {
  const plain = (words: string): string => words.toLowerCase().replace(/[ _-]+/g, "");
  const meant = nearest(
    plain(name),
    known.map((camera) => plain(camera.name)).filter((each) => each.length >= LONG_NAME),
  );
  return known.find((camera) => plain(camera.name) === meant)?.name;
}

/** Shorter names are too much alike. */
const LONG_NAME = 4;
