// what nobody can do here, and what can be done instead
import type { Act } from "../intent.ts";
import { findClasses } from "../words/class-words.ts";
import { ERRANDS, isWearing, LIMITS, type Limit, MESSAGES, NAMES, POLITE, TURNING } from "./beyond.data.ts";
import { recallOf } from "./memory-and-tasks.ts";
import { isQuestion, MOMENT, type Reading, type Rule } from "./reading.ts";

const ONLY_YOU = 'I can tell you, here and in the dashboard: say "tell me when" and what you wait for.';

/** "Turn cam1 to the left": a camera by its name. */
const TURNS =
  /^(?:please |can you |could you |now )*(?:turn|rotate|point|aim|swing|pan|tilt|angle)\b(?!.*\b(?:off|on)\b).*\b(?:left|right|up|down|around|towards?|away|at|degrees|a (?:bit|little))\b/;

/** Errands that take hands, a phone or a printer. */
export const readErrand: Rule = (reading) => {
  const { text } = reading;
  // "Take the video clip.mp4": a file is looked at.
  const isFile = /@a\d/.test(text);
  const errand = ERRANDS.find(({ order }) => order?.test(text));
  if (errand !== undefined && !isFile) return toAct(errand, "");
  // "Alert the guards when somebody comes" is a watch that cannot reach them.
  const waits = MOMENT.test(text) && /\b(?:when(?:ever)?|if|as soon as|once|every time|each time|in case)\b/.test(text);
  if (isFile || waits) return undefined;
  const named = withNames(reading);
  return MESSAGES.some((pattern) => pattern.test(named))
    ? beyond("send messages to other people or call them: I have no phone and no mail", ONLY_YOU)
    : undefined;
};

/** Plain words in which a name after the first word is marked. */
function withNames({ words, text, known }: Reading): string {
  const names = words.matchAll(
    /(?<=\b(?:call|phone|ring|text|e-?mail|mail|message|tell|ask|remind|inform|warn|notify|alert|let|send|write|to|for) )[A-Z][\p{Ll}]+\b/giu,
  );
  return [...names]
    .map(([name]) => name)
    .filter(
      (name) =>
        /^\p{Lu}/u.test(name) && !known.cameras.some((camera) => camera.name.toLowerCase() === name.toLowerCase()),
    )
    .reduce((marked, name) => marked.replace(new RegExp(`\\b${name.toLowerCase()}\\b`), "@name"), text);
}

const GLANCES = new RegExp(
  `${POLITE}(?:grab|fetch|get|give|pull|bring|open|put|call|throw|take)(?: up| me| us)* (?:(?:the|an?|my|our|this|that|one|current|latest|live|new) )*(?:frames?|pictures?|images?|snapshots?|photos?|stills?|screenshots?|cameras?|cams?|feeds?|streams?|views?)\\b`,
);
const OPENS = new RegExp(`${POLITE}(?:pull|bring|open|put|call)(?: up| me| us| over)*(?: the| my| our)*$`);

/** "Bring up the dock", "grab a frame": no hands are needed for a look. */
export const readGlance: Rule = ({ text, bare, slots, hasImage }) => {
  const isLook = GLANCES.test(text) || (slots.cameras.length > 0 && OPENS.test(bare));
  const waits = MOMENT.test(text) || slots.model !== undefined || slots.workflow !== undefined;
  return isLook && !waits && !hasImage ? { kind: "look", howMany: false } : undefined;
};

/** A thing that the detector does find is not beyond it, so a name like "fire hydrant" is taken out first. */
export const readBeyond: Rule = ({ words, bare, text, slots, hasImage, hasModel }) => {
  if (hasModel || slots.workflow !== undefined || hasImage) return undefined;
  const turns = slots.cameras.length > 0 && TURNS.test(text);
  const errand = turns ? TURNING : ERRANDS.find(({ pattern }) => pattern?.test(text));
  if (errand !== undefined) return toAct(errand, "");
  if (slots.period !== undefined && /\bwhat (?:has )?happened\b/.test(text)) return undefined;
  const plain = bare.replace(/\b(?:fire hydrant|traffic light|stop sign|wine glass|hot dog|baseball glove)s?\b/g, " ");
  const name = personIn(words, bare);
  if (name !== undefined)
    return toAct({ ...NAMES, what: `tell people apart by name or face, so I do not know who "${name}" is` }, name);
  // What a model of the person's own found is in the events under its own name.
  if (slots.thing !== undefined && slots.period !== undefined && isQuestion(text)) return undefined;
  for (const limit of LIMITS) {
    const found = mostTelling(plain, limit);
    if (found !== undefined) return { ...toAct(limit, found), ...queryOf(text) };
  }
  return undefined;
};

const FIRST_WORD = new RegExp(`${POLITE}([a-z]{3,})`);

/** Comes last: somebody is told to do something that is neither looking nor watching. */
export const readUnable: Rule = ({ text, judged: { kind, scores, asks } }) =>
  kind === "chore" && scores.chore >= 0.5 && !asks
    ? beyond(
        `"${FIRST_WORD.exec(text)?.[1] ?? text}" anything: I can only watch`,
        "I can tell you when something happens, and you act.",
      )
    : undefined;

/** "What colour is my wife's car?": no camera tells, a note may. */
function queryOf(text: string): { readonly query?: string } {
  if (!/^(?:and |so )?(?:what|which|who|whose|when|where|how)\b/.test(text)) return {};
  return { query: recallOf(text).query };
}

/** "Is Anna there?", "when Peter comes": a name in the middle of a sentence that is no camera and no thing. */
function personIn(words: string, bare: string): string | undefined {
  const pattern =
    /(?<=\b(?:[Ii]s(?: that| this| it)?|[Ww]as|[Ww]hen|[Ii]f|[Ww]henever|[Dd]id|[Hh]as|see|saw|seen|find|recogni[sz]e|spot|[Oo]nly|about|[Mm]y \p{Ll}+|[Oo]ur \p{Ll}+|[Mm]rs?\.?|[Mm]s\.?|[Dd]r\.?) )[A-Z][\p{Ll}]{2,}\b/gu;
  return words.match(pattern)?.find((name) => {
    const plain = name.toLowerCase();
    const isNamed = new RegExp(`(?<![\\p{L}-])${plain}(?:'s)?(?![\\p{L}-])`, "u").test(bare);
    return isNamed && !COMMON.test(plain) && findClasses([plain]).length === 0;
  });
}

const COMMON =
  /^(?:the|any\w*|some\w*|every\w*|there|that|this|they|she|you|it|nothing|nobody|all|motion|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?$|^(?:january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter|roboflow|whatsapp|telegram|slack)$/;

/** What says most: "a safety vest" rather than "wearing". */
function mostTelling(text: string, { pattern = /$^/ }: Limit): string | undefined {
  const found = [...text.matchAll(new RegExp(pattern, "g"))].map(([words]) => words);
  return found.toSorted((a, b) => Number(isWearing(a)) - Number(isWearing(b)))[0];
}

function toAct({ what, instead, modelHelps }: Limit, found: string): Act {
  return { ...beyond(typeof what === "string" ? what : what(found), instead), modelHelps: modelHelps === true };
}

function beyond(what: string, instead: string): Extract<Act, { kind: "beyond" }> {
  return { kind: "beyond", what, instead, modelHelps: false };
}
