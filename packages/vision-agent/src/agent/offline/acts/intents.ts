// plain words of one clause → what is wanted: the first row of the table that fits
import type { Act, Listable } from "../intent.ts";
import { readBeyond, readErrand, readGlance } from "./beyond.ts";
import { readCamera } from "./cameras.ts";
import { readControl } from "./control.ts";
import { readRecall, readRemember, readSchedule } from "./memory-and-tasks.ts";
import { readBlocks, readRun } from "./models-and-blocks.ts";
import { readPlace } from "./places.ts";
import { COUNTS, readPast } from "./questions.ts";
import { readMode, readQuiet } from "./quiet.ts";
import { isQuestion, MOMENT, type Reading, type Rule, TELLS, tellsWhen } from "./reading.ts";
import { readStart } from "./starts.ts";
import { readPreview, readRename, readTrial, readUndo } from "./take-back.ts";

interface Cue {
  /** Words that give it away. */
  readonly says: RegExp;
  /** … and words that speak against it. */
  readonly not?: RegExp;
  readonly if?: (reading: Reading) => boolean;
}

function row(act: Act, { says, not, if: fits = () => true }: Cue): Rule {
  return (reading) => (says.test(reading.text) && not?.test(reading.text) !== true && fits(reading) ? act : undefined);
}

/** Kinds of sentences that the classifier is sure of, and that no pattern has to read. */
function byKind(
  kinds: readonly (Act["kind"] & Reading["judged"]["kind"])[],
  fits: (reading: Reading) => boolean,
): Rule {
  return (reading) => {
    const kind = kinds.find((one) => one === reading.judged.kind);
    const isClear = kind !== undefined && reading.judged.scores[kind] >= CLEAR && !reading.hasImage;
    return isClear && fits(reading) ? ({ kind } as Act) : undefined;
  };
}

const CLEAR = 0.5;

/** What cameras do or show, where the question is not which there are. */
const OF_CAMERAS = /\b(?:run(?:s|ning)?|active|watch\w*|count\w*|see|saw|seen|had|on)\b/;
const ON_SYSTEM =
  /\bon (?:here|there|it|(?:this|that|the|my|our|your) (?:system|app|list|thing|network|dashboard|account|site|computer|machine|box|set-?up|place)|(?:this|that))\b/g;

/** What there is of each; "which cameras are running the check?" asks for what runs. */
const LISTS: readonly (readonly [Listable, RegExp])[] = [
  [
    "cameras",
    /\b(?:what|which|list|show|how many|name)\b.*\b(?:cameras|cams)\b|\b(?:do (?:you|we|i) have|have (?:you|we) got|is there|are there)(?: an?| any)? (?:cameras?|cams?)\b|^(?:all )?(?:my |the )?(?:cameras|cams)$/,
  ],
  [
    "tasks",
    /\b(?:what|which|list|show|any|how many)\b.*\b(?:tasks|schedules?|scheduled|reminders|jobs)\b|^(?:my |the )?(?:tasks|schedule|reminders)$/,
  ],
  [
    "muted",
    /\b(?:what(?:'s| is| are)?|which|is anything|anything|list|show|are any)\b.*\b(?:muted|silenced|snoozed)\b/,
  ],
  [
    "watches",
    /\b(?:what|which|list|show|any|how many)\b.*\bwatches\b|^(?:my |the )?watches$|\b(?:what (?:do|will) you|are you)(?: still| already| even)? (?:watch(?:ing)?|monitor(?:ing)?|guard(?:ing)?|keep(?:ing)? (?:an eye|watch))\b|\b(?:what(?:'s| is)|is (?:anything|it|(?:the|my|our) [\w -]{1,30}?))(?: being)? (?:watched|monitored|guarded)\b|\bwhat (?:exactly )?(?:will|do|would) you (?:tell|alert|notify|warn) me\b|^(?:is|are) (?:the|my|that|any) .*\bwatch(?:es)?\b.*\b(?:on|off|active|running|set|still|enabled)\b|\bwould (?:make|cause|get) you (?:to )?(?:tell|alert|notify|warn)\b|\b(?:which|what)\b.*\b(?:alerts|alarms|rules)\b.*\b(?:set|active|running|there)\b/,
  ],
  [
    "alerts",
    /\b(?:list|show|what|which|when|any|how many|recent|last|latest)\b.*\b(?:alerts?|alarms?|notifications)\b(?!.*\b(?:set|active|running|rules)\b)|^(?:my |the |recent )?(?:alerts|alarms)$|\b(?:did|have) you (?:already |last |ever )?(?:alert(?:ed)?|warn(?:ed)?|notif(?:y|ied)|tell|told) (?:me|us)\b(?!.*\babout (?!the|that|this|him|her|it|them)\b)|\b(?:did you last|last time you) (?:alert(?:ed)?|warn(?:ed)?|notif(?:y|ied)) (?:me|us)\b/,
  ],
  [
    "pipelines",
    /\b(?:list|status)\b|\b(?:what|which|anything|show)\b.*\b(?:running|active|pipelines?)\b|\b(?:which (?:of (?:the|my|our) )?(?:cameras?|cams?)|where (?:is|are|does|do))\b.*\brun(?:s|ning)?\b|\b(?:what )?are you (?:doing|counting|running|up to|busy with|working on)\b|\bwhat(?:'s| is)(?: being)? (?:counted|tracked|detected)\b|^(?:is|are) (?:the |my |that |your |it|everything|all)\b.*\b(?:running|active|working|paused)$|^(?:my |the )?pipelines$/,
  ],
];

const readList: Rule = ({ text, slots }) => {
  if (tellsWhen(text) && !isQuestion(text)) return undefined;
  const isOfWork = OF_CAMERAS.test(text.replace(ON_SYSTEM, " ")) || slots.period !== undefined;
  const found = LISTS.find(([what, pattern]) => pattern.test(text) && !(what === "cameras" && isOfWork))?.[0];
  const isTold =
    found === "alerts" &&
    !isQuestion(text) &&
    !/\b(?:list|show|recent|last|latest)\b|^(?:my |the )?(?:alerts|alarms)$/.test(text);
  return found === undefined || isTold ? undefined : { kind: "list", what: found };
};

const TOTALS =
  /\b(?:how many|number of|the (?:count|total|numbers|figures)|count so far|results?|what (?:did|have) you count(?:ed)?|(?:who|what) (?:has |have )?(?:crossed|passed))\b/;
const CROSSING =
  /\b(?:cross\w*|pass\w*|went|gone|walked|drove|count|counted|so far|total|in and out|in or out|results?|figures)\b/;

const readTotals: Rule = ({ text, slots, known }) => {
  const isOther =
    /\bcameras\b|\bblocks?\b|^(?:please |can you |could you )*(?:count|keep|tally|track|log|record|note|register|measure|start|begin|set up)\b/;
  if (!TOTALS.test(text) || isOther.test(text) || (TELLS.test(text) && MOMENT.test(text))) return undefined;
  const isBare =
    slots.cameras.length === 0 && !slots.unknownCamera && !/\b(?:now|there|see|picture|image|photo)\b/.test(text);
  const isCounted = isBare && known.pipelines.some(({ counts }) => counts);
  return CROSSING.test(text) || isCounted ? { kind: "totals" } : undefined;
};

const readImage: Rule = ({ text, slots, hasImage }) => {
  const named =
    /\b(?:this|that|the|attached|my) (?:attached )?(?:image|picture|photo|snapshot|attachment|screenshot)\b/.test(text);
  const isMeant = named && /\b(?:this|attached)\b/.test(text) && !/\b(?:take|of the)\b/.test(text);
  const isFile = slots.cameras.some((camera) => /\.(?:jpe?g|png|bmp|webp)$/i.test(camera));
  return hasImage || isFile || isMeant ? { kind: "image" } : undefined;
};

const LOOKS: readonly RegExp[] = [
  /\b(?:see|show|look|describe|snapshot|picture|photo|image|capture|view|find|display|check)\b/,
  /\bhow (?:many|busy|full|crowded|empty)\b/,
  /\b(?:is|are) (?:there|any|anyone|anybody|someone|somebody|nobody)\b|\b(?:is|are) (?:that|the|it|they|my|people|cars)\b|\bare you sure\b/,
  /\bwhat(?:'s| is| are)?(?: is)? (?:there|happening|going on|on|in|at|up|visible)\b|\bwhat happens\b|\bwho(?:'s| is)\b/,
  /\b(?:does|is|are|do)\b.*\bcam(?:era)?s?\b.*\b(?:work|working|online|alive|ok|okay)\b/,
  /\bhow(?:'s| is| are| does) .*\b(?:look|looks|looking|doing)\b/,
  /^(?:is )?(?:anything|something) (?:new|happening|going on)\b/,
  /\bwhich (?:of (?:the|my|our) )?(?:cameras?|cams?)\b.*\b(?:has|have|sees?|shows?|with)\b/,
  /^(?:any|anyone|anybody)\b/,
];

const readLook: Rule = ({ text }) =>
  LOOKS.some((pattern) => pattern.test(text)) ? { kind: "look", howMany: COUNTS.test(text) } : undefined;

const isOfNothing = ({ slots }: Reading): boolean => slots.cameras.length + slots.classes.length === 0;

const DEEDS =
  "(?:do(?:ne|ing)?|been (?:doing|up to)|(?:re|un)?(?:chang|creat|mak|mad|remov|paus|resum|delet|schedul)(?:e|ed|ing)|(?:start|add|alter|adjust)(?:ed|ing)?|stop(?:ped|ping)?|cancel(?:l?ed)?|set up|modif(?:y|ied)|(?:switch|turn)(?:ed)? (?:on|off))";
/** "What did you do today?", "have you stopped anything since Monday?": of its own deeds, not of what a camera saw. */
const OWN_DEEDS = new RegExp(
  [
    `\\b(?:what|which [\\w-]+)(?: all| else| exactly)? (?:did|have|had|were) you (?:\\w+ )?${DEEDS}\\b`,
    `^(?:and |so )?(?:did|have|had) you (?:\\w+ )?${DEEDS} (?:anything|something|any)\\b`,
    "\\bchanges (?:(?:that|did|have|were|was|by) )*(?:you|made)\\b",
    "\\b(?:what|which|list|show)\\b.*\\b(?:your|the|all|you made) (?:own |last |latest |recent )?(?:changes|actions|deeds)\\b",
    "^(?:and |so )?what (?:was|were|has been|have been|got) (?:changed|altered|started|stopped|removed)\\b",
  ].join("|"),
);

const RULES: readonly Rule[] = [
  row(
    { kind: "yes" },
    {
      says: /^(?:yes|yeah|yep|yup|sure|ok|okay|fine|please do|do it|do that|go ahead|correct|right|exactly|agreed|yes please|sounds good|of course)(?: (?:please|do it|do that|go ahead|thanks|then))*$/,
    },
  ),
  row(
    { kind: "no" },
    {
      says: /^(?:no|nope|nah|never mind|nevermind|forget it|don't|leave it|no thanks|no thank you|not now|exit|quit|bye|goodbye)$/,
    },
  ),
  row(
    { kind: "help" },
    { says: /^(?:and |so |but )?(?:how (?:do|can|would|should) (?:i|we)|should i|do i (?:have|need) to)\b/ },
  ),
  ({ judged }) => (judged.isForeign ? { kind: "foreign" } : undefined),
  row(
    { kind: "why" },
    {
      says: /^(?:and |but |so )?why\b|\b(?:how come|what (?:is|was) the reason)\b/,
      if: ({ text }) =>
        /\b(?:told|tell|alert\w*|notif\w*|warn\w*|inform\w*|message|hear|nothing|not|alarm|fire\w*|suppress\w*|h[eo]ld back|withheld|silenced|muted|quiet|miss(?:ed)?)\b|n't\b/.test(
          text,
        ),
    },
  ),
  row(
    { kind: "current_mode" },
    {
      says: /^(?:and |so |hey )?(?:(?:what|which)(?:'s| is| are)?(?: the| my| our| your| other)*(?: current)? modes?\b(?! (?:to|for|does))|(?:is|are) (?:it|you|we) (?:in|on) (?:the )?[\w-]+ mode$)/,
    },
  ),
  readMode,
  readQuiet,
  readRename,
  readPlace,
  readPreview,
  readUndo,
  readTrial,
  readCamera,
  row({ kind: "list", what: "changes" }, { says: OWN_DEEDS }),
  readGlance,
  readErrand,
  readRemember,
  readRecall,
  readSchedule,
  // Somebody is told too often.
  row(
    { kind: "calmer" },
    {
      says: /\b(?:too (?:many|much|often|noisy|chatty|spammy)|less often|(?:fewer|less) (?:alerts|messages|notifications)|stop spamming|calm down|not so (?:often|many)|so many (?:alerts|messages)|annoy\w*|(?:spam|flood|nag|overwhelm)(?:s|m?ed|m?ing|ging)?(?: me)?|bother(?:s|ed|ing)? (?:me|us))\b|\b(?:get|getting|got) (?:one|alerts?|messages?|told|it|them) (?:every|all the time|constantly)\b/,
      if: ({ slots, text }) => slots.hours === undefined && !tellsWhen(text),
    },
  ),
  readControl,
  // Questions about the app itself.
  row(
    { kind: "health" },
    {
      says: /^(?:and |so |hey )?is (?:everything|it all|all|the system|anything)(?: still)? (?:ok|okay|fine|alright|all right|working|well|wrong|broken)$/,
    },
  ),
  byKind(["health", "cost"], (reading) => reading.slots.classes.length === 0 && !readBeyond(reading)),
  byKind(
    ["delivery"],
    (reading) =>
      !COUNTS.test(reading.text) &&
      (reading.slots.classes.length === 0 || /\b(?:alerts?|alarms?|messages?|notifications?)\b/.test(reading.text)) &&
      !readBeyond(reading),
  ),
  readBlocks,
  readRun,
  readList,
  row(
    { kind: "summary" },
    { says: /\b(?:summar(?:y|ies|i[sz]e)|sum up|recap|report (?:on|of|what)|overview|digest|wrap up|brief me)\b/ },
  ),
  readBeyond,
  readPast,
  readTotals,
  readStart,
  readImage,
  readLook,
  row(
    { kind: "help" },
    {
      says: /^(?:help|\?)|\b(?:help me|what can (?:you|i)|how (?:do|does|can) (?:i|this|it|you)|commands|who are you|what are you(?! (?:doing|watching|counting|running|seeing))|examples?|what do you do|get started)\b/,
    },
  ),
  row(
    { kind: "greeting" },
    {
      says: /^(?:hello|hi|hey|hallo|good (?:morning|afternoon|evening|day)|greetings|howdy)(?: (?:there|you|agent|again|everyone|dear|all|friend))*$/,
    },
  ),
  row(
    { kind: "thanks" },
    { says: /\b(?:thanks|thank you|thx|cheers|well done|good job|great|perfect|awesome|nice)\b/, if: isOfNothing },
  ),
];

/** Acts that change something, which no question does. */
const CHANGES: ReadonlySet<Act["kind"]> = new Set([
  ...([
    "watch",
    "count",
    "detect",
    "stop",
    "pause",
    "resume",
    "calmer",
    "remember",
    "schedule",
    "run",
    "mode",
    "rename",
    "place",
  ] as const),
]);

export function readAct(reading: Reading): Act {
  for (const rule of RULES) {
    const act = rule(reading);
    if (act !== undefined && !(reading.judged.asks && CHANGES.has(act.kind))) return act;
  }
  return { kind: "none" };
}
