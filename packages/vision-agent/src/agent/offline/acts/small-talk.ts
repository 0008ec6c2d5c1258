// greetings, thanks, yes and no, help
import type { Rule } from "./reading.ts";

const YES =
  /^(?:yes|yeah|yep|yup|sure|ok|okay|fine|please do|do it|do that|go ahead|correct|right|exactly|agreed|yes please|sounds good|of course)(?: (?:please|do it|do that|go ahead|thanks|then))*$/;
const NO = /^(?:no|nope|nah|never mind|nevermind|forget it|don't|leave it|no thanks|no thank you|not now)$/;
const HELP =
  /^(?:help|\?)|\b(?:help me|what can (?:you|i)|how (?:do|does|can) (?:i|this|it|you)|commands|who are you|what are you(?! (?:doing|watching|counting|running|seeing))|examples?|what do you do|get started)\b/;
const HELLO =
  /^(?:hello|hi|hey|hallo|good (?:morning|afternoon|evening|day)|greetings|howdy)(?: (?:there|you|agent|again|everyone))*$/;
const THANKS = /\b(?:thanks|thank you|thx|cheers|well done|good job|great|perfect|awesome|nice)\b/;

export const readShortReply: Rule = ({ text }) => {
  if (YES.test(text)) return { kind: "yes" };
  return NO.test(text) ? { kind: "no" } : undefined;
};

/** Somebody is told too often. */
export const readCalmer: Rule = ({ text, slots }) =>
  slots.hours === undefined &&
  /\b(?:too (?:many|much|often|noisy|chatty|spammy)|less often|fewer (?:alerts|messages|notifications)|stop spamming|calm down|not so (?:often|many)|so many (?:alerts|messages)|annoy\w*|(?:spam|flood|nag|overwhelm)(?:s|m?ed|m?ing|ging)?(?: me)?|bother(?:s|ed|ing)? (?:me|us))\b|\b(?:get|getting|got) (?:one|alerts?|messages?|told|it|them) (?:every|all the time|constantly)\b/.test(
    text,
  )
    ? { kind: "calmer" }
    : undefined;

export const readSmallTalk: Rule = ({ text, slots }) => {
  if (HELP.test(text)) return { kind: "help" };
  if (HELLO.test(text)) return { kind: "greeting" };
  const bare = slots.cameras.length === 0 && slots.classes.length === 0;
  return bare && THANKS.test(text) ? { kind: "thanks" } : undefined;
};
