// "add a camera called garage at rtsp://…" → what is to be written down
import { isPlainWord } from "../kind/leftover.ts";
import { findUnknownCamera } from "../slots/find-cameras.ts";
import type { Rule } from "./reading.ts";

const ADDS =
  /\b(?:add|set up|register|install|connect|create) (?:(?:the|an?|my|our|another|one|more|new|second|third) )*(?:[\w-]+ )?(?:cameras?|cams?)\b|\b(?:new|another|second|third|extra|as an?) (?:cameras?|cams?)\b|^(?:please )?(?:add|register|connect|save)(?: the)? @a\d/;
/** An address, and a camera or a name for it. */
const SPEAKS_OF =
  /@a\d.*\b(?:cam(?:era)?s?|stream|feed|doorbell|call(?:ed)?|named?|as)\b|\b(?:cam(?:era)?s?|stream|feed|doorbell|call(?:ed)?|named?)\b.*@a\d/;
const NAMES: readonly RegExp[] = [
  /\b(?:called|named|name|call|under the name|by the name(?: of)?)(?: (?:it|is|her|him|that|this|of))*\s+(?:the )?([a-z][\w-]*)/,
  /\bas (?:the |a |an )?([a-z][\w-]*)(?= cam|$)/,
  /\b(?:add|register|connect) (?:the |my |our |a )?(?:new )?([a-z][\w-]*) (?:cameras?|cams?)\b/,
  /\b(?:the|my|our|an?) (?:new )?([a-z][\w-]*) (?:cameras?|cams?|doorbell)\b/,
  /\b(?:the|my|our) ([a-z][\w-]*) (?:now )?(?:has|got|gets)\b/,
  /\b(?:cameras?|cams?) (?!at\b|on\b|with\b|from\b|is\b|under\b|for\b|to\b|in\b|please\b)([a-z][\w-]*)\b/,
];
const NO_NAME =
  /^(?:new|another|second|third|extra|ip|web|one|two|three|some|several|security|this|that|a|an|the|it|they|which|there|here|where|called|named|and|my|our|more|now|lives|runs|sits|hangs|stream|feed|last|old|next|first|address|ip|url|link|network|wifi)$/;

/** No part of a path is taken for a name. */
const PATH_NAME = /\b(?:called|named?|call it)\s+\S*[./\\]\S/i;

/** Small words that a camera may be called by nevertheless. */
const PLACES = /^(?:front|back|left|right|inside|outside|top|bottom|upper|lower|side|corner|middle|area|zone)$/;

function isName(word: string): boolean {
  return !NO_NAME.test(word) && (!isPlainWord(word) || PLACES.test(word));
}

/** A camera that is not there yet; with neither a name nor an address it is asked for both. */
export const readCamera: Rule = ({ words, text, slots, known, judged }) => {
  const isMeant = judged.scores.camera > 0.4 && SPEAKS_OF.test(text) && !judged.asks;
  if (!(isMeant || ADDS.test(text)) || /\b(?:watch|alert|count|alarm|workflow|fps)\b|@[wm]/.test(text))
    return undefined;
  const [source, another] = slots.cameras.filter((name) => !known.cameras.some((camera) => camera.name === name));
  if (slots.cameras.length > 0 && source === undefined) return undefined;
  // Two at once: which name is whose is asked.
  if (another !== undefined) return { kind: "camera" };
  const said = [...NAMES.map((pattern) => pattern.exec(text)?.[1]), findUnknownCamera(text)];
  const name = PATH_NAME.test(words) ? undefined : said.find((found) => found !== undefined && isName(found));
  return { kind: "camera", name, source };
};
