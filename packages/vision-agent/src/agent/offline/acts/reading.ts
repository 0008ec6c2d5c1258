import type { Act, Known, Slots } from "../intent.ts";
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
  readonly known: Known;
  readonly clock: WallClock;
  /** A picture came with the message. */
  readonly hasImage: boolean;
}

/** Undefined when the clause means something else. */
export type Rule = (reading: Reading) => Act | undefined;

/** A question changes nothing, whatever words it holds. */
const QUESTION =
  /^(?:and |so |ok |okay |hey )?(?:what|which|who|whom|why|where|how (?:many|much|long|often)|when (?:did|do|was|were|is|has)|did|do you|does|has|have (?:you|there|any)|was|were|is|are|any|anything|anyone|anybody)\b/;

export function isQuestion(text: string): boolean {
  return QUESTION.test(text);
}

/** Somebody wants to be told. */
export const TELLS =
  /\b(?:tell (?:me|us)|alert(?: me| us)?|notify(?: me| us)?|let (?:me|us) know|warn (?:me|us)|inform (?:me|us)|ping (?:me|us)|message (?:me|us)|text (?:me|us)|e-?mail (?:me|us)|call (?:me|us)|send (?:me |us )?(?:an? )?(?:alert|alarm|message|notification|picture|photo|note|e-?mail|text|sms)|raise an? alarm|sound an? alarm|give me (?:a shout|an alert|a heads ?up)|i (?:want|need|would like|'d like) to (?:know|be (?:told|notified|alerted|informed|warned))|let (?:me|us) hear (?:about|of|when|if)|heads[ -]?up (?:when(?:ever)?|if|as soon as|once)|shout|holler|buzz (?:me|us)|drop (?:me|us) a (?:line|note|message)|give (?:me|us) a (?:shout|ring|sign|hint|ping)|remind (?:me|us)|wake (?:me|us)|(?:i (?:want|need|would like|'d like)|give (?:me|us)|get (?:me|us)|set up|create|make|add|trigger|issue|raise) (?:an? |some )?(?:\w+ )?(?:alerts?|alarms?|warnings?|notifications?|notice|heads[ -]?up|reminders?|ping))\b/;
/** … at the moment something happens, not now. */
export const MOMENT =
  /\b(?:when(?:ever)?|if|as soon as|once|every time|each time|any time|in case|should|about(?: any| every)?|of (?:any|every)|the moment)\b/;
