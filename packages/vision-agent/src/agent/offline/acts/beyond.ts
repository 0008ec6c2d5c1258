// what nobody can do here, and what can be done instead
import { findClasses } from "../class-words.ts";
import type { Act } from "../intent.ts";
import { isQuestion, type Rule } from "./reading.ts";

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

const SWITCHED =
  "lights?|lamps?|volume|heating|heaters?|sirens?|music|radio|tv|television|ovens?|stove|sprinklers?|fans?|ac|air con\\w*|plugs?|sockets?|pump|machine";
/** What is switched by hand, and is no pipeline. */
export const DEVICES = new RegExp(
  `\\b(?:turn|switch|power|put|shut)(?:ed|ing)?\\b.*\\b(?:on|off|up|down)\\b.*\\b(?:${SWITCHED})\\b|\\b(?:turn|switch|power|put|shut|dim|light)\\b (?:(?!to\\b)[\\w-]+ ){0,3}(?:${SWITCHED})\\b`,
);

/** Nobody is given a way to destroy what was kept. */
export const ERASES =
  /\b(?:delete|erase|wipe|clear|remove|destroy|purge)\b.*\b(?:recordings?|videos?|footage|files?|notes?|events?|history|memor(?:y|ies)|pictures?|images?|photos?|data|logs?)\b|^(?:please )?forget (?:what i|everything (?:i|you)|all (?:i|my|the|your))\b/;

/** They speak of things of the house, which may be called like a camera: all words count. */
const HANDS: readonly Limit[] = [
  {
    pattern:
      /\b(?:zoom(?:ing)?(?: (?:in|out))?|pan|tilt(?:ed|ing)?|swivel)\b|\b(?:turn|rotate|move|point|aim|swing|adjust|reposition|angle|focus|steer)(?:ing)? (?:(?!to\b|on\b|off\b|it\b|that\b|watch|count|alert|from\b)[\w-]+ ){0,4}(?:cameras?|cams?|lens)\b(?!.*\boff\b)|\b(?:cameras?|cams?)\b.*\b(?:be )?(?:turned (?:to|left|right|around)|moved|rotated|pointed|aimed|adjusted)\b/,
    what: "turn, tilt or zoom a camera: I see what it is pointed at and cannot move it",
    instead: `You can turn it, and I look again. ${CAN}`,
  },
  {
    pattern:
      /\b(?:open|close(?! to\b)|shut|lock|unlock|bolt)(?:ing)?\b.*\b(?:doors?|gates?|windows?|garages?|barriers?|blinds|curtains?|shutters?|locks?|safe)\b/,
    what: "open, close or lock doors, gates or windows: I have eyes and no hands",
    instead: YOU_ACT,
  },
  {
    pattern: /\b(?:record|film|download|export|save)\b.*\b(?:videos?|clips?|footage|films?|recordings?)\b/,
    what: "record videos",
    instead: 'I keep a picture with each event. Say "watch" and the camera, and what happens there is kept.',
  },
  {
    pattern: ERASES,
    what: "delete what was recorded or noted",
    instead:
      "Events and their pictures go by themselves after the days in config.yaml; notes are files that you can edit.",
  },
  { pattern: DEVICES, what: "switch lights or machines on or off: I have eyes and no hands", instead: YOU_ACT },
  {
    pattern:
      /\b(?:call|phone|dial|ring)\b.*\b(?:police|911|112|999|fire (?:brigade|department)|ambulance|doctor|security|mom|mum|dad|boss|neighbou?rs?)\b|\bsend\b (?:[\w-]+ ){0,2}(?:ambulance|police|help|guards?|somebody|someone|security|fire brigade)\b/,
    what: "call anybody, not the police either: I have no phone",
    instead: YOU_ACT,
  },
  {
    pattern:
      /\b(?:order|buy|pay for|book) (?:me|us|an?|some)\b|^(?:please |can you |could you )*(?:feed|chase|bring|fetch|clean|scare|drive|cook|water|carry|pick up|wash|sweep|play|sing|speak|talk to|say|announce)\b(?! (?:back|the (?:video|recording)))|\bmake (?:me|us) (?:an?|some) (?!(?:[\w-]+ )?(?:alert|alarm|warning|notification|workflow|count|watch|note|list|summary|report|pipeline|picture|snapshot|reminder))/,
    what: "act in the house: I have eyes and no hands",
    instead: YOU_ACT,
  },
];

/** How a thing of the house stands, which may be called like a camera. */
const STATE: Limit = {
  pattern:
    /\b(?:doors?|gates?|windows?|garages?|barriers?|shutters?|hatch|curtains?|blinds)(?: \w+)?(?: (?:is|are|was|were|been|left|still|stays?|stands?|gets?|got))* (?:open(?:s|ed)?|clos(?:es|ed)|shut|locked|unlocked|ajar)\b|\b(?:lights?|lamps?|ovens?|stoves?|taps?|machines?|engines?|heaters?|tvs?)(?: (?:is|are|was|were|been|left|still|stays?|gets?))* (?:on|off|burning|running|switched (?:on|off))\b/,
  what: "tell whether something is open or shut, on or off",
  instead: "I see things and people, where they are, how many and for how long.",
  modelHelps: true,
};

/** "Turn cam1 to the left": a camera by its name. */
const TURNS =
  /^(?:please |can you |could you |now )*(?:turn|rotate|point|aim|swing|pan|tilt|angle)\b(?!.*\b(?:off|on)\b).*\b(?:left|right|up|down|around|towards?|away|at|degrees|a (?:bit|little))\b/;

const NAMES: Limit = {
  pattern:
    /\b(?:recogni[sz]e|identify|know) (?:the )?(?:faces?|who|him|her|my (?:wife|husband|son|daughter|boss|neighbou?r|friend|kids?|mother|father))\b|\bfaces?\b|\bwho(?: is| was| are|'s) (?:that|this|it|he|she|they|the (?:man|woman|person|guy|lady|chap|girl|boy|visitor|driver|people))\b|\b(?:his|her|their) names?\b|\bwhat(?: is|'s) (?:he|she|the \w+) called\b|\bdo you know (?:the|this|that) (?:man|woman|person|guy|lady|chap|girl|boy|driver)\b|\bone of (?:our|my|the) (?:employees?|staff|workers?|customers?|regulars?|neighbou?rs?|colleagues?|tenants?)\b|\bwhich (?:employee|worker|customer|neighbou?r|colleague|driver|resident|tenant)\b|\b(?:a )?(?:man or (?:a )?woman|boy or (?:a )?girl|woman or (?:a )?man|girl or (?:a )?boy)\b|(?<=\b(?:when(?:ever)?|if|once|is|was|did|has|see|saw|spot) )(?:my|our) (?:wife|husband|partner|sons?|daughters?|boss|neighbou?rs?|friends?|kids?|child|children|mother|father|mum|mom|dad|brother|sister|ex|cleaner|gardener|landlord|grand\w+|aunt|uncle|cousin|girlfriend|boyfriend)\b|\b(?:name|names|identity) of (?:the |each |every )?(?:person|people|man|woman|visitors?)\b|\bwhether it(?:'s| is) (?:my|the) \w+\b/,
  what: "tell people apart by name or face",
  instead: "I see that there is a person, how many, where, and for how long.",
};

/** By kind of wish: names, minds, ears, details of a thing. */
const LIMITS: readonly Limit[] = [
  NAMES,
  {
    pattern:
      /\b(?:licen[cs]e (?:plates?|numbers?)|number plates?|plate numbers?|registration|read the|what does the (?:sign|label|plate|screen|paper|display|poster) say|text on|serial number|barcode|qr code)\b/,
    what: "read plates or text with the detector of this house",
    instead:
      "I can tell you when a car comes or leaves. A saved workflow with text recognition can be run by its name.",
    modelHelps: true,
  },
  {
    pattern:
      /\b(?:read (?:\w+ )?minds?|(?:what|is|are) .*think(?:s|ing)|thoughts?|feel(?:s|ing)?(?! free)|emotions?|mood|happy|sad|angry|suspicious(?:ly)?|drunk|lying(?! (?:on|at|in|there|around|by|outside|near|@c))|intentions?|nervous|dangerous)\b/,
    what: (found) => `see what somebody thinks, feels or is up to, such as "${found}"`,
    instead: "I can tell you that somebody is there, or stays longer than a time you name.",
  },
  {
    pattern:
      /\b(?:(?<=\b(?:what|who)\b(?!.*\b(?:you|i)\b).*)(?:talk(?:s|ing|ed)?(?: about| to)?|say(?:s|ing)?|said|discuss(?:es|ed|ing)?|chat(?:s|ted|ting)?|whisper(?:s|ed|ing)?|argu(?:es|ed|ing))|conversations?|hear(?! (?:about|of|from|when|if)\b)|listen|sounds?(?! an? alarm| the alarm| good)|noise|audio|voices?|barking|shouting|scream\w*|gunshots?|temperatures?|how (?:cold|hot|warm|humid|loud|noisy|cool)|too (?:cold|hot|warm|humid|loud|noisy)|degrees|celsius|fahrenheit|decibels?|smells?|humidity|air pressure|air quality|co2|gas leaks?|smells? of gas|weighs?|weight|kilos?|litres?|liters?|voltage|battery|wi-?fi)\b/,
    what: (found) => `hear, smell or measure anything, so no "${found}"`,
    instead: `I see pictures only. ${CAN}`,
  },
  {
    pattern:
      /\b(?:predict|forecast|will (?:[\w-]+ ){0,3}(?:come|happen|rain|arrive)|(?:going to|gonna|will it|about to) (?:rain|snow|storm|freeze|happen|come)|next week|in the future|weather|stock|news|poem|joke|story|translate|recipe|password)\b/,
    what: (found) => `say anything about "${found}": I read instructions about cameras`,
    instead: CAN,
    modelHelps: true,
  },
  {
    pattern:
      /\b(?:(?:safety|protective|high[ -]vis\w*|hi-?vis|face|ear|steel) (?:jackets?|goggles|boots|gear|glasses|shoes|muffs|plugs|shields?|equipment|harness(?:es)?)|(?:safety |protective |high[ -]vis\w* |hi-?vis |face )*(?:helmets?|hard ?-?hats?|vests?|gloves?|masks?|uniforms?)|goggles|hair ?-?nets?|aprons?|overalls|coveralls|respirators?|earmuffs|ear (?:protection|defenders)|ppe|high[ -]vis\w*|hi-?vis)\b|\b(?:wearing|wears?|dressed|clothes|clothing)\b/,
    what: (found) =>
      /^(?:wear|dress|cloth)/.test(found)
        ? "see what people wear: the detector of this house finds people, not their clothes or safety gear"
        : `see safety gear such as "${found}": the detector of this house finds people, not what they wear`,
    instead:
      'A model that was trained for it can: say "run my-workspace/hard-hat/3 on" and the camera, with the id of your model.',
    modelHelps: true,
  },
  {
    pattern:
      /\b(?:colou?rs?|red|blue|green|yellow|white|black|brand|make and model|bmw|audi|tesla|toyota|speed(?:ing)?|how fast|faster than|too fast|km h|kmh|kph|mph|gets? (?:dark|light)|(?:doors?|gates?|windows?|garages?|shutters?|barriers?|hatch)\b.*\b(?:open|closed|shut|locked|unlocked|ajar)|(?:lights?|lamps?) (?:[\w-]+ ){0,3}(?:is|are|goes|go|went|turns?|gets?|stays?|still|left) (?:\w+ )?(?:on|off|out)|age|old is|gender|male|female|(?:lies|lying|lays|laying) (?:down|on the (?:floor|ground))|falls?|fallen|falling|fell|collaps\w+|faint(?:s|ed|ing)?|slips?|trips|injur\w+|how (?:tall|big|heavy|old|far|fast|wide|expensive|deep|high|long is (?:the|that|this))|bleed\w*|drown\w*|vandali\w+|fight(?:s|ing)?|smok(?:e|ing)|(?<!\b(?:only|should|to|not|must|will|would|did|does|shall|doesn't) )fire(?! (?:extinguishers?|trucks?|doors?|exits?|for|when|if))|flames?|rain(?:s|ing|y)?|snow(?:s|ing|y)?|storm\w*|fog(?:gy)?|windy|sunny|wet|icy|stealing|steals?|theft|weapons?|guns?)\b/,
    what: (found) => `tell such details as "${found}"`,
    instead: "I know classes of things, such as person or car, where they are, how many and for how long.",
    modelHelps: true,
  },
];

/** A thing that the detector does find is not beyond it, so a name like "fire hydrant" is taken out first. */
export const readBeyond: Rule = ({ words, bare, text, slots, hasImage }) => {
  if (slots.model !== undefined || slots.workflow !== undefined || hasImage) return undefined;
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
    if (found !== undefined) return toAct(limit, found);
  }
  return undefined;
};

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
