// words → what somebody is said to do, where no detector can tell whether they do it
import { classesAt } from "../words/class-words.ts";

export interface Deed {
  /** As it was said: "scratches". */
  readonly words: string;
  /** Who is said to do it. */
  readonly by: readonly string[];
  /** What it is done to, where that is a class. */
  readonly to: readonly string[];
}

/** Words between who and what is done. */
const BETWEEN =
  /^(?:on|in|at|of|the|an?|my|our|your|his|her|their|by|near|from|to|into|onto|over|under|behind|before|beside|between|inside|outside|around|across|along|past|through|towards?|here|there|up|down|off|out|back|again|please|now|today|tonight|ever|also|too|only|just|either|both|all|any|each|every|and|or|but|who|that|which|is|are|was|were|be|been|being|has|have|had|gets?|got|still|already|suddenly|starts?|begins?|keeps?|tries|trying|wants?|always|else|actually|really)$/;
/** Being somewhere and moving there is what a detector sees. */
export const SEEN =
  /^(?:walk|driv|drove|go|goe|com|came|pass|roll|pull|mov|rid|stroll|wander|approach|arriv|return|visit|appear|enter|stay|leav|cross|stand|wait|park|show|turn|pop|stop|sneak|trespass|intrud|loiter|linger|head|exist|gather|collect|queu|line|lin|crowd|block|occup|pres|be|need|happen|remain|sit|lie|lay|lurk|prowl|roam|hang|creep|swing|step|get|reach|travel|cycl|land|fly|flie|swim|sail|do|did|doe|may|might|must|can|shall|should|will|would)(?:s|es|ed|ing|ting|ping|ning|ent|ies|nt)?$/;
const RUNS_SOMEWHERE = /^(?:in|into|out|past|by|through|across|around|away|up|down|along|towards?|over|off)$/;
const MOMENT = /^(?:when|whenever|if|once|time|case|soon|moment|minute|should)$/;

/** Undefined when nothing is done, or what is done can be seen. */
export function findDeed(text: string): Deed | undefined {
  const words = text.split(" ");
  for (let at = 0; at < words.length; ) {
    const { classes, length } = classesAt(words, at);
    if (length === 0) {
      at += 1;
      continue;
    }
    const next = afterBetween(words, at + length);
    const isPlural = /s$|^(?:people|men|women|children|folk|staff)$/.test(words[at + length - 1] ?? "");
    const isWaited = words.slice(0, at).some((word) => MOMENT.test(word));
    if (classesAt(words, next).length === 0)
      return isDeed(words, next, { isPlural, isWaited })
        ? { words: words[next] ?? "", by: classes, to: classesAfter(words, next) }
        : undefined;
    at = next;
  }
  return undefined;
}

function afterBetween(words: readonly string[], from: number): number {
  let at = from;
  while (at < words.length && (BETWEEN.test(words[at] ?? "") || /ly$/.test(words[at] ?? ""))) at += 1;
  return at;
}

function isDeed(
  words: readonly string[],
  at: number,
  who: { readonly isPlural: boolean; readonly isWaited: boolean },
): boolean {
  const word = words[at] ?? "";
  if (!/^[a-z]{3,}$/.test(word) || SEEN.test(word)) return false;
  if (/^(?:runs?|running|drops?|dropping)$/.test(word)) return !RUNS_SOMEWHERE.test(words[at + 1] ?? "");
  if (isParticiple(words, at) || isInfinitive(words, at)) return true;
  if (!who.isWaited) return false;
  return who.isPlural ? BARE_VERBS.has(word) : /[^su]s$/.test(word) && !NO_VERB.test(word);
}

/** "is dancing", "people juggling", "is unloaded". */
function isParticiple(words: readonly string[], at: number): boolean {
  const [before = "", word = ""] = [words[at - 1], words[at]];
  if (/.{2}ing$/.test(word)) return !NO_PARTICIPLE.test(word);
  return /[^e]ed$/.test(word) && !NO_PARTICIPLE.test(word) && /^(?:is|are|gets?|got|being|been|was|were)$/.test(before);
}

const NO_PARTICIPLE =
  /^(?:morning|evening|during|something|anything|nothing|everything|building|parking|allowed|supposed|permitted|expected|needed|wanted|required)$/;

/** "tries to climb". */
function isInfinitive(words: readonly string[], at: number): boolean {
  return words[at - 1] === "to" && /^(?:starts?|begins?|tries|trying|wants?)$/.test(words[at - 2] ?? "");
}

const NO_VERB =
  /^(?:this|its|his|hers|yours|always|minutes|seconds|hours|days|times|feet|alerts|others|perhaps|stairs|premises|steps|cameras)$/;

/** After "people" every verb looks like a noun: only those that are none. */
const BARE_VERBS: ReadonlySet<string> = new Set(
  "argue bark bite break bring burn carry chase chew clean climb close cook cough cry dance dig drink drop eat fall fight hide hit hug jump kick kiss knock laugh lift litter look open paint pee play poop push put read run scratch scream shake share shout sing sleep smile smoke sneeze spit steal swear swim take talk tamper throw touch type use vape wave wear whistle work write yell".split(
    " ",
  ),
);

function classesAfter(words: readonly string[], at: number): readonly string[] {
  const next = afterBetween(words, at + 1);
  return classesAt(words, next).classes;
}
