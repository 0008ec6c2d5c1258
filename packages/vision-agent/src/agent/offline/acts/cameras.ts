// "add a camera called garage at rtsp://…" → what is to be written down
import type { Rule } from "./reading.ts";

const ADDS =
  /\b(?:add|set up|register|install|connect|create) (?:(?:the|an?|my|our|another|one|more|new|second|third) )*(?:[\w-]+ )?(?:cameras?|cams?)\b|\b(?:new|another|second|third|extra) (?:cameras?|cams?)\b/;
const NAMES: readonly RegExp[] = [
  /\b(?:called|named|name it|call it|call that|by the name(?: of)?)\s+(?:the )?([a-z][\w-]*)/,
  /\b(?:as) (?:the )?([a-z][\w-]*)$/,
  /\b(?:add|register|connect) (?:the |my |our |a )?(?:new )?([a-z][\w-]*) (?:cameras?|cams?)\b/,
  /\b(?:cameras?|cams?) (?!at\b|on\b|with\b|from\b|is\b|under\b|for\b|to\b|in\b|please\b)([a-z][\w-]*)\b/,
];
const NO_NAME =
  /^(?:new|another|second|third|extra|ip|web|one|security|this|that|a|an|the|it|they|which|there|here|where|called|named|and|my|our|more)$/;

/** A camera that is not there yet; with neither a name nor an address it is asked for both. */
export const readCamera: Rule = ({ text, slots, known }) => {
  if (!ADDS.test(text) || /\b(?:watch|alert|count|alarm)\b/.test(text)) return undefined;
  const source = slots.cameras.find((name) => !known.cameras.some((camera) => camera.name === name));
  const isKnown = slots.cameras.length > 0 && source === undefined;
  if (isKnown) return undefined;
  const name = NAMES.flatMap((pattern) => pattern.exec(text)?.[1] ?? []).find((found) => !NO_NAME.test(found));
  return { kind: "camera", ...(name !== undefined && { name }), ...(source !== undefined && { source }) };
};
