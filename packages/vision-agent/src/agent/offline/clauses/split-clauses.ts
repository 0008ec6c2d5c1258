// an instruction → the clauses in it, each with a verb of its own
import { TELLS } from "../acts/reading.ts";
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
const MARKS = new RegExp(`(?<=[.!?;\\n])\\s+|[;\\n]+\\s*|${DASH}`, "i");
const JOINTS = /(\s*:\s+|\s*,\s*(?:and then|and so|and|but|then|so)?\s+|\s+(?:and then|and also|and|but|then)\s+)/i;

export function beginsWithVerb(plain: string): boolean {
  return VERB.test(plain);
}

/** The text has its literals marked. Every clause keeps its spelling; one without a verb gets that of the one before it. */
export function splitClauses(text: string, cameras: readonly KnownCamera[], literals: Literals): readonly string[] {
  return joinAfterthoughts(text.split(MARKS).filter((sentence) => toPlainWords(sentence) !== "")).flatMap((sentence) =>
    splitSentence(sentence, (words) => findCameras(words, cameras, literals)),
  );
}

/** Why somebody wants it is no part of it. */
const REASON = /^(?:because|'?cause|cos) /i;

function splitSentence(sentence: string, cameras: (words: string) => CamerasFound): readonly string[] {
  const [first = "", ...others] = sentence.split(JOINTS);
  const clauses: string[] = [];
  let current = first;
  for (let at = 0; at < others.length; at += 2) {
    const [joint = " ", piece = ""] = [others[at], others[at + 1]];
    if (REASON.test(piece)) continue;
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
  if (!VERB.test(words) || CONDITION.test(earlier) || isAfterthought(words) || earlier === "") return false;
  return !LEADS.test(earlier) || findClasses(earlier.split(" ")).length > 0 || DOES.test(earlier);
}

/** "people on cam1 and cars and trucks on cam2": the cars go with the trucks. */
function belongsToNext(piece: string, next = "", cameras: (words: string) => CamerasFound): boolean {
  const { cameras: named, rest } = cameras(toPlainWords(piece));
  const isThing = named.length === 0 && findClasses(rest.split(" ")).length > 0 && rest.split(" ").length < 4;
  return isThing && namesBoth(next, cameras) && !/^(?:on|at|in|for|from|over|the)\b/.test(toPlainWords(next));
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
