// words for what nobody can do here; each line is a group that belongs together

/** What is switched by hand, and is no pipeline. */
export const SWITCHED: readonly string[] = [
  "lights?|lamps?",
  "volume|heating|heaters?",
  "sirens?|music|radio|tv|television",
  "ovens?|stove|sprinklers?|fans?|ac|air con\\w*",
  "plugs?|sockets?|pump|machine",
];

/** What was kept, and stays. */
export const KEPT: readonly string[] = [
  "recordings?|videos?|footage|files?",
  "notes?|events?|history|memor(?:y|ies)",
  "pictures?|images?|photos?",
  "data|logs?",
];
export const ERASING: readonly string[] = ["delete|erase|wipe|clear|remove|destroy|purge"];

export const ZOOMING: readonly string[] = ["zoom(?:ing)?(?: (?:in|out))?|pan|tilt(?:ed|ing)?|swivel"];
/** What is done to a camera that turns. */
export const TURNING: readonly string[] = ["turn|rotate|move|point|aim|swing", "adjust|reposition|angle|focus|steer"];
export const TURNED: readonly string[] = ["turned (?:to|left|right|around)|moved|rotated|pointed|aimed|adjusted"];

export const OPENING: readonly string[] = ["open|close(?! to\\b)|shut|lock|unlock|bolt"];
export const OPENED: readonly string[] = [
  "doors?|gates?|windows?|garages?|barriers?",
  "blinds|curtains?|shutters?|locks?|safe",
];

export const RECORDING: readonly string[] = ["record|film|download|export|save"];
export const FOOTAGE: readonly string[] = ["videos?|clips?|footage|films?|recordings?"];

export const CALLED: readonly string[] = [
  "police|911|112|999|fire (?:brigade|department)|ambulance|doctor|security",
  "mom|mum|dad|boss|neighbou?rs?",
];
export const SENT_FOR: readonly string[] = ["ambulance|police|help|guards?|somebody|someone|security|fire brigade"];

/** Chores that take hands or a voice. */
export const CHORES: readonly string[] = [
  "feed|chase|bring|fetch|clean|scare|drive|cook|water|carry|pick up|wash|sweep",
  "play|sing|speak|talk to|say|announce",
];
/** What is made here without hands. */
export const MADE_HERE: readonly string[] = [
  "alert|alarm|warning|notification|reminder",
  "workflow|count|watch|pipeline",
  "note|list|summary|report|picture|snapshot",
];

/** What is open or shut, and what is on or off. */
export const CLOSABLE: readonly string[] = [
  "doors?|gates?|windows?|garages?|barriers?|shutters?|hatch|curtains?|blinds",
];
export const SWITCHABLE: readonly string[] = ["lights?|lamps?|ovens?|stoves?|taps?|machines?|engines?|heaters?|tvs?"];

/** People of whom somebody speaks as of one. */
export const KIN: readonly string[] = [
  "wife|husband|partner|sons?|daughters?|kids?|child|children",
  "mother|father|mum|mom|dad|brother|sister|grand\\w+|aunt|uncle|cousin",
  "boss|neighbou?rs?|friends?|ex|girlfriend|boyfriend",
  "cleaner|gardener|landlord",
];
export const SOMEBODY: readonly string[] = ["man|woman|person|guy|lady|chap|girl|boy|driver"];
export const COLLEAGUES: readonly string[] = [
  "employees?|staff|workers?|customers?|regulars?|neighbou?rs?|colleagues?|tenants?",
];
/** Who it is, not that somebody is there. */
export const WHO_IT_IS: readonly string[] = [
  "(?:recogni[sz]e|identify|know) (?:the )?(?:faces?|who|him|her|my (?:wife|husband|son|daughter|boss|neighbou?r|friend|kids?|mother|father))",
  "faces?",
  `who(?: is| was| are|'s) (?:that|this|it|he|she|they|the (?:${SOMEBODY.join("|")}|visitor|people))`,
  "(?:his|her|their) names?",
  "what(?: is|'s) (?:he|she|the \\w+) called",
  `do you know (?:the|this|that) (?:${SOMEBODY.join("|")})`,
  `one of (?:our|my|the) (?:${COLLEAGUES.join("|")})`,
  "which (?:employee|worker|customer|neighbou?r|colleague|driver|resident|tenant)",
  "(?:a )?(?:man or (?:a )?woman|boy or (?:a )?girl|woman or (?:a )?man|girl or (?:a )?boy)",
  `(?<=\\b(?:when(?:ever)?|if|once|is|was|did|has|see|saw|spot) )(?:my|our) (?:${KIN.join("|")})`,
  "(?:name|names|identity) of (?:the |each |every |this |that |these |those )?(?:person|people|man|men|woman|women|guys?|lad(?:y|ies)|chaps?|blokes?|girls?|boys?|kids?|driver|visitors?|customers?|intruders?)",
  "whether it(?:'s| is) (?:my|the) \\w+",
];

/** What is written somewhere. */
export const TEXT: readonly string[] = [
  "licen[cs]e (?:plates?|numbers?)|number plates?|plate numbers?|registration",
  "read the|what does the (?:sign|label|plate|screen|paper|display|poster) say|text on",
  "serial number|barcode|qr code",
];

/** What goes on in a head. */
export const MINDS: readonly string[] = [
  "read (?:\\w+ )?minds?|(?:what|is|are) .*think(?:s|ing)|thoughts?|intentions?",
  "feel(?:s|ing)?(?! free)|emotions?|mood|happy|sad|angry|nervous",
  "suspicious(?:ly)?|drunk|dangerous",
  "lying(?! (?:on|at|in|there|around|by|outside|near|@c))",
];

/** What takes ears, a nose or an instrument. */
export const SENSES: readonly string[] = [
  "(?<=\\b(?:what|who)\\b(?!.*\\b(?:you|i)\\b).*)(?:talk(?:s|ing|ed)?(?: about| to)?|say(?:s|ing)?|said|discuss(?:es|ed|ing)?|chat(?:s|ted|ting)?|whisper(?:s|ed|ing)?)",
  "argu(?:e|es|ed|ing|ments?)|quarrel\\w*|conversations?",
  "hear(?! (?:about|of|from|when|if)\\b)|listen|sounds?(?! an? alarm| the alarm| good)|noise|audio",
  "voices?|barking|shouting|scream\\w*|gunshots?|decibels?",
  "temperatures?|degrees|celsius|fahrenheit",
  "how (?:cold|hot|warm|humid|loud|noisy|cool)|too (?:cold|hot|warm|humid|loud|noisy)",
  "smells?|humidity|air pressure|air quality|co2|gas leaks?|smells? of gas",
  "weighs?|weight|kilos?|litres?|liters?",
  "voltage|battery|wi-?fi",
];

/** What is to come, and what has nothing to do with cameras. */
export const ELSEWHERE: readonly string[] = [
  "predict|forecast|next week|in the future",
  "will (?:[\\w-]+ ){0,3}(?:come|happen|rain|arrive)",
  "(?:going to|gonna|will it|about to) (?:rain|snow|storm|freeze|happen|come)",
  "weather|stock|news",
  "poem|joke|story|translate|recipe|password",
];

/** What is worn at work. */
export const GEAR: readonly string[] = [
  "(?:safety|protective|high[ -]vis\\w*|hi-?vis|face|ear|steel) (?:jackets?|goggles|boots|gear|glasses|shoes|muffs|plugs|shields?|equipment|harness(?:es)?)",
  "(?:safety |protective |high[ -]vis\\w* |hi-?vis |face )*(?:helmets?|hard ?-?hats?|vests?|gloves?|masks?|uniforms?)",
  "goggles|hair ?-?nets?|aprons?|overalls|coveralls",
  "respirators?|earmuffs|ear (?:protection|defenders)",
  "ppe|high[ -]vis\\w*|hi-?vis",
];
export const WEARING: readonly string[] = ["wearing|wears?|dressed|clothes|clothing"];

/** What a class does not tell of a thing. */
export const DETAILS: readonly string[] = [
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
];
