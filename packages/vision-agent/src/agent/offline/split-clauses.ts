// an instruction → the clauses in it, each with a verb of its own
import { findClasses } from "./class-words.ts";
import type { KnownCamera } from "./intent.ts";
import { type Literals, toPlainWords } from "./plain-words.ts";
import { type CamerasFound, findCameras } from "./slots/find-cameras.ts";

const VERB =
  /^(?:please |also |then |now |just |could you |can you |i want you to |and |but |afterwards )*(?:stop|halt|cancel|end|pause|resume|continue|unpause|watch|monitor|observe|guard|keep (?:an eye|watch|count)|count|tally|detect|track|look|show|describe|tell|alert|notify|warn|inform|let me know|ping|message|text me|e-?mail|call me|send|summar|sum up|give me|list|remember|remind|forget|run|use|start|what|which|who|how (?:many|is|are)|why|is there|are there|every (?:day|morning|evening|hour))/;
const CONDITION = /^(?:when(?:ever)?|if|as soon as|once|in case|should)\b/;
/** "People on the yard, tell me": the verb comes after its thing. */
const AFTERTHOUGHT =
  /^(?:please |then )*(?:(?:tell|inform|message) (?:me|us)|(?:alert|notify|warn|ping|remind)(?: me| us)?|let (?:me|us) know)(?: otherwise| if (?:so|not|(?:it|that) happens))?(?: please)?$/;
const MARKS = /(?<=[.!?;\n])\s+|[;\n]+\s*/;
const JOINTS = /(\s*,\s*(?:and then|and|but|then)?\s+|\s+(?:and then|and also|and|but|then)\s+)/i;

/** The text has its literals marked. Every clause keeps its spelling; one without a verb gets that of the one before it. */
export function splitClauses(text: string, cameras: readonly KnownCamera[], literals: Literals): readonly string[] {
  return text
    .split(MARKS)
    .filter((sentence) => toPlainWords(sentence) !== "")
    .flatMap((sentence) => splitSentence(sentence, (words) => findCameras(words, cameras, literals)));
}

function splitSentence(sentence: string, cameras: (words: string) => CamerasFound): readonly string[] {
  const [first = "", ...others] = sentence.split(JOINTS);
  const clauses: string[] = [];
  let current = first;
  for (let at = 0; at < others.length; at += 2) {
    const [joint = " ", piece = ""] = [others[at], others[at + 1]];
    if (opensClause(current, piece)) {
      clauses.push(current);
      current = piece;
    } else if (namesBoth(current, cameras) && namesBoth(piece, cameras)) {
      clauses.push(current);
      current = `${headOf(current, cameras)} ${piece}`;
    } else {
      current = `${current}${joint}${piece}`;
    }
  }
  return [...clauses, current];
}

/** A verb begins something new, unless what came before is the condition it waits for: "if a car comes, tell me". */
function opensClause(before: string, piece: string): boolean {
  const [earlier, words] = [toPlainWords(before), toPlainWords(piece)];
  return VERB.test(words) && !CONDITION.test(earlier) && !AFTERTHOUGHT.test(words) && earlier !== "";
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
