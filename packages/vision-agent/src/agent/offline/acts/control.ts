// stop, pause, resume, list
import type { Control, Listable } from "../intent.ts";
import { isShortStay } from "../slots/find-condition.ts";
import { isOfDevices } from "./beyond.ts";
import { isQuestion, type Reading, type Rule, TELLS } from "./reading.ts";

const STOPS: readonly RegExp[] = [
  /\b(?:stop|halt|cancel|end|quit|abort|turn off|turn it off|switch off|switch it off|shut (?:down|off)|kill|disable|deactivate|get rid of|undo|scrap (?:it|that|this)|ditch (?:it|that|this)|forget (?:about (?:it|that|this)|the (?:last|previous) (?:one|\w+)|that (?:alert|watch|count|one))|call (?:it |that |this )?off)\b/,
  /\b(?:remove|delete|clear|drop|clean (?:up|out))\b.*\b(?:everything|all|pipelines?|counts?|watch(?:es)?|alerts?|tasks?|schedules?|reminders?|that|it|this|last)\b/,
  /\b(?:don't|do not|needn't|need not|no longer|never|no need (?:to|for)|not have to|you (?:can|may) stop)\b.*\b(?:count|watch|track|monitor|observe|tell|alert|notify|guard|warn|look(?:ing)? out|keep(?:ing)? an eye)\w*\b/,
  /\b(?:don't|do not|needn't|no longer|not|no need|no use)\b.*\b(?:any ?more|any longer)\b/,
  /\b(?:watch|alert|alarm|count|counter|counting|one|pipeline|it|that)\b (?:on (?:the )?[\w-]+ )?(?:can|may|should|must) (?:go(?: away)?|be (?:removed|stopped|deleted|dropped|ended)|end)\b/,
  /^(?:no more|enough|that's enough)\b/,
  /\b(?:(?:pack|jack) (?:it|that|this) in|knock (?:it|that|this) off|cut (?:it|that) out|leave off)\b/,
  /\b(?:wind|close|power) (?:[\w-]+ ){0,3}down\b|\bcall it a day\b|\bshut up shop\b/,
  /\b(?:everything|all(?: of (?:it|them|that))?|both|cameras?|pipelines?|watches|alerts|alarms) (?:completely |now )?off\b/,
  /\b(?:switch|turn|power|shut) (?:[\w-]+ ){1,4}off\b|\bshut (?:[\w-]+ ){1,4}down\b/,
];
const PAUSES =
  /\b(?:pause|suspend|hold|snooze|mute|freeze|(?:take|give|have) (?:[\w-]+ ){0,4}(?:a )?(?:break|rest)|on (?:hold|ice|pause))\b/;
const RESUMES =
  /\b(?:resume|continue|unpause|un-pause|go on|carry on|reactivate|re-enable|start again|restart|(?:run|go|going|running|working) again|(?:turn|switch|put|bring) (?:[\w-]+ ){0,4}back(?: on)?|unmute)\b/;

export const readControl: Rule = (reading) => {
  const control = controlOf(reading);
  if (control === undefined) return undefined;
  return { kind: control, what: targetOf(reading.text), words: reading.text };
};

const LEAD = "^(?:please |now |ok |okay |and |then |can you |could you |you can )*";
const ENDS_FIRST = new RegExp(`${LEAD}(?:stop|don't|do not|no longer|never|pause|cancel|end)`);
const STOPS_FIRST = new RegExp(`${LEAD}stop`);

function controlOf(reading: Reading): Control | undefined {
  const { text } = reading;
  if (isNoControl(reading)) return undefined;
  if (RESUMES.test(text) && !/\bstop\b/.test(text)) return "resume";
  if (PAUSES.test(text) && !/(?<!\bon )\bhold(?:s|ing)?\b (?!on|the|all|every)/.test(text)) return "pause";
  return STOPS.some((pattern) => pattern.test(text)) && !isThingThatStops(reading) ? "stop" : undefined;
}

/** "Don't stop" is an order to go on, "it doesn't stop buzzing" a complaint. */
const GOES_ON =
  /\b(?:(?:do|does|did|wo|ca|is|are|would)n't|(?:do|does|did|will|would|can|is|are) not|cannot|never) (?:ever )?(?:stop|end|cancel|quit|pause|remove|delete|change|touch|switch off|turn off)(?:s|ping)?\b/;

/** A question, a limit such as "no more than one alert an hour", or a wish to be told. */
function isNoControl({ text, slots }: Reading): boolean {
  if (/^(?:why|when|did|has|have|how|is|are|was|were|what|which|who)\b/.test(text)) return true;
  if (GOES_ON.test(text)) return true;
  // "You may stop there for ten minutes" says what is allowed.
  if (/\b(?:may|allowed|permitted|limit(?:ed)?)\b/.test(text) && slots.seconds !== undefined) return true;
  if (isShortStay(text)) return true;
  if (slots.cooldownSeconds !== undefined || isOfDevices(text)) return true;
  return TELLS.test(text) && /\b(?:when|if|whenever)\b/.test(text) && !ENDS_FIRST.test(text);
}

/** "a car stops at the dock", "count stop signs". */
function isThingThatStops({ text, slots }: Reading): boolean {
  if (/\bstop signs?\b/.test(text)) return !/\bstop (?:counting|watching|everything)\b/.test(text);
  const stops = /\bstop(?:s|ped)?\b(?= (?:for|there|in|at|longer)\b)/.test(text);
  return stops && slots.classes.length > 0 && !STOPS_FIRST.test(text);
}

function targetOf(text: string): "everything" | "pipelines" | "watches" | "tasks" | "named" {
  const all = /\b(?:everything|all|every|both|each|(?:whole|entire) (?:lot|thing|show)|the lot)\b/.test(text);
  if (/\b(?:tasks?|schedules?|reminders?|scheduled|reports?|daily summary|summaries)\b/.test(text)) return "tasks";
  if (all && /\bpipelines?\b/.test(text) && /\b(?:watches|alerts|alarms)\b/.test(text)) return "everything";
  if (all && /\bpipelines?\b/.test(text)) return "pipelines";
  if (all && /\b(?:watches|alerts|alarms|notifications)\b/.test(text)) return "watches";
  return all ? "everything" : "named";
}

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
    "alerts",
    /\b(?:list|show|what|which|when|any|how many|recent|last|latest)\b.*\b(?:alerts?|alarms?|notifications)\b(?!.*\b(?:set|active|running|rules)\b)|^(?:my |the |recent )?(?:alerts|alarms)$|\b(?:did|have) you (?:already )?(?:alert(?:ed)?|warn(?:ed)?|notif(?:y|ied)|tell|told) (?:me|us)\b(?!.*\babout\b)/,
  ],
  [
    "watches",
    /\b(?:what|which|list|show|any|how many)\b.*\bwatches\b|^(?:my |the )?watches$|\bwhat (?:are you|do you) (?:watching|watch|monitoring|guarding|keeping (?:an eye|watch))\b|\b(?:what(?:'s| is)|is anything)(?: being)? (?:watched|monitored|guarded)\b|\bwhat (?:exactly )?(?:will|do|would) you (?:tell|alert|notify|warn) me\b|\b(?:which|what)\b.*\b(?:alerts|alarms|rules)\b.*\b(?:set|active|running|there)\b/,
  ],
  [
    "pipelines",
    /\b(?:list|status)\b|\b(?:what|which|anything|show)\b.*\b(?:running|active|pipelines?)\b|\b(?:which (?:of (?:the|my|our) )?(?:cameras?|cams?)|where (?:is|are|does|do))\b.*\brun(?:s|ning)?\b|\b(?:what )?are you (?:doing|counting|running|watching|up to|busy with|working on)\b|\bwhat(?:'s| is)(?: being)? (?:counted|tracked|detected)\b|^(?:is|are) (?:the |my |that |your |it|everything|all)\b.*\b(?:running|active|working|paused)$|^(?:my |the )?pipelines$/,
  ],
];

/** What cameras do or show, where the question is not which there are. */
const OF_CAMERAS = /\b(?:run(?:s|ning)?|active|watch\w*|count\w*|see|saw|seen|had|on)\b/;
const ON_SYSTEM =
  /\bon (?:here|there|it|(?:this|that|the|my|our|your) (?:system|app|list|thing|network|dashboard|account|site|computer|machine|box|set-?up|place)|(?:this|that))\b/g;

export const readList: Rule = ({ text, slots }) => {
  if (TELLS.test(text) && /\b(?:when|if|whenever)\b/.test(text) && !isQuestion(text)) return undefined;
  // "Which cameras are running the check?" asks for what runs.
  const isOfWork = OF_CAMERAS.test(text.replace(ON_SYSTEM, " ")) || slots.period !== undefined;
  const found = LISTS.find(([what, pattern]) => pattern.test(text) && !(what === "cameras" && isOfWork))?.[0];
  if (found === undefined) return undefined;
  if (
    found === "alerts" &&
    !isQuestion(text) &&
    !/\b(?:list|show|recent|last|latest)\b|^(?:my |the )?(?:alerts|alarms)$/.test(text)
  )
    return undefined;
  if (found === "pipelines" && /\b(?:block|blocks)\b/.test(text)) return undefined;
  if (found === "pipelines" && slots.period !== undefined) return undefined;
  return { kind: "list", what: found };
};
