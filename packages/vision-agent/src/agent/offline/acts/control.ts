// stop, pause, resume, list
import type { Control, Listable } from "../intent.ts";
import { DEVICES, ERASES } from "./beyond.ts";
import { isQuestion, type Reading, type Rule, TELLS } from "./reading.ts";

const STOPS: readonly RegExp[] = [
  /\b(?:stop|halt|cancel|end|quit|abort|turn off|turn it off|switch off|switch it off|shut (?:down|off)|kill|disable|deactivate|get rid of|undo|scrap (?:it|that|this)|ditch (?:it|that|this)|forget about (?:it|that|this)|call (?:it |that |this )?off)\b/,
  /\b(?:remove|delete|clear|drop)\b.*\b(?:everything|all|pipelines?|counts?|watch(?:es)?|alerts?|tasks?|schedules?|reminders?|that|it|this|last)\b/,
  /\b(?:don't|do not|no longer|never|no need to|you (?:can|may) stop)\b.*\b(?:count|watch|track|monitor|observe|tell|alert|notify|guard|warn)\w*\b/,
  /^(?:no more|enough)\b/,
  /\b(?:everything|all(?: of (?:it|them|that))?|both|cameras?|pipelines?|watches|alerts|alarms) (?:completely |now )?off\b/,
  /\b(?:switch|turn|power|shut) (?:[\w-]+ ){1,4}off\b|\bshut (?:[\w-]+ ){1,4}down\b/,
];
const PAUSES = /\b(?:pause|suspend|hold|snooze|mute|take a break|put on hold)\b/;
const RESUMES =
  /\b(?:resume|continue|unpause|un-pause|go on|carry on|reactivate|re-enable|start again|restart|turn (?:it )?back on|unmute)\b/;

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
  if (PAUSES.test(text) && !/\bhold(?:s|ing)?\b (?!on|the|all|every)/.test(text)) return "pause";
  return STOPS.some((pattern) => pattern.test(text)) && !isThingThatStops(reading) ? "stop" : undefined;
}

/** A question, a limit such as "no more than one alert an hour", or a wish to be told. */
function isNoControl({ text, slots }: Reading): boolean {
  if (/^(?:why|when|did|has|have|how|is|are|was|were|what|which|who)\b/.test(text)) return true;
  if (/\b(?:don't|do not|never) (?:stop|end|cancel|quit|pause)\b/.test(text)) return true;
  if (slots.cooldownSeconds !== undefined || DEVICES.test(text) || ERASES.test(text)) return true;
  return TELLS.test(text) && /\b(?:when|if|whenever)\b/.test(text) && !ENDS_FIRST.test(text);
}

/** "a car stops at the dock", "count stop signs". */
function isThingThatStops({ text, slots }: Reading): boolean {
  if (/\bstop signs?\b/.test(text)) return !/\bstop (?:counting|watching|everything)\b/.test(text);
  const stops = /\bstop(?:s|ped)?\b(?= (?:for|there|in|at|longer)\b)/.test(text);
  return stops && slots.classes.length > 0 && !STOPS_FIRST.test(text);
}

function targetOf(text: string): "everything" | "pipelines" | "watches" | "tasks" | "named" {
  const all = /\b(?:everything|all|every|both|each)\b/.test(text);
  if (/\b(?:tasks?|schedules?|reminders?|scheduled|reports?|daily summary|summaries)\b/.test(text)) return "tasks";
  if (all && /\bpipelines?\b/.test(text)) return "pipelines";
  if (all && /\b(?:watches|alerts|alarms|notifications)\b/.test(text)) return "watches";
  return all ? "everything" : "named";
}

const LISTS: readonly (readonly [Listable, RegExp])[] = [
  ["cameras", /\b(?:what|which|list|show|how many|name)\b.*\bcameras\b|^(?:all )?(?:my |the )?cameras$/],
  [
    "tasks",
    /\b(?:what|which|list|show|any|how many)\b.*\b(?:tasks|schedules?|scheduled|reminders|jobs)\b|^(?:my |the )?(?:tasks|schedule|reminders)$/,
  ],
  [
    "alerts",
    /\b(?:list|show|what|which|any|how many|recent|last|latest)\b.*\b(?:alerts?|alarms?|notifications)\b(?!.*\b(?:set|active|running|rules)\b)|^(?:my |the |recent )?(?:alerts|alarms)$/,
  ],
  [
    "watches",
    /\b(?:what|which|list|show|any|how many)\b.*\bwatches\b|^(?:my |the )?watches$|\bwhat (?:are you|do you) (?:watching|watch|monitoring|guarding)\b|\bwhat(?:'s| is)(?: being)? (?:watched|monitored|guarded)\b|\bwhat (?:will|do|would) you (?:tell|alert|notify|warn) me\b|\b(?:which|what)\b.*\b(?:alerts|alarms|rules)\b.*\b(?:set|active|running|there)\b/,
  ],
  [
    "pipelines",
    /\b(?:list|status)\b|\b(?:what|which|anything|show)\b.*\b(?:running|active|pipelines?)\b|\b(?:what )?are you (?:doing|counting|running|watching)\b|\bwhat(?:'s| is)(?: being)? (?:counted|tracked|detected)\b|^(?:my |the )?pipelines$/,
  ],
];

export const readList: Rule = ({ text, slots }) => {
  if (TELLS.test(text) && /\b(?:when|if|whenever)\b/.test(text)) return undefined;
  const found = LISTS.find(([, pattern]) => pattern.test(text))?.[0];
  if (found === undefined) return undefined;
  if (found === "cameras" && /\b(?:running|active|watch\w*|count\w*|see|saw|seen|had|on)\b/.test(text))
    return undefined;
  if (found === "cameras" && slots.period !== undefined) return undefined;
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
