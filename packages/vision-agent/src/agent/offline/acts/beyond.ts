// what nobody can do here, and what can be done instead

import type { Act } from "../intent.ts";
import { findClasses } from "../words/class-words.ts";
import {
  CALLED,
  CHORES,
  CLOSABLE,
  DETAILS,
  ELSEWHERE,
  ERASING,
  FOOTAGE,
  GEAR,
  KEPT,
  MADE_HERE,
  MINDS,
  OPENED,
  OPENING,
  RECORDING,
  SENSES,
  SENT_FOR,
  SWITCHABLE,
  SWITCHED,
  TEXT,
  TURNED,
  TURNING,
  WEARING,
  WHO_IT_IS,
  ZOOMING,
} from "./beyond.data.ts";
import { recallOf } from "./memory-and-tasks.ts";
import { isQuestion, type Rule } from "./reading.ts";
import { anyOf, toPattern, wholeWords } from "./word-pattern.ts";

interface Limit {
  readonly pattern: RegExp;
  /** A function where the thing itself belongs into the answer. */
  readonly what: string | ((found: string) => string);
  readonly instead: string;
  /** A language model would see or know more. */
  readonly modelHelps?: true;
}

const CAN = "I can look, count, watch and tell you.";
const YOU_ACT = "I can tell you when something happens, and you act.";

const SWITCHES = anyOf(SWITCHED);
/** What is switched by hand, and is no pipeline. */
export const DEVICES = toPattern(
  `\\b(?:turn|switch|power|put|shut)(?:ed|ing)?\\b.*\\b(?:on|off|up|down)\\b.*\\b${SWITCHES}\\b`,
  `\\b(?:turn|switch|power|put|shut|dim|light)\\b (?:(?!to\\b)[\\w-]+ ){0,3}${SWITCHES}\\b`,
);

/** Nobody is given a way to destroy what was kept. */
export const ERASES = toPattern(
  `${wholeWords(ERASING)}.*${wholeWords(KEPT)}`,
  "^(?:please )?forget (?:what i|everything (?:i|you)|all (?:i|my|the|your))\\b",
);

/** They speak of things of the app, which may be called like a camera: all words count. */
const HANDS: readonly Limit[] = [
  {
    pattern: toPattern(
      wholeWords(ZOOMING),
      `\\b${anyOf(TURNING)}(?:ing)? (?:(?!to\\b|on\\b|off\\b|it\\b|that\\b|watch|count|alert|from\\b)[\\w-]+ ){0,4}(?:cameras?|cams?|lens)\\b(?!.*\\boff\\b)`,
      `\\b(?:cameras?|cams?)\\b.*\\b(?:be )?${anyOf(TURNED)}\\b`,
    ),
    what: "turn, tilt or zoom a camera: I see what it is pointed at and cannot move it",
    instead: `You can turn it, and I look again. ${CAN}`,
  },
  {
    pattern: toPattern(`\\b${anyOf(OPENING)}(?:ing)?\\b.*${wholeWords(OPENED)}`),
    what: "open, close or lock doors, gates or windows: I can only watch",
    instead: YOU_ACT,
  },
  {
    pattern: toPattern(`${wholeWords(RECORDING)}.*${wholeWords(FOOTAGE)}`),
    what: "record videos",
    instead: 'I keep a picture with each event. Say "watch" and the camera, and what happens there is kept.',
  },
  {
    pattern: ERASES,
    what: "delete what was recorded or noted",
    instead:
      "Events and their pictures go by themselves after the days in config.yaml; notes are files that you can edit.",
  },
  { pattern: DEVICES, what: "switch lights or machines on or off: I can only watch", instead: YOU_ACT },
  {
    pattern: toPattern(
      `\\b(?:call|phone|dial|ring)\\b.*${wholeWords(CALLED)}`,
      `\\bsend\\b (?:[\\w-]+ ){0,2}${anyOf(SENT_FOR)}\\b`,
    ),
    what: "call anybody, not the police either: I have no phone",
    instead: YOU_ACT,
  },
  {
    pattern: toPattern(
      "\\b(?:order|buy|pay for|book) (?:me|us|an?|some)\\b",
      `^(?:please |can you |could you )*${anyOf(CHORES)}\\b(?! (?:back|the (?:video|recording)))`,
      `\\bmake (?:me|us) (?:an?|some) (?!(?:[\\w-]+ )?${anyOf(MADE_HERE)})`,
    ),
    what: "do things by hand: I can only watch",
    instead: YOU_ACT,
  },
];

/** How a thing of the app stands, which may be called like a camera. */
const STATE: Limit = {
  pattern: toPattern(
    `\\b${anyOf(CLOSABLE)}(?: \\w+)?(?: (?:is|are|was|were|been|left|still|stays?|stands?|gets?|got))* (?:open(?:s|ed)?|clos(?:es|ed)|shut|locked|unlocked|ajar)\\b`,
    `\\b${anyOf(SWITCHABLE)}(?: (?:is|are|was|were|been|left|still|stays?|gets?))* (?:on|off|burning|running|switched (?:on|off))\\b`,
  ),
  what: "tell whether something is open or shut, on or off",
  instead: "I see things and people, where they are, how many and for how long.",
  modelHelps: true,
};

/** "Turn cam1 to the left": a camera by its name. */
const TURNS =
  /^(?:please |can you |could you |now )*(?:turn|rotate|point|aim|swing|pan|tilt|angle)\b(?!.*\b(?:off|on)\b).*\b(?:left|right|up|down|around|towards?|away|at|degrees|a (?:bit|little))\b/;

const NAMES: Limit = {
  pattern: toPattern(wholeWords(WHO_IT_IS)),
  what: "tell people apart by name or face",
  instead: "I see that there is a person, how many, where, and for how long.",
};

/** By kind of wish: names, minds, ears, details of a thing. */
const LIMITS: readonly Limit[] = [
  NAMES,
  {
    pattern: toPattern(wholeWords(TEXT)),
    what: "read plates or text with the detector",
    instead:
      "I can tell you when a car comes or leaves. A saved workflow with text recognition can be run by its name.",
    modelHelps: true,
  },
  {
    pattern: toPattern(wholeWords(MINDS)),
    what: (found) => `see what somebody thinks, feels or is up to, such as "${found}"`,
    instead: "I can tell you that somebody is there, or stays longer than a time you name.",
  },
  {
    pattern: toPattern(wholeWords(SENSES)),
    what: (found) => `hear, smell or measure anything, so no "${found}"`,
    instead: `I see pictures only. ${CAN}`,
  },
  {
    pattern: toPattern(wholeWords(ELSEWHERE)),
    what: (found) => `say anything about "${found}": I read instructions about cameras`,
    instead: CAN,
    modelHelps: true,
  },
  {
    pattern: toPattern(wholeWords(GEAR), wholeWords(WEARING)),
    what: (found) =>
      /^(?:wear|dress|cloth)/.test(found)
        ? "see what people wear: the detector finds people, not their clothes or safety gear"
        : `see safety gear such as "${found}": the detector finds people, not what they wear`,
    instead:
      'A model that was trained for it can: say "run my-workspace/hard-hat/3 on" and the camera, with the id of your model.',
    modelHelps: true,
  },
  {
    pattern: toPattern(wholeWords(DETAILS)),
    what: (found) => `tell such details as "${found}"`,
    instead: "I know classes of things, such as person or car, where they are, how many and for how long.",
    modelHelps: true,
  },
];

/** A thing that the detector does find is not beyond it, so a name like "fire hydrant" is taken out first. */
export const readBeyond: Rule = ({ words, bare, text, slots, hasImage, hasModel }) => {
  if (hasModel || slots.workflow !== undefined || hasImage) return undefined;
  const hands =
    slots.cameras.length > 0 && TURNS.test(text) ? HANDS[0] : HANDS.find(({ pattern }) => pattern.test(text));
  if (hands !== undefined) return toAct(hands, "");
  if (STATE.pattern.test(text)) return toAct(STATE, "");
  if (slots.period !== undefined && /\bwhat (?:has )?happened\b/.test(text)) return undefined;
  const plain = bare.replace(/\b(?:fire hydrant|traffic light|stop sign|wine glass|hot dog|baseball glove)s?\b/g, " ");
  const name = personIn(words, bare);
  if (name !== undefined)
    return toAct({ ...NAMES, what: `tell people apart by name or face, so I do not know who "${name}" is` }, name);
  // What a model of the person's own found is in the events under its own name.
  if (slots.thing !== undefined && slots.period !== undefined && isQuestion(text)) return undefined;
  for (const limit of LIMITS) {
    const found = mostTelling(plain, limit.pattern);
    if (found !== undefined) return { ...toAct(limit, found), ...queryOf(text) };
  }
  return undefined;
};

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

/** The longest words that match: "a safety vest" says more than "wearing". */
function mostTelling(text: string, pattern: RegExp): string | undefined {
  const found = [...text.matchAll(new RegExp(pattern, "g"))].map(([words]) => words);
  return found.toSorted((a, b) => Number(/^(?:wear|dress|cloth)/.test(a)) - Number(/^(?:wear|dress|cloth)/.test(b)))[0];
}

function toAct({ what, instead, modelHelps }: Limit, found: string): Act {
  return {
    kind: "beyond",
    what: typeof what === "string" ? what : what(found),
    instead,
    modelHelps: modelHelps === true,
  };
}
