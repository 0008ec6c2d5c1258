// a sentence → its kind with a confidence, whether it asks, and the words of it that nobody can account for
import { isQuestion } from "../acts/reading.ts";
import type { Act, Clause, Judgement, KnownCamera, Slots } from "../intent.ts";
import { NUMBER } from "../slots/amounts.ts";
import { toPlainWords } from "../words/plain-words.ts";
import { classifySentence, examples, likeliest, markedWords } from "./classify-sentence.ts";
import { CONCEPTS } from "./concepts.data.ts";
import type { SentenceKind } from "./kinds.data.ts";
import { isSlipOf, leftoverOf } from "./leftover.ts";
import { ENGLISH, FOREIGN } from "./vocabulary.data.ts";

export function judgeSentence(text: string, cameras: readonly KnownCamera[]): Judgement {
  const words = markedWords(text, cameras);
  const scores = classifySentence(text, words);
  const foreign = words.filter((word) => FOREIGN.has(word) && !known().has(word)).length;
  const unexplained = words.filter((word) => !FOREIGN.has(word) && !isExplained(word));
  const isForeign = (foreign > 0 && foreign + unexplained.length >= words.length / 2) || OTHER_SCRIPT.test(text);
  const kind = likeliest(scores);
  return { words, kind, scores, asks: asksByForm(text), isForeign, unexplained: [...new Set(unexplained)] };
}

const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Han}\p{Script=Arabic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]{2}/u;

let vocabulary: ReadonlySet<string> | undefined;

function known(): ReadonlySet<string> {
  vocabulary ??= new Set([
    ...ENGLISH,
    ...Object.values(CONCEPTS).flatMap((words) => words.split(" ")),
    ...examples().flatMap(({ text }) => toPlainWords(text).split(" ")),
  ]);
  return vocabulary;
}

function isExplained(word: string): boolean {
  if (/^[@\d]|'/.test(word) || (word.length < 3 && !FOREIGN.has(word)) || isNumber(word)) return true;
  const isWord = (one: string): boolean => inflections(one).some((form) => known().has(form));
  return isWord(word) || word.split("-").every((part) => part.length < 3 || isWord(part));
}

function isNumber(word: string): boolean {
  return word.split("-").every((part) => NUMBER_WORD.test(part));
}

const NUMBER_WORD = new RegExp(`^${NUMBER}$`);

/** "parks", "parked" and "parking" are known where "park" is. */
function inflections(word: string): readonly string[] {
  return [
    word,
    `${word}s`,
    `${word}ing`,
    ...[/s$/, /es$/, /ed$/, /d$/, /ing$/, /ly$/, /'s$/].map((end) => word.replace(end, "")),
    word.replace(/ies$/, "y"),
    word.replace(/ing$/, "e"),
    word.replace(/(\w)\1(?:ed|ing)$/, "$1"),
  ];
}

const LEADS =
  /^(?:(?:please|and|so|ok|okay|now|hey|then|also|just|well|but|oh|right|hi|hello|sorry|excuse me|by the way) )+/;
const ASKS_FIRST =
  /^(?:(?:should|shall|may|might|must|can|could|would|will|do|did|am) (?:i|we|they|it|he|she|there|that|this|the|my|our)\b|(?:i wonder|i am wondering|any idea|do you|does|did|is|are|was|were|has|had|have (?:you|i|we|they|there)|which|who|whose|why|where|what(?! i (?:mean|meant|want|wanted|need|would))|how (?!about)|will (?:you|it|there)|would you (?:say|mind telling)|can you (?:see|hear|recogni[sz]e|tell (?:if|whether|what|which|who|how)|still)))/;
const REQUESTS_FIRST =
  /^(?:can|could|would|will) you\b|^(?:tell|let|alert|warn|notify|watch|count|start|begin|stop|pause|resume|remove|add|set|make|give|keep|run|use|remember|remind)\b/;

/** "Can you count the cars?" is a request, "should I add another camera?" is not. */
export function asksByForm(text: string): boolean {
  const plain = toPlainWords(text).replace(LEADS, "");
  if (isQuestion(plain)) return true;
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
  calmer: ["change"],
  remember: ["remember"],
  schedule: ["schedule", "wish"],
  camera: ["camera"],
  none: ["wish", "change"],
};

/** Below this nothing changes without a yes. */
const SURE = 0.5;
/** Each word that nobody can account for makes it less likely that the rest was understood. */
const DOUBT = 0.5;
/** … and less where something that runs is named: a reason often stands beside it. */
const CONTROL_DOUBT = 0.8;
/** Said by people who have not decided. */
const HEDGED =
  /\b(?:maybe|perhaps|might|i guess|not sure|what do you think|i think|don't think|wouldn't|would be (?:silly|stupid|pointless)|was going to|were going to|one day|some day)\b/;
/** Two conditions in one, of which a watch keeps only one. */
const TWO_CONDITIONS =
  /\b(?:when(?:ever)?|if|once|as soon as)\b[^.!?;]*\b(?:is|are|isn't|aren't|gets?|parks|comes)\b[^.!?;]*\band (?:the |an? |my )?[\w@-]+ (?:is|are|isn't|aren't|gets?|comes?|leaves?)\b/i;
/** What no watch keeps count of. */
const NTH_TIME = /\b(?:first|second|third|\w+th|last) times?\b/;
const CONDITION = /\b(?:if|when|whenever|unless|as soon as|in case|while)\b/;
/** Acts of which every word has to be used. */
const WHOLE = new Set<Act["kind"]>(["watch", "count", "detect", "calmer", "none"]);
const CONTROLS = new Set<Act["kind"]>(["stop", "pause", "resume"]);

/** Whether the answer names it: a thing that no detector finds, a camera that was misspelt. */
function isNamedBack(word: string, { thing = "", unknownCamera = "", unknownZone = "", cameras }: Slots): boolean {
  const isSlip = cameras.some((camera) => isSlipOf(word, camera));
  return (
    isSlip || `${thing} ${unknownCamera} ${unknownZone}`.split(" ").some((one) => one !== "" && word.startsWith(one))
  );
}

/** Acts whose words are a name or a text of their own, so that any word may stand there. */
const OWN_WORDS = new Set<Act["kind"]>(["remember", "schedule", "camera", "run"]);

/** By one of its judgements, the clause's own or that of all its words, it is of one of these kinds. */
function isSureOf({ act, slots, judged, judgedWhole = judged }: Clause, kinds: readonly SentenceKind[]): boolean {
  const doubt = CONTROLS.has(act.kind) ? CONTROL_DOUBT : DOUBT;
  return [judged, judgedWhole].some(({ scores, unexplained }) => {
    const fitting = kinds.reduce((sum, kind) => sum + scores[kind], 0);
    if (OWN_WORDS.has(act.kind)) return fitting >= SURE;
    const unread = unexplained.filter((word) => !isNamedBack(word, slots));
    return fitting * doubt ** unread.length >= SURE;
  });
}

/** Whether the sentence is one that wants this done. */
export function isSure(clause: Clause): boolean {
  const { act, words } = clause;
  const plain = toPlainWords(words);
  // Nothing stops by itself when something happens.
  const isConditional = CONTROLS.has(act.kind) && CONDITION.test(plain);
  if (HEDGED.test(plain) || NTH_TIME.test(plain) || TWO_CONDITIONS.test(words) || isConditional) return false;
  if (act.kind === "camera" && act.isGuess) return false;
  if (WHOLE.has(act.kind) && leftoverOf(clause).length > 0) return false;
  return isSureOf(clause, FITTING[act.kind] ?? ["wish", "change", "stop"]);
}

/** The words for which nothing is done without a yes. */
export function unusedWords(clause: Clause): readonly string[] {
  const { act, judged } = clause;
  if (OWN_WORDS.has(act.kind)) return [];
  return [...new Set([...judged.unexplained, ...(WHOLE.has(act.kind) ? leftoverOf(clause) : [])])];
}

const FEW_WORDS = 4;

/** Whether it changes what was made before. A few words that are all read need not look like a sentence. */
export function isSureChange(clause: Clause): boolean {
  const { act, judged, words } = clause;
  const plain = toPlainWords(words);
  if (HEDGED.test(plain) || leftoverOf(clause, true).length > 0) return false;
  const isFragment = plain.split(" ").length <= FEW_WORDS && judged.unexplained.length === 0;
  if (isFragment && judged.scores.remark < SURE) return true;
  return isSureOf(clause, act.kind === "none" ? ["change"] : ["change", "wish", "stop"]);
}
