// count, watch, tell me when, detect
import { isQuestion, MOMENT, type Rule, TELLS } from "./reading.ts";

const COUNTS =
  /\b(?:count|tally|counting|keep (?:a )?(?:count|tally)|(?:keep (?:tabs|track)|keep a record) (?:on|of) (?:how many|the number))\b/;
const WATCHES =
  /\b(?:watch(?:ing)?|monitor(?:ing)?|observe|guard|look out|watch out|keep (?:an eye|watch|a watch)|be on the lookout|supervise|surveil|protect)\b/;
const DETECTS = /\b(?:detect|track|follow|locate|(?:care|am concerned) about|interested in)\b/;

export const readStart: Rule = ({ text, bare, slots }) => {
  const polite = text.replace(
    /^(?:can|could|would|will) you (?:please )?|^please |^i (?:want|need|would like|'d like) you to /,
    "",
  );
  const tells = TELLS.test(polite) && MOMENT.test(polite.replace(TELLS, " "));
  if (isQuestion(polite) && !tells) return undefined;
  if (tells) return { kind: "watch" };
  if (/\b(?:how many|crossed)\b/.test(bare) && TELLS.test(polite)) return undefined;
  if (COUNTS.test(polite)) return { kind: "count" };
  if (WATCHES.test(polite)) return { kind: "watch" };
  if (DETECTS.test(polite) && !/\b(?:now|once)\b/.test(polite)) return { kind: "detect" };
  // "alert on people", "warn me about cars": a thing, and no moment.
  return TELLS.test(polite) && slots.classes.length > 0 && !/\b(?:what|how|who|which|where)\b/.test(polite)
    ? { kind: "watch" }
    : undefined;
};
