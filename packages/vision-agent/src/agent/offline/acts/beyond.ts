// what nobody can do here, and what can be done instead
import type { Act } from "../intent.ts";
import { findClasses } from "../words/class-words.ts";
import { recallOf } from "./memory-and-tasks.ts";
import { isQuestion, MOMENT, type Rule, tellsWhen } from "./reading.ts";

interface Limit {
  /** Words that speak of it, in groups that belong together. */
  readonly says: readonly string[];
  /** After "I cannot". */
  readonly what: string;
  readonly instead: string;
  /** A language model would see or know more. */
  readonly modelHelps?: true;
}

const CAN = "I can look, count, watch and tell you.";
const YOU_ACT = "I can tell you when something happens, and you act.";
const POLITE =
  "(?:please |now |ok |okay |and |then |also |just |kindly |hey |(?:can|could|would|will) you |i (?:want|need|would like) you to |go (?:and )?)*";
/** A few words, none of which is of the app: "stop the light alert". */
const WORDS = "(?:(?!watch|count|track|monitor|tell|alert|notif|detect|look)[\\w-]+ ){0,4}";
const NOT_OF_APP = "(?! (?:watch|alert|count|camera|cam))";

/** What is switched by hand, and is no pipeline. */
const SWITCHING = [
  "(?:start|stop|halt|restart|reboot|reset|press|push|pull|activate|ring|sound|operate|dim|(?:turn|switch|power|shut|put)(?: on| off| up| down)?)",
  ` ${WORDS}(?:conveyors?|belts?|engines?|motors?|machines?|machinery|routers?|servers?|computers?|elevators?|cranes?|buttons?|levers?`,
  "|bells?|horns?|sirens?|(?:loud)?speakers?|volume|music|radio|tv|(?:flood|spot)?lights?|lamps?|ovens?|sprinklers?|pumps?|fans?|heating|heaters?)",
  NOT_OF_APP,
].join("");
/** Nobody is given a way to destroy what was kept. */
const ERASING = [
  `(?:delete|erase|wipe|clear|remove|destroy|purge|get rid of) ${WORDS}(?:recordings?|videos?|footage|files?|notes?|events?|history`,
  "|memor(?:y|ies)|pictures?|images?|photos?|data|logs?)|(?:forget|erase|delete|wipe) (?:what|everything|all|anything)(?: that)? (?:you|i|we|my|your)(?! (?:[\\w-]+ ){0,2}(?:watch|alert|alarm|count|task|reminder|pipeline))",
].join("");

/** What takes hands, where its kind does not tell that it is a chore. */
const DEEDS: readonly Limit[] = [
  {
    says: [
      `(?:turn|rotate|move|point|aim|swing|pan|tilt|adjust|restart|reboot|repair|clean) (?!on |off )${WORDS}(?<!for |from |on |of )(?:cameras?|cams?|lens)(?!.*\\boff)`,
      "zoom(?: in| out)?|can (?:[\\w-]+ ){1,3}be (?:turned|rotated|moved|tilted)",
    ],
    what: "turn, tilt or zoom a camera, or restart it",
    instead: `You can turn it, and I look again; cameras stand in CAMERAS.md of the workspace. ${CAN}`,
  },
  {
    says: [
      SWITCHING,
      `(?:open|close|shut|lock|unlock|lift|raise|lower) ${WORDS}(?:doors?|gates?|windows?|garages?|barriers?|blinds|curtains?|shutters?)${NOT_OF_APP}`,
      "let (?!me |us )(?:(?!know )[\\w-]+ ){1,3}(?:in|out)",
    ],
    what: "open, close or lock doors and gates, or switch lights or machines: I can only watch",
    instead: YOU_ACT,
  },
  {
    says: [ERASING],
    what: "delete what was recorded or noted",
    instead:
      "Events and their pictures go by themselves after the days in config.yaml; notes are files that you can edit.",
  },
];

const NAMES: Limit = {
  says: [
    "faces?|(?:recogni[sz]e|identify) (?:who|him|her|(?:my|our) [\\w-]+)|(?:his|her|their) names?",
    "who(?: is| was| are|'s) (?:that|this|it|he|she|they|the (?:man|woman|person|guy|lady|driver|visitor|people))",
    "names? of (?:the|each|every|this|that|these|those) (?:person|people|man|woman|lady|guy|driver|visitors?|customers?)",
    "(?:one of (?:our|my|the)|which) (?:employees?|staff|workers?|customers?|neighbou?rs?|colleagues?|drivers?)",
    "man or (?:a )?woman|boy or (?:a )?girl",
    "(?<=\\b(?:when(?:ever)?|if|once|is|was|did|has|see|saw) )(?:my|our) (?:wife|husband|partner|sons?|daughters?|kids?|child|children|mother|father|mum|mom|dad|brother|sister|boss|neighbou?rs?|friends?|cleaner|gardener)",
  ],
  what: "tell people apart by name or face",
  instead: "I see that there is a person, how many, where, and for how long.",
};

/** What no detector tells. */
const LIMITS: readonly Limit[] = [
  NAMES,
  {
    says: [
      "predict|forecast|next week|in the future|will (?:[\\w-]+ ){0,3}(?:come|happen|rain|arrive)",
      "(?:going to|gonna|about to) (?:rain|snow|storm|freeze|happen|come)",
      "weather|stock|news|poem|joke|story|translate|recipe|password",
    ],
    what: "tell you about the future, the weather or the world: I read instructions about cameras",
    instead: CAN,
    modelHelps: true,
  },
  {
    says: [
      "(?:(?:safety|protective|high[ -]vis\\w*|hi-?vis|face|ear) )*(?:helmets?|hard ?-?hats?|vests?|gloves?|masks?|uniforms?|jackets?|goggles|boots|gear|aprons?)",
      "ppe|high[ -]vis\\w*|hi-?vis|wearing|wears?|dressed|clothes|clothing",
    ],
    what: "see what people wear, clothes or safety gear",
    instead:
      'A model that was trained for it can: say "run my-workspace/hard-hat/3 on" and the camera, with the id of your model.',
    modelHelps: true,
  },
  {
    says: [
      "licen[cs]e (?:plates?|numbers?)|number plates?|plate numbers?|registration|barcode|qr code|read the|text on|what does the [\\w-]+ say",
      "think(?:s|ing)|thoughts?|intentions?|feel(?:s|ing)|emotions?|mood|happy|sad|angry|nervous|suspicious(?:ly)?|drunk|dangerous",
      "(?<=\\b(?:what|who)\\b(?!.*\\b(?:you|i)\\b).*)(?:talk(?:s|ing|ed)?|say(?:s|ing)?|said|discuss(?:es|ed|ing)?|chat(?:s|ted|ting)?)",
      "hear(?! (?:about|of|from|when|if)\\b)|listen|sounds?(?! an? alarm| the alarm| good)|noise|audio|voices?|argu(?:e|es|ed|ing|ments?)",
      "conversations?|barking|shouting|scream\\w*|smells?|humidity|temperatures?|degrees|(?:how|too) (?:cold|hot|warm|loud|noisy)|weight|battery|wi-?fi",
      "colou?rs?|red|blue|green|yellow|white|black|brand|make and model|bmw|audi|tesla|toyota",
      "speed(?:ing)?|(?:how|too) fast|faster than|kmh|kph|mph|age|old is|gender|male|female|how (?:tall|big|heavy|old|far|wide|deep|high)",
      "opens|closes|locked|unlocked|ajar|(?:is|are|was|were|left|stays?|gets?|doors?|gates?|windows?)(?: still| left)? (?:open|closed|shut)",
      "(?:lights?|lamps?|ovens?|stoves?|taps?|engines?|heaters?|tvs?)(?: [\\w-]+){0,3} (?:on|off|out|burning|running)|gets? (?:dark|light)",
      "(?:lies|lying|lays|laying) (?:down|on the (?:floor|ground))|falls?|fallen|falling|fell|collaps\\w+|faint(?:s|ed|ing)?|slips?|trips",
      "injur\\w+|bleed\\w*|drown\\w*|vandali\\w+|fight(?:s|ing)?|stealing|steals?|theft|weapons?|guns?|smok(?:e|ing)|flames?",
      "(?<!\\b(?:only|should|to|not|must|will|would|did|does|shall|doesn't) )fire(?! (?:extinguishers?|trucks?|doors?|exits?|for|when|if))",
      "(?:rain|snow)(?:s|ing|y)?|storm\\w*|fog(?:gy)?|windy|sunny|wet|icy",
    ],
    what: "tell such details",
    instead:
      "I see classes of things, such as person or car, where they are, how many and for how long; I cannot hear or measure.",
    modelHelps: true,
  },
];

const OF_DEVICES = toPattern([SWITCHING, ERASING]);

/** They are no control of pipelines. */
export function isOfDevices(text: string): boolean {
  return OF_DEVICES.test(text);
}

const ORDERS = DEEDS.map((deed) => ({ deed, pattern: toPattern(deed.says, `^${POLITE}`) }));

const FIRST_WORD = new RegExp(`^${POLITE}([\\w-]+)`);
const CLEAR = 0.5;
const CHORE = {
  what: "anything for you: I have no hands, no phone and no mail",
  instead: `${CAN} A picture of each event is in the dashboard, where you can take it.`,
};

/** Orders to do something, known by how they begin. */
export const readErrand: Rule = ({ text, judged }) => {
  // "Take the video clip.mp4": a file is looked at.
  if (/@a\d/.test(text)) return undefined;
  const deed = ORDERS.find(({ pattern }) => pattern.test(text))?.deed;
  if (deed !== undefined) return beyond(deed);
  const { kind, scores, asks } = judged;
  // "Share what you see on the dock" takes a look only.
  const isChore = kind === "chore" && scores.chore >= CLEAR && !asks && !/\b(?:what|how many)\b/.test(text);
  return isChore ? beyond({ ...CHORE, what: `"${FIRST_WORD.exec(text)?.[1] ?? text}" ${CHORE.what}` }) : undefined;
};

const GLANCES = new RegExp(
  `^${POLITE}(?:grab|fetch|get|give|pull|bring|open|put|call|throw|take)(?: up| me| us)* (?:(?:the|an?|my|our|this|that|one|current|latest|live|new) )*(?:frames?|pictures?|images?|snapshots?|photos?|stills?|screenshots?|cameras?|cams?|feeds?|streams?|views?)\\b`,
);
const OPENS = new RegExp(`^${POLITE}(?:pull|bring|open|put|call)(?: up| me| us| over)*(?: the| my| our)*$`);

/** "Bring up the dock", "grab a frame": no hands are needed for a look. */
export const readGlance: Rule = ({ text, bare, slots, hasImage }) => {
  const isLook = GLANCES.test(text) || (slots.cameras.length > 0 && OPENS.test(bare));
  const waits = MOMENT.test(text) || slots.model !== undefined || slots.workflow !== undefined;
  return isLook && !waits && !hasImage ? { kind: "look", howMany: false } : undefined;
};

/** Cameras, and things that the detector does find and whose names hold a word that is beyond it. */
const FOUND = /\b(?:fire hydrant|traffic light|stop sign|wine glass|hot dog|baseball glove)s?\b|@c /g;
/** "Is Anna there?", "when Peter comes". */
const PERSON =
  /(?<=\b(?:[Ii]s|[Ww]as|[Ww]hen|[Ii]f|[Ww]henever|[Dd]id|[Hh]as|see|saw|find|[Mm]y \p{Ll}+|[Oo]ur \p{Ll}+|[Mm]rs?\.?|[Dd]r\.?) )\p{Lu}\p{Ll}{2,}\b/gu;

const SPOKEN_OF = LIMITS.map((limit) => ({ limit, pattern: toPattern(limit.says, "\\b", "g") }));

export const readBeyond: Rule = ({ words, bare, text, slots, hasImage, hasModel }) => {
  if (hasModel || slots.workflow !== undefined || hasImage) return undefined;
  const person = words.match(PERSON)?.find((name) => isPerson(name.toLowerCase(), bare.split(" ")));
  if (person !== undefined) return beyond(NAMES, person);
  // What a model of the person's own found is in the events under its own name.
  if (slots.thing !== undefined && slots.period !== undefined && isQuestion(text)) return undefined;
  // Watches know colours; counts and looks do not.
  const isWatched = slots.colour !== undefined && (tellsWhen(text) || text.startsWith("watch "));
  const plain = (isWatched ? bare.replace(slots.colour, "") : bare).replace(FOUND, "");
  for (const { limit, pattern } of SPOKEN_OF) {
    const found = [...plain.matchAll(pattern)].at(-1)?.[0];
    if (found !== undefined) return { ...beyond(limit, found), ...queryOf(text) };
  }
  return undefined;
};

const COMMON = /^(?:(?:any|some|every|no)(?:one|body|thing)|the(?:re|y|se)?|this|that|you|all|motion)$/;

/** No camera, no thing and no word of every day that begins with a capital. */
function isPerson(name: string, said: readonly string[]): boolean {
  return said.includes(name) && !COMMON.test(name) && findClasses([name]).length === 0;
}

/** "What colour is my wife's car?": no camera tells, a note may. */
function queryOf(text: string): { readonly query?: string } {
  if (!/^(?:and |so )?(?:what|which|who|whose|when|where|how)\b/.test(text)) return {};
  return { query: recallOf(text).query };
}

function toPattern(says: readonly string[], before = "\\b", flags = ""): RegExp {
  return new RegExp(`${before}(?:${says.join("|")})\\b`, flags);
}

function beyond({ what, instead, modelHelps }: Omit<Limit, "says">, found?: string): Extract<Act, { kind: "beyond" }> {
  const said = found === undefined ? what : `${what} ("${found}")`;
  return { kind: "beyond", what: said, instead, modelHelps: modelHelps === true };
}
