// quiet for a while, and who is at home
import { MODES, modeOf } from "../slots/find-days.ts";
import { isTimeOnly } from "../slots/find-end.ts";
import type { Rule } from "./reading.ts";

const UNMUTES =
  /\b(?:un-?mute|un-?silence|un-?snooze)\b|\b(?:end|stop|cancel|lift) (?:the )?(?:muting|mute|quiet|silence|snooze)\b|\byou (?:may|can) (?:speak|talk|tell me|alert me) again\b|\b(?:turn|switch|put|bring) (?:[\w-]+ ){0,4}(?:alerts?|alarms?|notifications?|messages?|sound)(?: (?!off\b)[\w-]+){0,3} back(?: on)?\b/;
/** These say it in so many words. */
export const MUTES = /\b(?:snooze|mute|silence|shush|be quiet)\b/;
const CLEAR = 0.5;

export const readQuiet: Rule = ({ text, judged, clock, hasImage }) => {
  // "Until Friday" alone says how long something lasts, not what.
  if (hasImage || isTimeOnly(text, clock)) return undefined;
  if (UNMUTES.test(text)) return { kind: "quiet", ends: true, words: text };
  const isQuiet = MUTES.test(text) || (judged.kind === "quiet" && judged.scores.quiet >= CLEAR);
  return isQuiet ? { kind: "quiet", ends: false, words: text } : undefined;
};

const LEAD = "^(?:(?:please|now|ok|okay|right|so|well|hey|bye|then|and|can you|could you|all right) )*";
const TAIL = "(?: (?:please|now|then|thanks|again|for (?:now|today|the day)|everyone|all))*$";
const NAME = `(${MODES.join("|")})`;
const SETS: readonly RegExp[] = [
  `(?:set|switch|change|put|turn|go|move)(?: it| yourself| everything| over)?(?: the)?(?: mode)? (?:to|into|in|on) (?:the )?(?:mode )?${NAME} mode`,
  `(?:set|switch|change|put)(?: the)? mode (?:to|on) ${NAME}`,
  `(?:activate|enable|use|start|enter) (?:the )?${NAME} mode`,
  `(?:mode )?${NAME} mode(?: on)?`,
  `mode(?: is)? ${NAME}`,
].map((words) => new RegExp(`${LEAD}(?:${words})${TAIL}`));
/** A mode of one's own. */
const OWN: readonly RegExp[] = [
  "(?:set|switch|change|put)(?: the| my| our)? mode (?:to|on) (?:the )?(?:mode )?([\\p{L}\\p{N}][\\p{L}\\p{N}_-]*)(?: mode)?",
  "(?:set|switch|change|put|turn|go)(?: it| everything| over)? (?:to|into|in|on) (?:the )?(?!own|other|same)([\\p{L}\\p{N}][\\p{L}\\p{N}_-]*) mode",
].map((words) => new RegExp(`${LEAD}(?:${words})${TAIL}`, "u"));
const SAYS: readonly (readonly [RegExp, string])[] = (
  [
    [
      "(?:i am|we are)(?: all| both| just)? (?:leaving|off|going out|heading (?:out|off)|going away|away|out)(?: to work| the house| of the house)?",
      "away",
    ],
    ["(?:i am|we are)(?: all| both)? (?:back home|back|home|at home)", "home"],
    ["(?:set|switch|change|put)(?: it| everything| over)? (?:to|on) home", "home"],
    ["(?:set|switch|change|put)(?: it| everything| over)? (?:to|on) away", "away"],
    ["(?:good night|(?:i am|we are) (?:going|off|heading) to (?:bed|sleep))", "night"],
  ] as const
).map(([words, mode]) => [new RegExp(`${LEAD}${words}${TAIL}`), mode] as const);

/** Asked for, it is set; said by the way, it is asked about. */
export const readMode: Rule = ({ text }) => {
  const set = SETS.map((pattern) => pattern.exec(text)?.[1]).find((mode) => mode !== undefined);
  if (set !== undefined) return { kind: "mode", mode: modeOf(set), isRequest: true };
  const own = OWN.map((pattern) => pattern.exec(text)?.[1]).find((mode) => mode !== undefined);
  if (own !== undefined) return { kind: "mode", mode: own, isRequest: true };
  const said = SAYS.find(([pattern]) => pattern.test(text))?.[1];
  return said === undefined ? undefined : { kind: "mode", mode: said, isRequest: false };
};
