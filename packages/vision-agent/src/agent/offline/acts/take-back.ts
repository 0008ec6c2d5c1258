// take back, try out, what would have been, another name for a camera
import type { Rule } from "./reading.ts";

const LEAD = "^(?:(?:please|ok|okay|no|oh|oops|sorry|wait|now|hey|can you|could you) )*";
const LAST =
  "(?:that|it|this|the last (?:change|thing|step|one)|my last (?:change|step)|your last (?:change|step)|what (?:you|i|we) just (?:did|changed|said)|the last thing (?:you|i|we) (?:did|changed|said))";
const UNDO = new RegExp(
  `${LEAD}(?:undo|revert|reverse|roll back|take back)(?: ${LAST})?(?: (?:please|again))*$|${LEAD}(?:take|roll) ${LAST} back(?: please)?$`,
);
const REDO = new RegExp(`${LEAD}(?:redo(?: (?:it|that|this))?|undo the undo)(?: please)?$`);
const CLEAR = 0.5;

/** What else sounds like taking something back is asked about. */
export const readUndo: Rule = ({ text, judged, hasImage }) => {
  if (REDO.test(text)) return { kind: "undo", isPlain: true, again: true };
  const isPlain = UNDO.test(text);
  const isMeant = judged.kind === "undo" && judged.scores.undo >= CLEAR && !hasImage;
  return isPlain || isMeant ? { kind: "undo", isPlain, again: false } : undefined;
};

const TEST = new RegExp(
  `${LEAD}(?:test (?:it|that|this|(?:the |my |this |that )?(?:[\\w-]+ ){0,3}(?:watch|alert|alarm)s?)|(?:send|give|fire|show|trigger|raise|make)(?: me| us)?(?: off)? (?:an? |one )?(?:test|trial|sample)(?: alert| alarm| message| notification)?(?: (?:for|of|from|about|on) .+)?)(?: (?:please|now))*$`,
);

export const readTrial: Rule = ({ text, judged, hasImage }) => {
  const isPlain = TEST.test(text);
  const isMeant = judged.kind === "trial" && judged.scores.trial >= CLEAR && !hasImage;
  return isPlain || isMeant ? { kind: "trial", isPlain, words: text } : undefined;
};

const WOULD_HAVE =
  /\bwould (?:(?:it|that|this|you|there|the|my|i|we|watch|[\w-]+) ){0,4}?have (?:been )?(?:fired|alerted|told|gone off|happened|triggered|warned|notified|rung|come true|been|got|had)\b|\bhow (?:often|many (?:times|alerts)) would\b|\bdry run\b|\bpreview\b/;

export const readPreview: Rule = ({ text, hasImage }) =>
  WOULD_HAVE.test(text) && !hasImage ? { kind: "preview", words: text } : undefined;

const NAMED = "[\\p{L}\\p{N}][\\p{L}\\p{N} _-]{0,62}?";
const RENAME = new RegExp(
  `${LEAD}rename (?:the |my |our )?(?:camera )?(${NAMED})(?: cam(?:era)?)? (?:to|into|as) (?:the )?(${NAMED})(?: (?:camera|please|cam))*$`,
  "u",
);
const REMOVE = new RegExp(
  `${LEAD}(?:remove|delete|get rid of) (?:the |my |our )?(?:camera (${NAMED})|(${NAMED}) (?:camera|cam))(?: please)*$`,
  "u",
);

/** One camera is named, and nothing else. Once it is gone the words have to mean the same. */
export const readRename: Rule = ({ text, slots }) => {
  if (slots.cameras.length > 1 || /\b(?:watch|alert|count|pipeline|all|every|any)\b/.test(text)) return undefined;
  const [, from = "", name] = RENAME.exec(text) ?? [];
  if (name !== undefined) return { kind: "rename", camera: slots.cameras[0] ?? from, name };
  const gone = REMOVE.exec(text)
    ?.slice(1)
    .find((one) => one !== undefined);
  if (gone === undefined || / (?:on|from|of|at|for) /.test(gone)) return undefined;
  return { kind: "rename", camera: slots.cameras[0] ?? gone };
};
