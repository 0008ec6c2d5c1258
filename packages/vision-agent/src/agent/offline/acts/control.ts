// stop, pause, resume
import type { Control } from "../intent.ts";
import { isShortStay } from "../slots/find-condition.ts";
import { isOfDevices } from "./beyond.ts";
import { type Reading, type Rule, tellsWhen } from "./reading.ts";

const STOPS: readonly RegExp[] = [
  /\b(?:stop|halt|cancel|end|quit|abort|turn off|turn it off|switch off|switch it off|shut (?:down|off)|kill|disable|deactivate|get rid of|scrap (?:it|that|this)|ditch (?:it|that|this)|forget (?:about (?:it|that|this)|the (?:last|previous) (?:one|\w+)|that (?:alert|watch|count|one))|call (?:it |that |this )?off)\b/,
  /\b(?:remove|delete|clear|drop|clean (?:up|out))\b.*\b(?:everything|all|pipelines?|counts?|watch(?:es)?|alerts?|tasks?|schedules?|reminders?|that|it|this|last|ones?)\b/,
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
  /\b(?:pause|suspend|hold|freeze|(?:take|give|have) (?:[\w-]+ ){0,4}(?:a )?(?:break|rest)|on (?:hold|ice|pause))\b/;
const RESUMES =
  /\b(?:resume|continue|unpause|un-pause|go on|carry on|reactivate|re-enable|start again|restart|(?:run|go|going|running|working) again|(?:turn|switch|put|bring) (?:[\w-]+ ){0,4}back(?: on)?)\b/;

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
  return tellsWhen(text) && !ENDS_FIRST.test(text);
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
