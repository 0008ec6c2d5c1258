// what nobody can do here: each list is of groups of words that belong together, parts of a pattern where a word has several forms

export interface Limit {
  readonly pattern?: RegExp;
  /** A function where the thing itself belongs into the answer. */
  readonly what: string | ((found: string) => string);
  readonly instead: string;
  /** A language model would see or know more. */
  readonly modelHelps?: true;
}

/** What takes hands, a phone or a printer. */
export interface Errand extends Limit {
  /** An order, known by how it begins. */
  readonly order?: RegExp;
}

export const CAN = "I can look, count, watch and tell you.";
const YOU_ACT = "I can tell you when something happens, and you act.";

export const POLITE =
  "^(?:please |now |ok |okay |and |then |also |just |quickly |kindly |hey |can you |could you |would you |will you |you (?:can|should|could) |i (?:want|need|would like) you to |go (?:and )?)*";
const THE = "(?:(?:the|an?|my|our|your|his|her|their|this|that|these|those|all|both|some|more) )*";
const NOT_WATCHING = "(?!watch|count|track|monitor|tell|alert|notif|detect|look|follow)";

/** One pattern for several ways to say it; a `>` stands for the beginning of an order. */
function toPattern(...ways: readonly string[]): RegExp {
  return new RegExp(ways.map((way) => (way.startsWith(">") ? `${POLITE}(?:${way.slice(1)})` : way)).join("|"));
}

const SWITCHED =
  "(?:lights?|lamps?|volume|heating|heaters?|sirens?|music|radio|tv|television|ovens?|stove|sprinklers?|fans?|ac|air con\\w*|plugs?|sockets?|pump|machine)";
/** What is switched by hand, and is no pipeline. */
const DEVICES = toPattern(
  `\\b(?:turn|switch|power|put|shut)(?:ed|ing)?\\b.*\\b(?:on|off|up|down)\\b.*\\b${SWITCHED}\\b`,
  `\\b(?:turn|switch|power|put|shut|dim|light)\\b (?:(?!to\\b)[\\w-]+ ){0,3}${SWITCHED}\\b`,
);
/** Nobody is given a way to destroy what was kept. */
const ERASES = toPattern(
  "\\b(?:delete|erase|wipe|clear|remove|destroy|purge)\\b.*\\b(?:recordings?|videos?|footage|files?|notes?|events?|history|memor(?:y|ies)|pictures?|images?|photos?|data|logs?)\\b",
  "^(?:please )?forget (?:what i|everything (?:i|you)|all (?:i|my|the|your))\\b",
);

/** They are no control of pipelines. */
export function isOfDevices(text: string): boolean {
  return DEVICES.test(text) || ERASES.test(text);
}

/** Not a camera by its name only: "turn cam1 to the left". */
export const TURNING: Errand = {
  order: toPattern(
    `>(?:make|have|get) ${THE}(?:[\\w-]+ )?(?:cameras?|cams?)(?: to)? (?:look|face|turn|point|see|show)\\b`,
  ),
  pattern: toPattern(
    "\\b(?:zoom(?:ing)?(?: (?:in|out))?|pan|tilt(?:ed|ing)?|swivel)\\b",
    "\\b(?:turn|rotate|move|point|aim|swing|adjust|reposition|angle|focus|steer)(?:ing)? (?:(?!to\\b|on\\b|off\\b|it\\b|that\\b|watch|count|alert|from\\b)[\\w-]+ ){0,4}(?:cameras?|cams?|lens)\\b(?!.*\\boff\\b)",
    "\\b(?:cameras?|cams?)\\b.*\\b(?:be )?(?:turned (?:to|left|right|around)|moved|rotated|pointed|aimed|adjusted)\\b",
  ),
  what: "turn, tilt or zoom a camera: I see what it is pointed at and cannot move it",
  instead: `You can turn it, and I look again. ${CAN}`,
};

/** The first that fits is told. */
export const ERRANDS: readonly Errand[] = [
  {
    order: toPattern(">(?:rename|remove|delete) (?:[\\w-]+ ){0,3}(?:cameras?|cams?)\\b"),
    what: "rename or remove cameras",
    instead: "They stand in CAMERAS.md of the workspace: change it there, and I see it.",
  },
  TURNING,
  {
    order: toPattern(
      `>(?:lift|raise|lower|pull|roll|open|close|shut|lock|unlock|bolt|put|let)(?: up| down)? ${THE}(?:[\\w-]+ ){0,2}(?:doors?|gates?|windows?|garages?|barriers?|booms?|bollards?|blinds|curtains?|shutters?|hatch(?:es)?|fences?)\\b`,
    ),
    pattern: toPattern(
      "\\b(?:open|close(?! to\\b)|shut|lock|unlock|bolt)(?:ing)?\\b.*\\b(?:doors?|gates?|windows?|garages?|barriers?|blinds|curtains?|shutters?|locks?|safe)\\b",
    ),
    what: "open, close or lock doors, gates, barriers or windows: I can only watch",
    instead: YOU_ACT,
  },
  {
    order: toPattern(
      `>(?:let|buzz|wave) (?:${THE}(?!me\\b|us\\b)(?:[\\w-]+ ){1,2}|him |her |them )(?:in|through|pass|inside|out)\\b`,
    ),
    what: "let anybody in or out: I can only watch",
    instead: YOU_ACT,
  },
  {
    order: toPattern(`>(?:restart|reboot|reset|unplug|repair|fix|clean) ${THE}(?:[\\w-]+ )?(?:cameras?|cams?|lens)\\b`),
    what: "restart or repair a camera: I only see what it sends",
    instead: 'Ask "what is running?" to see how its pipelines stand.',
  },
  {
    order: toPattern(
      ">(?:post|upload|publish|share|tweet|print|fax|stream|broadcast|download|export|archive|back up) (?!it$|that$|(?:out )?(?:what|how|who|which|when)\\b|an? guard|guards|an? watch)",
    ),
    what: "publish, print or copy anything out",
    instead: "Pictures of events are in the dashboard, where you can take them.",
  },
  {
    order: toPattern(
      `>(?:record|film|videotape|tape)\\b(?! (?:how|the number|that|when|what))|(?:make|create|save|cut|produce|shoot|take|store) ${THE}(?:[\\w-]+ ){0,2}(?:clips?|time-?lapses?|time lapses?|recordings?|footage|gifs?|videos?|films?)\\b`,
    ),
    pattern: toPattern(
      "\\b(?:record|film|download|export|save)\\b.*\\b(?:videos?|clips?|footage|films?|recordings?)\\b",
    ),
    what: "record videos",
    instead: 'I keep a picture with each event. Say "watch" and the camera, and what happens there is kept.',
  },
  {
    order: toPattern(
      ">(?:erase|delete|wipe|forget|clear) (?:everything|all|anything|whatever)(?: that)? (?:you|i|we)\\b",
    ),
    pattern: ERASES,
    what: "delete what was recorded or noted",
    instead:
      "Events and their pictures go by themselves after the days in config.yaml; notes are files that you can edit.",
  },
  {
    order: toPattern(
      `>(?:start|stop|halt|restart|reboot|reset|press|push|pull|hit|activate|deactivate|trigger|ring|sound|blow|operate|fire up|(?:turn|switch|power|shut)(?: on| off| up| down)?) ${THE}${NOT_WATCHING}(?:[\\w-]+ ){0,2}(?:conveyors?|belts?|engines?|motors?|machines?|machinery|routers?|servers?|computers?|press(?:es)?|elevators?|cranes?|buttons?|levers?|switch(?:es)?|bells?|horns?|buzzers?|sirens?|(?:loud)?speakers?|(?:flood|spot)?lights?|lamps?|sprinklers?|pumps?|fans?|heating|heaters?|alarm system|fire alarm|printers?)\\b(?! (?:watch|alerts?|count|cameras?|pipeline|one)\\b)`,
    ),
    pattern: DEVICES,
    what: "switch lights or machines on or off: I can only watch",
    instead: YOU_ACT,
  },
  {
    order: toPattern(">(?:order|buy|purchase|pay|book|reserve|hire|sell) (?!of\\b|to\\b|by\\b|keeping\\b|in\\b)"),
    what: "order, book or pay for anything",
    instead: YOU_ACT,
  },
  {
    pattern: toPattern(
      "\\b(?:call|phone|dial|ring)\\b.*\\b(?:police|911|112|999|fire (?:brigade|department)|ambulance|doctor|security|mom|mum|dad|boss|neighbou?rs?)\\b",
      "\\bsend\\b (?:[\\w-]+ ){0,2}(?:ambulance|police|help|guards?|somebody|someone|security|fire brigade)\\b",
    ),
    what: "call anybody, not the police either: I have no phone",
    instead: YOU_ACT,
  },
  {
    pattern: toPattern(
      "\\b(?:order|buy|pay for|book) (?:me|us|an?|some)\\b",
      "^(?:please |can you |could you )*(?:feed|chase|bring|fetch|clean|scare|drive|cook|water|carry|pick up|wash|sweep|play|sing|speak|talk to|say|announce)\\b(?! (?:back|the (?:video|recording)))",
      "\\bmake (?:me|us) (?:an?|some) (?!(?:[\\w-]+ )?(?:alert|alarm|warning|notification|reminder|workflow|count|watch|pipeline|note|list|summary|report|picture|snapshot))",
    ),
    what: "do things by hand: I can only watch",
    instead: YOU_ACT,
  },
  // How a thing of the app stands, which may be called like a camera.
  {
    pattern: toPattern(
      "\\b(?:doors?|gates?|windows?|garages?|barriers?|shutters?|hatch|curtains?|blinds)(?: \\w+)?(?: (?:is|are|was|were|been|left|still|stays?|stands?|gets?|got))* (?:open(?:s|ed)?|clos(?:es|ed)|shut|locked|unlocked|ajar)\\b",
      "\\b(?:lights?|lamps?|ovens?|stoves?|taps?|machines?|engines?|heaters?|tvs?)(?: (?:is|are|was|were|been|left|still|stays?|gets?))* (?:on|off|burning|running|switched (?:on|off))\\b",
    ),
    what: "tell whether something is open or shut, on or off",
    instead: "I see things and people, where they are, how many and for how long.",
    modelHelps: true,
  },
];

/** Somebody who is not the one that speaks. A name is known by its capital. */
const OTHERS =
  "(?:my|our|the|his|her|their|him|them|police|security|everyone|everybody|somebody|someone|nine one one|911|112|999|@name)";
const NOTE =
  "(?:whats ?app|sms|e-?mails?|mail|texts?|text message|messages?|fax|letters?|telegram|notes?|pictures?|photos?|reports?|snapshots?|word|link)";
export const MESSAGES: readonly RegExp[] = [
  `>(?:call|phone|ring|dial|text|sms|whats ?app|e-?mail|mail|message|page|fax|contact|telephone)(?: up)? ${OTHERS}\\b`,
  `>(?:send|write|shoot|forward|leave) (?:(?:it|this|that|${THE}(?:[\\w-]+ )?${NOTE}) )+(?:[\\w-]+ ){0,3}?(?:to|for) ${OTHERS}\\b`,
  `>(?:send|write|shoot|forward|leave) (?:@name|him|her|them|${THE}(?!me\\b|us\\b|alert|alarm|notif|message)[\\w-]+) ${THE}(?:[\\w-]+ )?${NOTE}\\b`,
  `>(?:tell|ask|remind|inform|warn|notify|alert) ${OTHERS} (?!difference|time|(?:[\\w-]+ )?(?:cameras?|cams?|system|detector|model)\\b)`,
  `>let ${OTHERS}(?: [\\w-]+){0,2} know\\b`,
].map((way) => toPattern(way));

/** People of whom somebody speaks as of one. */
const KIN =
  "wife|husband|partner|sons?|daughters?|kids?|child|children|mother|father|mum|mom|dad|brother|sister|grand\\w+|aunt|uncle|cousin|boss|neighbou?rs?|friends?|ex|girlfriend|boyfriend|cleaner|gardener|landlord";
const SOMEBODY = "man|woman|person|guy|lady|chap|girl|boy|driver";
const COLLEAGUES = "employees?|staff|workers?|customers?|regulars?|neighbou?rs?|colleagues?|tenants?";

function wholeWords(groups: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${groups.join("|")})\\b`);
}

/** Who somebody is. */
export const NAMES: Limit = {
  pattern: wholeWords([
    "(?:recogni[sz]e|identify|know) (?:the )?(?:faces?|who|him|her|my (?:wife|husband|son|daughter|boss|neighbou?r|friend|kids?|mother|father))",
    "faces?",
    `who(?: is| was| are|'s) (?:that|this|it|he|she|they|the (?:${SOMEBODY}|visitor|people))`,
    "(?:his|her|their) names?",
    "what(?: is|'s) (?:he|she|the \\w+) called",
    `do you know (?:the|this|that) (?:${SOMEBODY})`,
    `one of (?:our|my|the) (?:${COLLEAGUES})`,
    "which (?:employee|worker|customer|neighbou?r|colleague|driver|resident|tenant)",
    "(?:a )?(?:man or (?:a )?woman|boy or (?:a )?girl|woman or (?:a )?man|girl or (?:a )?boy)",
    `(?<=\\b(?:when(?:ever)?|if|once|is|was|did|has|see|saw|spot) )(?:my|our) (?:${KIN})`,
    "(?:name|names|identity) of (?:the |each |every |this |that |these |those )?(?:person|people|man|men|woman|women|guys?|lad(?:y|ies)|chaps?|blokes?|girls?|boys?|kids?|driver|visitors?|customers?|intruders?)",
    "whether it(?:'s| is) (?:my|the) \\w+",
  ]),
  what: "tell people apart by name or face",
  instead: "I see that there is a person, how many, where, and for how long.",
};

/** By kind of wish: names, minds, ears, details of a thing. */
export const LIMITS: readonly Limit[] = [
  NAMES,
  {
    pattern: wholeWords([
      "licen[cs]e (?:plates?|numbers?)|number plates?|plate numbers?|registration",
      "read the|what does the (?:sign|label|plate|screen|paper|display|poster) say|text on",
      "serial number|barcode|qr code",
    ]),
    what: "read plates or text with the detector",
    instead:
      "I can tell you when a car comes or leaves. A saved workflow with text recognition can be run by its name.",
    modelHelps: true,
  },
  {
    pattern: wholeWords([
      "read (?:\\w+ )?minds?|(?:what|is|are) .*think(?:s|ing)|thoughts?|intentions?",
      "feel(?:s|ing)?(?! free)|emotions?|mood|happy|sad|angry|nervous",
      "suspicious(?:ly)?|drunk|dangerous",
      "lying(?! (?:on|at|in|there|around|by|outside|near|@c))",
    ]),
    what: (found) => `see what somebody thinks, feels or is up to, such as "${found}"`,
    instead: "I can tell you that somebody is there, or stays longer than a time you name.",
  },
  {
    pattern: wholeWords([
      "(?<=\\b(?:what|who)\\b(?!.*\\b(?:you|i)\\b).*)(?:talk(?:s|ing|ed)?(?: about| to)?|say(?:s|ing)?|said|discuss(?:es|ed|ing)?|chat(?:s|ted|ting)?|whisper(?:s|ed|ing)?)",
      "argu(?:e|es|ed|ing|ments?)|quarrel\\w*|conversations?",
      "hear(?! (?:about|of|from|when|if)\\b)|listen|sounds?(?! an? alarm| the alarm| good)|noise|audio",
      "voices?|barking|shouting|scream\\w*|gunshots?|decibels?",
      "temperatures?|degrees|celsius|fahrenheit",
      "how (?:cold|hot|warm|humid|loud|noisy|cool)|too (?:cold|hot|warm|humid|loud|noisy)",
      "smells?|humidity|air pressure|air quality|co2|gas leaks?|smells? of gas",
      "weighs?|weight|kilos?|litres?|liters?",
      "voltage|battery|wi-?fi",
    ]),
    what: (found) => `hear, smell or measure anything, so no "${found}"`,
    instead: `I see pictures only. ${CAN}`,
  },
  {
    pattern: wholeWords([
      "predict|forecast|next week|in the future",
      "will (?:[\\w-]+ ){0,3}(?:come|happen|rain|arrive)",
      "(?:going to|gonna|will it|about to) (?:rain|snow|storm|freeze|happen|come)",
      "weather|stock|news",
      "poem|joke|story|translate|recipe|password",
    ]),
    what: (found) => `say anything about "${found}": I read instructions about cameras`,
    instead: CAN,
    modelHelps: true,
  },
  {
    pattern: wholeWords([
      "(?:safety|protective|high[ -]vis\\w*|hi-?vis|face|ear|steel) (?:jackets?|goggles|boots|gear|glasses|shoes|muffs|plugs|shields?|equipment|harness(?:es)?)",
      "(?:safety |protective |high[ -]vis\\w* |hi-?vis |face )*(?:helmets?|hard ?-?hats?|vests?|gloves?|masks?|uniforms?)",
      "goggles|hair ?-?nets?|aprons?|overalls|coveralls",
      "respirators?|earmuffs|ear (?:protection|defenders)",
      "ppe|high[ -]vis\\w*|hi-?vis",
      "wearing|wears?|dressed|clothes|clothing",
    ]),
    what: (found) =>
      isWearing(found)
        ? "see what people wear: the detector finds people, not their clothes or safety gear"
        : `see safety gear such as "${found}": the detector finds people, not what they wear`,
    instead:
      'A model that was trained for it can: say "run my-workspace/hard-hat/3 on" and the camera, with the id of your model.',
    modelHelps: true,
  },
  {
    pattern: wholeWords([
      "colou?rs?|red|blue|green|yellow|white|black",
      "brand|make and model|bmw|audi|tesla|toyota",
      "speed(?:ing)?|how fast|faster than|too fast|km h|kmh|kph|mph",
      "gets? (?:dark|light)",
      "(?:doors?|gates?|windows?|garages?|shutters?|barriers?|hatch)\\b.*\\b(?:open|closed|shut|locked|unlocked|ajar)",
      "(?:lights?|lamps?) (?:[\\w-]+ ){0,3}(?:is|are|goes|go|went|turns?|gets?|stays?|still|left) (?:\\w+ )?(?:on|off|out)",
      "age|old is|gender|male|female",
      "how (?:tall|big|heavy|old|far|fast|wide|expensive|deep|high|long is (?:the|that|this))",
      "(?:lies|lying|lays|laying) (?:down|on the (?:floor|ground))",
      "falls?|fallen|falling|fell|collaps\\w+|faint(?:s|ed|ing)?|slips?|trips",
      "injur\\w+|bleed\\w*|drown\\w*",
      "vandali\\w+|fight(?:s|ing)?|stealing|steals?|theft|weapons?|guns?",
      "smok(?:e|ing)|flames?",
      "(?<!\\b(?:only|should|to|not|must|will|would|did|does|shall|doesn't) )fire(?! (?:extinguishers?|trucks?|doors?|exits?|for|when|if))",
      "rain(?:s|ing|y)?|snow(?:s|ing|y)?|storm\\w*|fog(?:gy)?|windy|sunny|wet|icy",
    ]),
    what: (found) => `tell such details as "${found}"`,
    instead: "I know classes of things, such as person or car, where they are, how many and for how long.",
    modelHelps: true,
  },
];

/** What people have on, where no piece of gear is named. */
export function isWearing(found: string): boolean {
  return /^(?:wear|dress|cloth)/.test(found);
}
