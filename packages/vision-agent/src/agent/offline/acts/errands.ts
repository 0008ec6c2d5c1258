// errands that take hands, a phone or a printer: understood, and not possible here

import type { Act } from "../intent.ts";
import { isClassWord } from "../words/class-words.ts";
import { MOMENT, type Reading, type Rule } from "./reading.ts";

interface Errand {
  readonly pattern: RegExp;
  readonly what: string;
  readonly instead: string;
}

const YOU_ACT = "I can tell you when something happens, and you act.";
const ONLY_YOU = 'I can tell you, here and in the dashboard: say "tell me when" and what you wait for.';

const POLITE =
  "^(?:please |now |ok |okay |and |then |also |just |quickly |kindly |hey |can you |could you |would you |will you |you (?:can|should|could) |i (?:want|need|would like) you to |go (?:and )?)*";
const THE = "(?:(?:the|an?|my|our|your|his|her|their|this|that|these|those|all|both|some|more) )*";
/** Somebody who is not the one that speaks. */
const OTHERS =
  "(?:my|our|the|his|her|their|him|them|police|security|everyone|everybody|somebody|someone|nine one one|911|112|999)";
const NOT_WATCHING = "(?!watch|count|track|monitor|tell|alert|notif|detect|look|follow)";

function begins(words: string): RegExp {
  return new RegExp(`${POLITE}(?:${words})`);
}

const ERRANDS: readonly Errand[] = [
  {
    pattern: begins(
      `(?:lift|raise|lower|pull|roll|open|close|shut|lock|unlock|bolt|put|let)(?: up| down)? ${THE}(?:[\\w-]+ ){0,2}(?:doors?|gates?|windows?|garages?|barriers?|booms?|bollards?|blinds|curtains?|shutters?|hatch(?:es)?|fences?)\\b`,
    ),
    what: "open, close or lock doors, gates, barriers or windows: I can only watch",
    instead: YOU_ACT,
  },
  {
    pattern: begins(
      `(?:let|buzz|wave) (?:${THE}(?!me\\b|us\\b)(?:[\\w-]+ ){1,2}|him |her |them )(?:in|through|pass|inside|out)\\b`,
    ),
    what: "let anybody in or out: I can only watch",
    instead: YOU_ACT,
  },
  {
    pattern: begins(
      `(?:start|stop|halt|restart|reboot|reset|press|push|pull|hit|activate|deactivate|trigger|ring|sound|blow|operate|fire up|(?:turn|switch|power|shut)(?: on| off| up| down)?) ${THE}${NOT_WATCHING}(?:[\\w-]+ ){0,2}(?:conveyors?|belts?|engines?|motors?|machines?|machinery|routers?|servers?|computers?|press(?:es)?|elevators?|cranes?|buttons?|levers?|switch(?:es)?|bells?|horns?|buzzers?|sirens?|(?:loud)?speakers?|(?:flood|spot)?lights?|lamps?|sprinklers?|pumps?|fans?|heating|heaters?|alarm system|fire alarm|printers?)\\b(?! (?:watch|alerts?|count|cameras?|pipeline|one)\\b)`,
    ),
    what: "switch lights or machines on or off: I can only watch",
    instead: YOU_ACT,
  },
  {
    pattern: begins(
      `(?:make|have|get) ${THE}(?:[\\w-]+ )?(?:cameras?|cams?)(?: to)? (?:look|face|turn|point|see|show)\\b`,
    ),
    what: "turn, tilt or zoom a camera: I see what it is pointed at and cannot move it",
    instead: "You can turn it, and I look again.",
  },
  {
    pattern: begins(`(?:restart|reboot|reset|unplug|repair|fix|clean) ${THE}(?:[\\w-]+ )?(?:cameras?|cams?|lens)\\b`),
    what: "restart or repair a camera: I only see what it sends",
    instead: 'Ask "what is running?" to see how its pipelines stand.',
  },
  {
    pattern: begins(
      `(?:post|upload|publish|share|tweet|print|fax|stream|broadcast|download|export|archive|back up) (?!it$|that$|(?:out )?(?:what|how|who|which|when)\\b|an? guard|guards|an? watch)`,
    ),
    what: "publish, print or copy anything out",
    instead: "Pictures of events are in the dashboard, where you can take them.",
  },
  {
    pattern: begins(
      `(?:record|film|videotape|tape)\\b(?! (?:how|the number|that|when|what))|(?:make|create|save|cut|produce|shoot|take|store) ${THE}(?:[\\w-]+ ){0,2}(?:clips?|time-?lapses?|time lapses?|recordings?|footage|gifs?|videos?|films?)\\b`,
    ),
    what: "record videos",
    instead: 'I keep a picture with each event. Say "watch" and the camera, and what happens there is kept.',
  },
  {
    pattern: begins(
      "(?:erase|delete|wipe|forget|clear) (?:everything|all|anything|whatever)(?: that)? (?:you|i|we)\\b",
    ),
    what: "delete what was recorded or noted",
    instead:
      "Events and their pictures go by themselves after the days in config.yaml; notes are files that you can edit.",
  },
  {
    pattern: begins("(?:order|buy|purchase|pay|book|reserve|hire|sell) (?!of\\b|to\\b|by\\b|keeping\\b|in\\b)"),
    what: "order, book or pay for anything",
    instead: YOU_ACT,
  },
];

const MESSAGE =
  "(?:whats ?app|sms|e-?mails?|mail|texts?|text message|messages?|fax|letters?|telegram|notes?|pictures?|photos?|reports?|snapshots?|word|link)";
/** Messages to others than the one that speaks. A name is known by its capital. */
const MESSAGES: readonly RegExp[] = [
  begins(
    `(?:call|phone|ring|dial|text|sms|whats ?app|e-?mail|mail|message|page|fax|contact|telephone)(?: up)? (?:${OTHERS}|@name)\\b`,
  ),
  begins(
    `(?:send|write|shoot|forward|leave) (?:(?:it|this|that|${THE}(?:[\\w-]+ )?${MESSAGE}) )+(?:[\\w-]+ ){0,3}?(?:to|for) (?:${OTHERS}|@name)\\b`,
  ),
  begins(
    `(?:send|write|shoot|forward|leave) (?:@name|him|her|them|${THE}(?!me\\b|us\\b|alert|alarm|notif|message)[\\w-]+) ${THE}(?:[\\w-]+ )?${MESSAGE}\\b`,
  ),
  begins(
    `(?:tell|ask|remind|inform|warn|notify|alert) (?:${OTHERS}|@name) (?!difference|time|(?:[\\w-]+ )?(?:cameras?|cams?|system|detector|model)\\b)`,
  ),
  begins(`let (?:${OTHERS}|@name)(?: [\\w-]+){0,2} know\\b`),
];

const CAMERAS = begins("(?:rename|remove|delete) (?:[\\w-]+ ){0,3}(?:cameras?|cams?)\\b");

const GLANCES = begins(
  "(?:grab|fetch|get|give|pull|bring|open|put|call|throw|take)(?: up| me| us)* (?:(?:the|an?|my|our|this|that|one|current|latest|live|new) )*(?:frames?|pictures?|images?|snapshots?|photos?|stills?|screenshots?|cameras?|cams?|feeds?|streams?|views?)\\b",
);
const OPENS = begins("(?:pull|bring|open|put|call)(?: up| me| us| over)*(?: the| my| our)*$");

/** "Bring up the dock", "grab a frame": no hands are needed for a look. */
export const readGlance: Rule = ({ text, bare, slots, hasImage }) => {
  const isLook = GLANCES.test(text) || (slots.cameras.length > 0 && OPENS.test(bare));
  const waits = MOMENT.test(text) || slots.model !== undefined || slots.workflow !== undefined;
  return isLook && !waits && !hasImage ? { kind: "look", howMany: false } : undefined;
};

export const readErrand: Rule = (reading) => {
  const { text } = reading;
  if (CAMERAS.test(text))
    return beyond(
      "rename or remove cameras",
      "They stand in CAMERAS.md of the workspace: change it there, and I see it.",
    );
  // "Take the video clip.mp4": a file is looked at.
  if (/@a\d/.test(text)) return undefined;
  const errand = ERRANDS.find(({ pattern }) => pattern.test(text));
  if (errand !== undefined) return beyond(errand.what, errand.instead);
  // "Alert the guards when somebody comes" is a watch that cannot reach them.
  if (MOMENT.test(text) && /\b(?:when(?:ever)?|if|as soon as|once|every time|each time|in case)\b/.test(text))
    return undefined;
  const named = withNames(reading);
  return MESSAGES.some((pattern) => pattern.test(named))
    ? beyond("send messages to other people or call them: I have no phone and no mail", ONLY_YOU)
    : undefined;
};

/** Plain words in which a name after the first word is marked. */
function withNames({ words, text, known }: Reading): string {
  const names = [
    ...words.matchAll(
      /(?<=\b(?:call|phone|ring|text|e-?mail|mail|message|tell|ask|remind|inform|warn|notify|alert|let|send|write|to|for) )[A-Z][\p{Ll}]+\b/giu,
    ),
  ];
  return names
    .map(([name]) => name)
    .filter(
      (name) =>
        /^\p{Lu}/u.test(name) && !known.cameras.some((camera) => camera.name.toLowerCase() === name.toLowerCase()),
    )
    .reduce((marked, name) => marked.replace(new RegExp(`\\b${name.toLowerCase()}\\b`), "@name"), text);
}

/** Verbs that some rule reads, or that a change may begin with. */
const READ: ReadonlySet<string> = new Set(
  "add adjust build compose configure construct create design develop generate implement install prepare produce program alert allow analyse analyze answer apply ask be begin calculate call cancel capture care change check choose consider continue count decrease delete deploy describe detect disable display do don't draw drop enable end exclude execute explain extend find finish follow forget get give go guard halt have help hide identify ignore include increase inform keep launch leave let limit list listen locate look lower make mark measure mention mind monitor move mute name note notify observe offer open pause pick ping place plot point prefer put raise read recall recognise recognize record reduce refer remember remind remove repeat replace report resume run save say scan search see select send set shorten show skip speak start stay stop store suggest sum summarise summarize suspend switch take talk tally tell test think track trigger try turn undo unmute update use validate verify view visualise visualize wait wake want warn watch wish work write".split(
    " ",
  ),
);
const IMPERATIVE = new RegExp(
  `${POLITE}([a-z]{3,}) (?:up |down |off |out |away |over )?(?:the|an?|my|our|your|his|her|their|this|that|these|those|it|them|him|all|some|more|at|to|for)\\b`,
);

/** Comes last: somebody is told to do something, and no rule knows the verb. */
export const readUnable: Rule = ({ text, slots, known }) => {
  const verb = IMPERATIVE.exec(text)?.[1];
  if (verb === undefined || READ.has(verb) || isClassWord(verb) || /(?:ing|ly|ed|s)$/.test(verb)) return undefined;
  const isName = known.cameras.some(({ name }) => name.toLowerCase().split(/[ _-]/).includes(verb));
  const isLimit = [slots.hours, slots.seconds, slots.atLeast, slots.model, slots.workflow].some(
    (value) => value !== undefined,
  );
  const isOther =
    /^(?:are|can|could|would|will|has|had|was|were|not|and|but|for|from|with|when|what|who|how|why|where|only|between|during|after|before|until|since|about|over|under|near|all|any|both|each|every|same|also|even|instead|rather|maybe|perhaps|yes|yeah|sure|right|left|top|bottom|middle|here|there|then|than|that|this|these|those|they|you|she|his|her|its|our|out|off|down|into|onto|through|across|behind|inside|outside|within|without|around|towards?|next|last|first|line|zone|today|tonight|night|morning|evening|noon|once|twice|too|not|never|always|just|like|because|unless|except|apart|thanks|thank|hello|good|great|nice|fine|sorry|wrong|correct|true|false|due|according|one|two|three|four|five|six|ten)$/.test(
      verb,
    );
  if (isName || isLimit || isOther) return undefined;
  return beyond(`"${verb}" anything: I can only watch`, YOU_ACT);
};

function beyond(what: string, instead: string): Act {
  return { kind: "beyond", what, instead, modelHelps: false };
}
