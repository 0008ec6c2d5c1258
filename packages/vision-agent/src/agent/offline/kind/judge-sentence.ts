// a sentence → its kind with a confidence and whether it asks; a wish → whether it was understood, and the words it left over
import { MUTES } from "../acts/quiet.ts";
import { isQuestion } from "../acts/reading.ts";
import type { Act, Clause, Judgement, KnownCamera } from "../intent.ts";
import { hasAny } from "../slots/fill-slots.ts";
import { isShortStay } from "../slots/find-condition.ts";
import { toPlainWords } from "../words/plain-words.ts";
import { classifySentence, examples, likeliest, markedWords } from "./classify-sentence.ts";
import { FOREIGN } from "./foreign-words.data.ts";
import type { SentenceKind } from "./kinds.data.ts";
import { leftoverOf } from "./leftover.ts";

export function judgeSentence(text: string, cameras: readonly KnownCamera[]): Judgement {
  const words = markedWords(text, cameras);
  const scores = classifySentence(text, words);
  const letters = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isForeign = letters.filter((word) => FOREIGN.has(word)).length > letters.length / 3 || OTHER_SCRIPT.test(text);
  return { words, kind: likeliest(scores), scores, asks: asksByForm(text), isForeign };
}

const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Han}\p{Script=Arabic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]{2}/u;

const LEADS =
  /^(?:(?:please|and|so|ok|okay|now|hey|then|also|just|well|but|oh|right|hi|hello|sorry|excuse me|by the way) )+/;
const ASKS_FIRST =
  /^(?:(?:should|shall|may|might|must|can|could|would|will|do|did|am) (?:i|we|they|it|he|she|there|that|this|the|my|our)\b|(?:i wonder|i am wondering|any idea|do you|does|did|is|are|was|were|has|had|have (?:you|i|we|they|there)|which|who|whose|why|where|what(?! i (?:mean|meant|want|wanted|need|would))|how (?!about)|will (?:you|it|there)|would you (?:say|mind telling)|can you (?:see|hear|recogni[sz]e|tell (?:if|whether|what|which|who|how)|still)))/;
const REQUESTS_FIRST =
  /^(?:can|could|would|will) you\b|^(?:tell|let|alert|warn|notify|watch|count|start|begin|stop|pause|resume|remove|add|set|make|give|keep|run|use|remember|remind)\b/;

/** "Can you count the cars?" is a request, "should I add another camera?" is not. */
export function asksByForm(text: string): boolean {
  const plain = toPlainWords(text).replace(LEADS, "");
  if (isQuestion(plain) || /^(?:should|shall|may|might|must) (?:you|i|we)\b/.test(plain)) return true;
  if (ASKS_FIRST.test(plain)) return !TELLS_AFTER.test(plain);
  return /\?\s*$/.test(text) && !REQUESTS_FIRST.test(plain) && !TELLS_AFTER.test(plain);
}

/** "Anybody on the yard at night? Then tell me." */
const TELLS_AFTER =
  /(?<=\S )(?:tell|warn|inform|alert|notify|ping|message|let) (?:me|us)\b|\b(?:count|start|run|stop) (?:it|that|them)\b/;

/** Kinds that a sentence has to be of, where something is to change by it. */
const FITTING: Readonly<Partial<Record<Act["kind"], readonly SentenceKind[]>>> = {
  watch: ["wish", "change", "schedule"],
  count: ["wish", "change", "schedule"],
  detect: ["wish", "change"],
  run: ["wish", "change", "camera"],
  stop: ["stop", "change"],
  pause: ["stop", "change"],
  resume: ["stop", "wish", "change"],
  quiet: ["quiet", "stop", "change"],
  calmer: ["change"],
  remember: ["remember"],
  schedule: ["schedule", "wish"],
  camera: ["camera"],
  none: ["wish", "change"],
};

/** Below this nothing changes without a yes. */
const SURE = 0.5;
/** Acts of which every word has to be used. */
const WHOLE = new Set<Act["kind"]>(["watch", "count", "detect", "calmer", "none", "quiet"]);
const CONTROLS = new Set<Act["kind"]>(["stop", "pause", "resume"]);
/** Said by people who have not decided. */
const HEDGED =
  /\b(?:maybe|perhaps|might|i guess|not sure|what do you think|i think|don't think|wouldn't|^(?:well )?yes but|would be (?:silly|stupid|pointless)|was going to|were going to|one day|some day)\b/;
const CONDITION = /\b(?:if|when|whenever|unless|as soon as|in case|while)\b/;
/** Two conditions in one, one thing with or without another, the second one, the way from one camera to another: no watch keeps these. */
const UNKEPT: readonly RegExp[] = [
  /\b(?:when(?:ever)?|if|once|as soon as)\b.*\b(?:is|are|isn't|aren't|gets?|parks|comes)\b.*\band (?:the |an? |my )?[\w@-]+ (?:is|are|isn't|aren't|gets?|comes?|leaves?)\b/,
  /@thing (?:together )?with (?:[a-z]+ )?@thing/,
  /\b(?:first|second|third|\w+th|last) times?\b|\b(?:first|second|third) @thing/,
  /\btoo (?:many|few|much) @thing|\bonce (?:when|if)\b|\bno longer than\b|\bstops? (?:moving|working)\b/,
  /\bfrom (?:the )?(?:@c to (?:the )?@c|(?:left|right|top|bottom)\b(?!.*\bto\b))/,
  /\bbut (?:the |an? |my )?@thing (?:is|are|isn't|aren't)\b/,
];
/** Where neither two things nor a number of one are named. */
const AT_ONCE = /\b(?:simultaneously|at the same time|together)\b/;
/** Something is to be left out. */
const SPARES = /\b(?:leave|keep|take) (?:[\w-]+ ){1,3}out\b|\b(?:ignore|skip|exclude)\b/;
const NEGATIVE = /(?:^|\s)-\d/;

/** What was read of a wish may not be what is meant. */
function isDoubtful({ slots, words, judged, judgedWhole = judged }: Clause): boolean {
  const plain = toPlainWords(words);
  const marked = judgedWhole.words.join(" ");
  const { classes, excluded, way, near, when, hours } = slots;
  const isSpared = excluded.length > 0 || way !== undefined || isShortStay(plain);
  return (
    NEGATIVE.test(words) ||
    (hours !== undefined && hours.from === hours.to) ||
    (!isSpared && SPARES.test(marked)) ||
    slots.isOneDay === true ||
    (!hasAny(slots, "together", "atLeast") && AT_ONCE.test(plain)) ||
    slots.isLoose === true ||
    (when === "leaves" && way !== undefined && way !== "out") ||
    (near.length === 0 && slots.together === undefined && UNKEPT.some((pattern) => pattern.test(marked))) ||
    // "A car, but nobody with it" is no car that is missing.
    (when === "absent" && classes.some((name) => name !== "person") && /\b(?:nobody|no one|no-one)\b/.test(plain))
  );
}

/** By one of its judgements, the clause's own or that of all its words, it is of one of these kinds. */
function isSureOf({ judged, judgedWhole = judged }: Clause, kinds: readonly SentenceKind[]): boolean {
  return [judged, judgedWhole].some(({ scores }) => kinds.reduce((sum, kind) => sum + scores[kind], 0) >= SURE);
}

/** Whether the sentence is one that wants this done. */
export function isSure(clause: Clause): boolean {
  const { act, words, judged } = clause;
  const plain = toPlainWords(words);
  if (judged.asks) return false;
  // Nothing stops or counts by itself when something happens.
  const isOfNow = CONTROLS.has(act.kind) || act.kind === "count" || act.kind === "detect";
  if (HEDGED.test(plain) || (isOfNow && CONDITION.test(plain))) return false;
  // "Stop after Friday" is not now.
  if (act.kind === "stop" && hasAny(clause.slots, "days", "end")) return false;
  const steps = [clause, ...(clause.then ?? [])];
  if (WHOLE.has(act.kind) && steps.some((step) => isDoubtful(step) || leftoverOf(step).length > 0)) return false;
  if (act.kind === "mode") return act.isRequest;
  if (act.kind === "undo" || act.kind === "trial") return act.isPlain;
  if (act.kind === "rename" || act.kind === "place") return true;
  if (act.kind === "quiet" && (act.ends || MUTES.test(plain))) return true;
  return isSureOf(clause, FITTING[act.kind] ?? ["wish", "change", "stop"]);
}

/** The words for which nothing is done without a yes. */
export function unusedWords(clause: Clause): readonly string[] {
  return WHOLE.has(clause.act.kind) ? [clause, ...(clause.then ?? [])].flatMap((step) => leftoverOf(step)) : [];
}

let vocabulary: ReadonlySet<string> | undefined;

/** Words of a question that neither a slot nor any example holds: what is asked may be about them. */
export function unknownWords(clause: Clause): readonly string[] {
  vocabulary ??= new Set(examples().flatMap(({ text }) => toPlainWords(text).split(" ")));
  return leftoverOf(clause).filter((word) => vocabulary?.has(word) !== true);
}

const FEW_WORDS = 4;

/** Whether it changes what was made before. A few words that are all read need not look like a sentence. */
export function isSureChange(clause: Clause): boolean {
  const { act, judged, words, bare } = clause;
  const plain = toPlainWords(words);
  if (HEDGED.test(plain) || isDoubtful(clause) || leftoverOf(clause, true).length > 0) return false;
  const isFragment = bare === "" || plain.split(" ").length <= FEW_WORDS;
  if (isFragment && judged.scores.remark < SURE) return true;
  return isSureOf(clause, act.kind === "none" ? ["change"] : ["change", "wish", "stop"]);
}
