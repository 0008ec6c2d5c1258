// "call the left half of the yard the driveway", "the driveway is the lower half of street"
import { CAMERA_MARK, findCameras } from "../slots/find-cameras.ts";
import { findLine, findZone, toLine } from "../slots/find-places.ts";
import type { Rule } from "./reading.ts";

const LEAD = "^(?:(?:please|ok|okay|now|and|so|let's|can you|could you|from now on) )*";
const CALLS = `${LEAD}(?:call|name|label|mark|save|define)(?: the)?`;
const NAME = "(?<name>[\\p{L}\\p{N}][\\p{L}\\p{N}_-]*(?: [\\p{L}\\p{N}][\\p{L}\\p{N}_-]*){0,2})";
const ON = ` (?:of|on|in|from|at)(?: the| my| our)? ${CAMERA_MARK}`;
const OWNED = "(?:the|my|our)";
const PART = "(?<part>[\\p{L} -]+?)";

const PATTERNS: readonly RegExp[] = [
  `${CALLS} ${PART}(?:${ON})?(?: as)? ${OWNED} ${NAME}$`,
  `${CALLS} ${PART}${ON}(?: as)? ${NAME}$`,
  `${LEAD}${OWNED} ${NAME} is(?: in| at| on)?(?: the)? ${PART}${ON}$`,
  `${LEAD}(?:the )?${PART}${ON} is(?: called| named| now)*(?: the| my| our)? ${NAME}$`,
].map((pattern) => new RegExp(pattern, "u"));

const OF_LINE =
  /^(?:(?:the|an?|horizontal|vertical|upper|lower|top|bottom|left|right|middle|line|in|at|across|through) ?)*$/;

/** A part of the picture that the words measure, or a line through it, and a name. */
export const readPlace: Rule = ({ text, known, hasImage }) => {
  if (hasImage) return undefined;
  const { marked } = findCameras(text, known.cameras, { addresses: [], models: [], quoted: [] });
  const { name, part = "" } = PATTERNS.map((pattern) => pattern.exec(marked)?.groups).find((found) => found) ?? {};
  if (name === undefined) return undefined;
  const line = /\bline\b/.test(part) && OF_LINE.test(part) ? findLine(part) : undefined;
  if (line !== undefined) return { kind: "place", name, where: `the ${part}`, line: toLine(line) };
  const { zone, rest } = findZone(part);
  return zone === undefined || rest !== "" ? undefined : { kind: "place", name, where: zone.name, zone: zone.points };
};
