import type { Act, Judgement, Known, Slots } from "../intent.ts";
import type { WallClock } from "../slots/find-period.ts";

/** One clause as the rules see it. */
export interface Reading {
  /** As it was written. */
  readonly words: string;
  /** Plain words. */
  readonly text: string;
  /** Without cameras, hours and limits. */
  readonly bare: string;
  readonly slots: Slots;
  readonly judged: Judgement;
  readonly known: Known;
  readonly clock: WallClock;
  /** A picture came with the message. */
  readonly hasImage: boolean;
  /** The message names a model of the person's own, in this clause or in another. */
  readonly hasModel: boolean;
}

/** Undefined when the clause means something else. */
export type Rule = (reading: Reading) => Act | undefined;

/** A question changes nothing, whatever words it holds. */
const QUESTION =
  /^(?:(?:and|so|ok|okay|hey|now|right|well|then) )*(?:what(?! i (?:meant?|want|wanted|need|would)\b)|which|who|whom|why|where|how (?:many|much|long|often|was|were|did)|when (?:did|do|was|were|is|has)|did|do you|does|has|have (?:you|there|any)|was|were|is|are|any|anything|anyone|anybody)\b/;

/** "When is nobody there for ten minutes, you inform me" waits, however it is built. */
export function isQuestion(text: string): boolean {
  return QUESTION.test(text) && !(/^when (?:is|do|has)\b/.test(text) && TELLS.test(text));
}

const WHO = "(?:me|us)";
const WISH = "(?:i|we)(?: would| am| are)? (?:want|need|like|love|wish|prefer|keen|should|have|ought)";
const NOTICE =
  "(?:alerts?|alarms?|warnings?|notifications?|notices?|messages?|heads[ -]?up|reminders?|pings?|push|word|texts?|sms|e-?mails?)";

/** Somebody wants to be told. */
export const TELLS = new RegExp(
  `\\b(?:${[
    `(?:tell|warn|inform|ping|message|text|e-?mail|call|buzz|wake|remind|page|phone|ring|push|nudge|poke|beep|whisper(?: to)?) ${WHO}`,
    `(?:alert|notify)(?: ${WHO})?`,
    `let ${WHO} (?:know|hear (?:about|of|when|if))`,
    "send (?:me |us )?(?:an? )?(?:alert|alarm|message|notification|picture|photo|note|e-?mail|text(?: message)?|sms|whats ?app|telegram|slack|push)",
    "(?:raise|sound|give|ring|set off) (?:an?|the) alarm",
    `give ${WHO} (?:a (?:shout|ring|sign|hint|ping|call|nudge|buzz|bell|tinkle|yell|knock)|an alert|a heads[ -]?up)`,
    `${WISH} to (?:know|hear(?! (?:the|what|voices|sounds))|learn|find out|be (?:told|notified|alerted|informed|warned|pinged|messaged))`,
    "(?:good|great|nice|helpful|handy|useful|important) to (?:know|hear|be told)",
    "(?:i|we) (?:should|must|need to|have to|ought to) (?:know|hear|be (?:told|notified|alerted|informed|warned))",
    "make sure (?:i|we) (?:know|hear|am told|are told|get told)",
    "keep (?:me|us) (?:posted|informed|updated)",
    "(?:get|be) in touch",
    "(?:make|take) a note (?=when|every time|each time|if|as soon)",
    `give (?:an? )?${NOTICE}`,
    "heads[ -]?up (?:when(?:ever)?|if|as soon as|once)",
    "(?:shout|holler)(?! at)",
    "(?:tell|warn|inform|ping|message|text|call|page|remind|phone) (?:my|our|the) [\\w-]+(?= (?:when|if|whenever|as soon|once|every time))",
    "let (?:my |our |the )?[\\w-]+ know(?= (?:when|if|whenever|as soon|once|every time))",
    `drop ${WHO} a (?:line|note|message)`,
    `(?:${WISH}|give ${WHO}|get ${WHO}|set up|create|make|add|trigger|issue|raise) (?:an? |some )?(?:\\w+ )?${NOTICE}`,
  ].join("|")})\\b`,
);
/** … at the moment something happens, not now. */
export const MOMENT =
  /\b(?:when(?:ever)?|if|as soon as|once|every time|each time|any time|in case|should|about(?: any| every)?|(?:of|for) (?:any|every|each)|the (?:moment|minute|second|instant))\b/;

/** It waits for something. */
export function tellsWhen(text: string): boolean {
  return TELLS.test(text) && /\b(?:when|if|whenever)\b/.test(text);
}
