// words → a zone or line of a camera that has a name
import type { CameraPlace } from "@vision-agent/protocol";
import type { KnownCamera, Slots } from "../intent.ts";
import { escapePattern, without } from "../words/plain-words.ts";
import type { Way } from "./find-places.ts";

/** Stands where a named place was said. */
export const PLACE_MARK = "@p";

interface PlaceFound {
  readonly place?: CameraPlace;
  /** Those that have it. */
  readonly owners: readonly string[];
  readonly rest: string;
}

/** `text` is of `toPlainWords`. The longest name wins; a camera that is called the same goes first. */
export function findNamedPlace(text: string, cameras: readonly KnownCamera[]): PlaceFound {
  const all = cameras.flatMap(({ name, places = [] }) => places.map((place) => ({ camera: name, place })));
  const free = all.filter(({ place }) => !cameras.some(({ name }) => isSame(name, place.name)));
  const found = free
    .toSorted((a, b) => b.place.name.length - a.place.name.length)
    .flatMap(({ place }) => {
      const match = toPattern(place).exec(text);
      return match === null ? [] : [{ place, phrase: match[0] }];
    })[0];
  if (found === undefined) return { owners: [], rest: text };
  const { place, phrase } = found;
  const owners = free.filter((one) => isSame(one.place.name, place.name)).map(({ camera }) => camera);
  return { place, owners, rest: without(text.replace(phrase, ` ${PLACE_MARK} `), "") };
}

const KIND = " (?:zones?|areas?|lines?)";

/** "the entrance line" is the line entrance, and who crosses the entrance crosses its line. */
function toPattern({ name, kind }: CameraPlace): RegExp {
  const words = (said: string): string =>
    said
      .split(/[ ._-]+/)
      .map(escapePattern)
      .join("[ ._-]?");
  const plain = name.toLowerCase();
  const short = plain.replace(new RegExp(`${KIND}$`), "");
  const crossed =
    kind === "line" ? `|(?<=\\b(?:cross\\w*|pass\\w*|through|over) (?:the |our |my )?)${words(short)}` : "";
  return new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${words(plain)}${crossed})(?:${KIND})?(?![\\p{L}\\p{N}_-])`, "u");
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Which way, in the words of the line's own directions. */
export function wayAcross(place: CameraPlace | undefined, text: string): Way | undefined {
  if (place?.kind !== "line" || place.directions === undefined) return undefined;
  const { in: into, out } = place.directions;
  const says = (words: string): boolean => new RegExp(`\\b${escapePattern(words.toLowerCase())}\\b`).test(text);
  if (says(into) === says(out)) return undefined;
  return says(into) ? "in" : "out";
}

/** The slots that a place fills. */
export function slotsOfPlace(place: CameraPlace): Pick<Slots, "zone" | "line"> {
  const { name, points } = place;
  if (place.kind === "line") return { line: { name, points: place.points, place: name } };
  const article = /^(?:the|my|our) /i.test(name) ? "" : "the ";
  return { zone: { name: `${article}${name}`, points, place: name } };
}
