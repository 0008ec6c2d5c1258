// an instruction → the clauses in it, each with a verb of its own
import { OWN_PLANS, TELLS } from "../acts/reading.ts";
import type { KnownCamera } from "../intent.ts";
import { type CamerasFound, findCameras } from "../slots/find-cameras.ts";
import { findClasses } from "../words/class-words.ts";
import { type Literals, toPlainWords } from "../words/plain-words.ts";

const VERB =
  /^(?:please |also |then |now |just |could you |can you |i want you to |and |but |afterwards |for now |simply |instead |meanwhile |in the meantime |until then |so |well )*(?:stop|halt|cancel|end|pause|resume|continue|unpause|watch(?!es\b)|monitor|observe|guard|keep (?:an eye|watch|count)|count|tally|detect|find|locate|track|look|show|describe|tell|alert|notify|warn|inform|let me know|ping|message|text me|e-?mail|call me|send|summar|sum up|give me|list|leave (?!(?:\w+ ){1,2}out\b)|keep (?:the|my|our|this|that|it|them|all|both)|drop|remember|remind|forget|run|use|start|what|which|who|how (?:many|is|are)|why|is there|are there|every (?:day|morning|evening|hour))/;
/** A verb somewhere in it. */
const DOES =
  /\b(?:stop|pause|resume|watch|monitor|count|detect|track|show|tell|alert|notify|warn|summari[sz]e|run|use|start|give|want|need|care|interested|is|are|was|were)\b/;
const CONDITION = /^(?:when(?:ever)?|if|as soon as|once|in case|should)\b/;
/** What may stand around "tell me" where that is all a sentence says. */
const FILLER =
  /\b(?:please|critical|urgent|important|as|pls|plz|then|just|so|you|kindly|otherwise|if (?:so|not|(?:it|that) happens|(?:one|it|he|she|somebody) does|there is)|immediately|asap|right away|straight away|at once|quickly|about it|about that|and|also|i|would|like|want|need|thanks|thank|may|can|could|a|an|me|us|to|me|remind|know|be)\b/g;
/** A time or a place that begins a sentence: "every night from 11 until 5, tell me …". */
const LEADS =
  /^(?:(?:ok|okay|so|and|also|please|hi|hello) )*(?:every|each|daily|at|from|between|after|before|during|in|on|tonight|tomorrow|starting|until|overnight|outside|for)\b/;
/** Dashes between two things that are said, not between two days or hours. */
const DASH =
  "\\s+[–—-]+\\s+(?=(?:until|for now|meanwhile|in the meantime|what|which|who|how|and|but|if|when|please|just|only|so|can|could|would|i|it|that|the|no|not|make|let|tell|alert)\\b)";
/** "The dog is ours. Leave him out.": the second speaks of the first. */
const OF_IT =
  "(?!(?:please |so |just )*(?:leave|ignore|skip|exclude|forget|keep) (?:him|her|it|them|that|those) ?(?:out)?[.!,]?(?:\\s|$))";
/** "If you cannot do that, just say so." */
const ESCAPE =
  /^(?!.*\b(?:(?:don't|do not|haven't|have not) (?:see|seen|spot|notice|find|detect)|for (?:at least |over |more than )?(?:\d+|an?|[a-z]+|half an) (?:seconds?|minutes?|hours?|days?))\b)(?:and |but |or |only )*if (?:that|this|it|you)(?:'s| is| are| do)?(?: just| really)? ?(?:not|can't|cannot|can not|don't|isn't|aren't|impossible|unable|too)\b.*\b(?:say|tell|let me know|fine|ok|okay|no problem|forget it|never mind)\b/;
const MARKS = new RegExp(`(?<=[.!?;\\n])\\s+${OF_IT}|[;\\n]+\\s*|${DASH}`, "i");
const JOINTS = /(\s*:\s+|\s*,\s*(?:and then|and so|and|but|then|so)?\s+|\s+(?:and then|and also|and|but|then)\s+)/i;

/** The text has its literals marked. Every clause keeps its spelling; one without a verb gets that of the one before it. */
export function splitClauses(text: string, cameras: readonly KnownCamera[], literals: Literals): readonly string[] {
  return joinAfterthoughts(text.split(MARKS).filter(saysSomething)).flatMap((sentence) =>
    splitSentence(sentence, (words) => findCameras(words, cameras, literals)),
  );
}

function splitSentence(sentence: string, cameras: (words: string) => CamerasFound): readonly string[] {
  const [first = "", ...others] = sentence.split(JOINTS);
  const clauses: string[] = [];
  let current = first;
  for (let at = 0; at < others.length; at += 2) {
    const [joint = " ", piece = ""] = [others[at], others[at + 1]];
    const waits = CONDITION.test(toPlainWords(current));
    if (waits ? isConsequence(joint, piece, others.slice(at + 3)) : isReason(joint, piece, others[at + 3])) continue;
    if (opensClause(current, piece)) {
      clauses.push(current);
      current = piece;
    } else if (
      namesBoth(current, cameras) &&
      (namesBoth(piece, cameras) || belongsToNext(piece, others[at + 3], cameras))
    ) {
      clauses.push(current);
      current = `${headOf(current, cameras)} ${piece}`;
    } else {
      current = `${current}${joint}${piece}`;
    }
  }
  return [...clauses, current];
}

/** Why somebody wants it: ", because …", ", nobody has any business there", ", the kids are always about". */
const REASONS: readonly RegExp[] = [
  OWN_PLANS,
  /^(?:because|'?cause|cos|since (?:the|my|our|we|i|there|it|they|that)|as (?:my|our|we|i|there|it|they)) /,
  /^(?:nobody|no one|no-one)(?:'s| is| has| should have| ever)? (?:allowed|supposed|permitted|meant|belongs?|(?:any|no|got any) (?:business|reason|right|need)|needs? to|should|may|must|goes|ever)\b/,
  /^(?:it|that|this)(?:'s| is| gets) (?:far |much |way )?too \w+$/,
  /^(?:the|my|our|their|his|her|there|there's|it|it's|they|that|that's|people|folks?|everyone|everybody|kids) .*\b(?:always|all the time|all day|constantly|anyway|anyhow|full of|usually|normally|most of the time|every day)\b/,
];

/** It tells why, and wants nothing by itself. */
function isReason(joint: string, piece: string, next = ""): boolean {
  const words = toPlainWords(piece);
  const isWhy = /^\s*,\s+$/.test(joint) && REASONS.some((reason) => reason.test(words));
  // "…, the dog is always there, leave him out": it names what the next speaks of.
  return isWhy && !TELLS.test(words) && !LEAVES_OUT.test(words) && !LEAVES_OUT.test(toPlainWords(next));
}

const LEAVES_OUT = /\b(?:ignor(?:e|ing)|skip|exclude|leave|forget|except|only|don't|do not|so)\b/;

/** "If no dog comes for an hour, then surely it ran off, so tell me": what it means, between when and what to do. */
function isConsequence(joint: string, piece: string, after: readonly string[]): boolean {
  const words = toPlainWords(piece);
  const isMeant = /\bthen\b/i.test(joint) || CONCLUDES.test(words);
  return isMeant && !TELLS.test(words) && after.some((next) => TELLS.test(toPlainWords(next)));
}

const CONCLUDES =
  /^(?:then|for sure|surely|certainly|probably|most likely|it|that|this|which) (?:\w+ )?(?:means|must|will|probably|surely|certainly)\b|^(?:then|for sure|surely|certainly|probably|most likely|i know|something(?:'s| is| has))\b|\bmust (?:have|be)\b/;

function saysSomething(sentence: string, at: number): boolean {
  const plain = toPlainWords(sentence);
  return plain !== "" && (at === 0 || !ESCAPE.test(plain));
}

/** "Nobody at the setup for 5 minutes? Then warn me.": the second says what to do about the first. */
function joinAfterthoughts(sentences: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const sentence of sentences) {
    const before = joined.at(-1);
    if (before === undefined || TELLS.test(toPlainWords(before)) || !isAfterthought(toPlainWords(sentence)))
      joined.push(sentence);
    else joined.splice(-1, 1, `${before.replace(/[.!?;\s]+$/, "")}, ${sentence}`);
  }
  return joined;
}

/** "People on the yard, tell me": the verb comes after its thing. */
function isAfterthought(words: string): boolean {
  return TELLS.test(words) && words.replace(TELLS, " ").replace(FILLER, " ").trim() === "";
}

/** A verb begins something new, unless what came before is the condition it waits for, "if a car comes, tell me", or leads up to it. */
function opensClause(before: string, piece: string): boolean {
  const [earlier, words] = [toPlainWords(before), toPlainWords(piece)];
  const isListed = /\b(?:count|tally|track|log|register)\b.*\bhow many\b/.test(earlier) && /^how many\b/.test(words);
  if (isListed) return false;
  // "If you can't see gloves, count the people": no condition to wait for.
  const waits =
    CONDITION.test(earlier) &&
    !/^if (?:you|that|it|this) (?:can't|cannot|can not|don't|are not|isn't|is not|won't)\b/.test(earlier);
  if (!VERB.test(words) || waits || isAfterthought(words) || earlier === "") return false;
  return !LEADS.test(earlier) || findClasses(earlier.split(" ")).length > 0 || DOES.test(earlier);
}

/** "people on cam1 and cars and trucks on cam2": the cars go with the trucks. */
function belongsToNext(piece: string, next: string | undefined, cameras: (words: string) => CamerasFound): boolean {
  const { cameras: named, rest } = cameras(toPlainWords(piece));
  const isThing = named.length === 0 && findClasses(rest.split(" ")).length > 0 && rest.split(" ").length < 4;
  const isPlacedFirst = /^(?:on|at|in|for|from|over|the)\b/.test(toPlainWords(next ?? ""));
  return isThing && !isPlacedFirst && next !== undefined && namesBoth(next, cameras) && !VERB.test(toPlainWords(next));
}

/** It names a thing and a camera, so it is a wish of its own. */
function namesBoth(piece: string, cameras: (words: string) => CamerasFound): boolean {
  const found = cameras(toPlainWords(piece));
  return found.cameras.length > 0 && findClasses(found.rest.split(" ")).length > 0;
}

/** The words before the first thing, without a camera: "detect" of "detect people on cam1", "I want" of "on cam1 I want people". */
function headOf(clause: string, cameras: (words: string) => CamerasFound): string {
  const words = clause.trim().split(/\s+/);
  const at = words.findIndex((word) => findClasses([toPlainWords(word)]).length > 0);
  const head = words.slice(0, Math.max(0, at)).join(" ");
  const found = cameras(toPlainWords(head));
  return found.cameras.length === 0 ? head : found.rest.replace(/^(?:on|at|in|for|from|over)(?: the| my| our)? /, "");
}
