// count, watch, tell me when, detect
import type { Slots } from "../intent.ts";
import { isQuestion, MOMENT, type Rule, TELLS } from "./reading.ts";

const COUNTS =
  /\b(?:counts?|tally|counting|(?:have|get|want|like|need) (?:[\w-]+ ){1,5}counted|(?:set up|add|create|make|start|want|need|put|install) (?:me |us |up )?(?:an? )?(?:[\w-]+ )?counter|keep (?:a )?(?:count|tally)|(?:track|log|record|measure|register|note(?: down)?) (?:how many|the number)|(?:keep (?:tabs|track)|keep a record) (?:on|of) (?:how many|the number))\b/;
/** "I want to know how many pass each day": somebody has to count. */
const RATE = /\bhow many\b.*\b(?:per|each|every|an?) (?:hour|day|minute|week)\b/;
const WATCHES =
  /\b(?:watch(?:ing)?|monitor(?:ing)?|observe|guard|look out|watch out|keep(?:ing)? (?:an eye|watch|a watch)|be on the (?:lookout|look-out|watch)|(?:keep|have) (?:an? |your )?(?:sharp |close )?(?:look-?out|eyes?|tabs)|eyes on|keep (?:[\w-]+ ){1,4}(?:in (?:view|sight)|under (?:observation|surveillance))|supervise|surveil|protect)\b/;
const DETECTS =
  /\b(?:detect|(?:run|do|set up|start|want|need|perform|begin) (?:[\w-]+ ){0,3}(?:detection|detecting|tracking)|track|follow|locate|(?:care|am concerned) about|interested in)\b/;

/** Not one look, but from now on. */
const CONTINUES =
  /\b(?:all the time|all day(?: long)?|continuously|constantly|permanently|non-?stop|from now on|around the clock|keep (?:looking|searching|checking|scanning))\b/;

function detects(text: string): boolean {
  if (CONTINUES.test(text) && /\b(?:look|search|find|scan|check)\b/.test(text)) return true;
  return DETECTS.test(text) && !/\b(?:now|once|don't|not|no|nobody|never)\b/.test(text);
}

/** "I care about trucks that stay an hour" waits for the hour. */
function isLimited(text: string, { seconds, atLeast }: Slots): boolean {
  return (seconds !== undefined || atLeast !== undefined) && /\b(?:care|concerned|interested)\b/.test(text);
}

/** "Anybody on the yard at night - I want to know" asks nothing. */
function isOnlyAsked(text: string): boolean {
  return isQuestion(text) && !(TELLS.test(text) && /^any/.test(text));
}

/** "Tell me if anybody is there at the moment": one look answers it. */
function asksNow(text: string): boolean {
  return (
    /\b(?:if|whether)\b.*\b(?:there's|is|are|see)\b.*\b(?:now|at the (?:moment|minute)|currently|at present)(?: please)?(?: (?:on|in|at) .*)?$/.test(
      text,
    ) && !/\b(?:when(?:ever)?|from now|as soon as|stays?|longer|for (?:\d|an?))\b/.test(text)
  );
}

export const readStart: Rule = ({ text, bare, slots }) => {
  const polite = text.replace(
    /^(?:can|could|would|will) you (?:please )?|^please |^i (?:want|need|would like|'d like) you to /,
    "",
  );
  const tells = TELLS.test(polite) && MOMENT.test(polite.replace(TELLS, " "));
  if (tells && asksNow(polite)) return { kind: "look", howMany: false };
  if (tells) return { kind: "watch" };
  if (isOnlyAsked(polite)) return undefined;
  if (RATE.test(polite)) return { kind: "count" };
  if (/\b(?:how many|crossed)\b/.test(bare) && TELLS.test(polite)) return undefined;
  if (COUNTS.test(polite)) return { kind: "count" };
  if (WATCHES.test(polite)) return { kind: "watch" };
  if (detects(polite)) return { kind: isLimited(polite, slots) ? "watch" : "detect" };
  return tellsOfThing(polite, slots) ? { kind: "watch" } : undefined;
};

/** "Alert on people", "warn me about cars": a thing, and no moment. */
function tellsOfThing(text: string, { classes, when }: Slots): boolean {
  const says = classes.length > 0 || (when !== undefined && when !== "appears");
  return TELLS.test(text) && says && !/\b(?:what|how|who|which|where)\b/.test(text);
}
