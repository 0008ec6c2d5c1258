// a sentence → what kind it is, and how sure that is; learnt from the examples once, in milliseconds
import type { KindScores, KnownCamera } from "../intent.ts";
import { findCameras } from "../slots/find-cameras.ts";
import { classesAt } from "../words/class-words.ts";
import { readLiterals, toPlainWords } from "../words/plain-words.ts";
import { CONCEPTS } from "./concepts.data.ts";
import { EXAMPLE_CAMERAS, EXAMPLES, type SentenceKind } from "./kinds.data.ts";

export interface Example {
  readonly kind: SentenceKind;
  readonly text: string;
}

export const KINDS = Object.keys(EXAMPLES) as readonly SentenceKind[];

export function examples(): readonly Example[] {
  return KINDS.flatMap((kind) =>
    EXAMPLES[kind]
      .trim()
      .split(/ \| |\n/)
      .map((text) => ({ kind, text })),
  );
}

/** `words` are those of `markedWords`. */
export type Classifier = (text: string, words: readonly string[]) => KindScores;

const PASSES = 18;
const RATE = 0.8;
const DECAY = 2e-4;
const NO_WEIGHTS = new Float64Array();

/** A linear model (softmax regression) over words, their meanings, pairs of them and the shape of the sentence. No chance is involved. */
export function trainClassifier(from: readonly Example[]): Classifier {
  const ids = new Map<string, number>();
  const rows = from.map(({ kind, text }) => ({
    kind: KINDS.indexOf(kind),
    features: featuresOf(text, exampleWords(text)).map((name) => ids.get(name) ?? ids.set(name, ids.size).size - 1),
  }));
  const weights = Array.from({ length: ids.size }, () => new Float64Array(KINDS.length));
  const scoresOf = (features: readonly number[]): Float64Array => {
    const sums = new Float64Array(KINDS.length);
    for (const id of features)
      for (let kind = 0; kind < sums.length; kind += 1) sums[kind] = (sums[kind] ?? 0) + (weights[id]?.[kind] ?? 0);
    return softmax(sums, Math.sqrt(Math.max(1, features.length)));
  };
  for (let pass = 0; pass < PASSES; pass += 1) {
    const rate = RATE / (1 + pass / 8);
    // Far apart, because rows of one kind after another would pull the weights to and fro.
    for (const at of rows.keys()) {
      const { kind: right, features } = rows[(at * STRIDE) % rows.length] ?? { kind: 0, features: [] };
      const step = (rate * 4) / Math.sqrt(features.length);
      const changes = scoresOf(features).map((score, kind) => step * ((kind === right ? 1 : 0) - score));
      for (const id of features) {
        const weight = weights[id] ?? NO_WEIGHTS;
        for (let kind = 0; kind < weight.length; kind += 1)
          weight[kind] = (weight[kind] ?? 0) * (1 - DECAY) + (changes[kind] ?? 0);
      }
    }
  }
  return (text, words) => {
    const scores = scoresOf(featuresOf(text, words).flatMap((name) => ids.get(name) ?? []));
    return Object.fromEntries(KINDS.map((kind, at) => [kind, scores[at] ?? 0])) as KindScores;
  };
}

/** A prime that no number of examples is a multiple of. */
const STRIDE = 7919;

let trained: Classifier | undefined;

/** Learnt at the first sentence, then kept. */
export const classifySentence: Classifier = (text, words) => {
  trained ??= trainClassifier(examples());
  return trained(text, words);
};

export function likeliest(scores: KindScores): SentenceKind {
  return KINDS.reduce((best, kind) => (scores[kind] > scores[best] ? kind : best));
}

function softmax(sums: Float64Array, scale: number): Float64Array {
  const most = Math.max(...sums);
  const raised = sums.map((sum) => Math.exp((sum - most) / scale));
  const all = raised.reduce((sum, one) => sum + one, 0);
  return raised.map((one) => one / all);
}

const CONCEPT_OF: ReadonlyMap<string, readonly string[]> = (() => {
  const found = new Map<string, readonly string[]>();
  for (const [concept, words] of Object.entries(CONCEPTS))
    for (const word of words.split(" ")) found.set(word, [...(found.get(word) ?? []), `#${concept}`]);
  return found;
})();

const BEGINNING = 4;
const POLITE = /^(?:(?:please|and|so|ok|okay|now|hey|then|also|just|well|but|oh) )+/;
/** What tells an order from a statement. */
const SHAPES: readonly (readonly [string, RegExp])[] = [
  ["#wh", /^(?:what|which|who|whose|whom|why|where|how|when)\b/],
  ["#aux", /^(?:is|are|was|were|do|does|did|has|have|had|am|any|anyone|anybody)\b/],
  ["#modal", /^(?:can|could|would|will|should|may|shall)\b/],
  [
    "#of others",
    /^(?:the|my|our|his|her|their|this|that|there|he|she|they|it|you|nobody|somebody|people|a|an|@thing|@c)\b/,
  ],
  ["#of me", /^(?:i|we)\b(?! (?:want|need|would like|would love|prefer)\b)/],
  ["#wants", /^(?:i|we) (?:want|need|would like|would love|prefer)\b/],
  ["#perhaps", /\b(?:maybe|perhaps|might|think|guess|wonder|silly|one day|was going to|were going to|should)\b/],
  ["#negated", /\b(?:not|no|never|don't|doesn't|didn't|won't|nothing|nobody)\b/],
  [
    "#moment",
    /\b(?:tell|alert|warn|notify|ping|know|inform|shout|message|hear)\b.*\b(?:when|whenever|if|once|as soon as|about every|about any)\b/,
  ],
  [
    "#moment first",
    /^(?:when|whenever|if|once|as soon as|every time)\b.*\b(?:tell|alert|warn|notify|ping|know|inform|shout|message)\b/,
  ],
  ["#indirect", /\b(?:tell me|know|see|wonder|remind me|check|show me) (?:what|who|how|why|which|whether|where)\b/],
  ["#until", /\b(?:until|till|before|for the (?:rest|next)|while|this weekend|today)\b/],
];

/** `words` are those of `markedWords`: what is learnt of one camera, thing or figure holds for all. */
function featuresOf(text: string, words: readonly string[]): readonly string[] {
  const all = ["^", ...words, "$"];
  const plain = words.join(" ").replace(POLITE, "");
  const first = words.length - plain.split(" ").length;
  const shape = [
    ...(/\?\s*$/.test(text) ? ["#asks"] : []),
    ...(words.length < 4 ? ["#short"] : []),
    ...SHAPES.flatMap(([name, pattern]) => (pattern.test(plain) ? [name] : [])),
    `#first ${plain.split(" ")[0] ?? ""}`,
  ];
  const meant = words.map((word) => CONCEPT_OF.get(word) ?? []);
  const pairs = meant.flatMap((concepts, at) =>
    concepts.flatMap((one) => (meant[at + 1] ?? []).map((next) => `${one} ${next}`)),
  );
  const features = [
    ...words,
    ...meant.flat(),
    ...(meant[first] ?? []).map((concept) => `^${concept}`),
    ...pairs,
    ...all.slice(1).map((word, at) => `${all[at]} ${word}`),
    ...words.filter((word) => word.length > BEGINNING).map((word) => `${word.slice(0, BEGINNING)}~`),
    ...shape,
  ];
  return [...new Set(features)];
}

/** Plain words with marks for cameras, things, figures and addresses. */
export function markedWords(text: string, cameras: readonly KnownCamera[]): readonly string[] {
  const { text: marked, literals } = readLiterals(text);
  return markThings(findCameras(toPlainWords(marked), cameras, { ...literals, addresses: [] }).marked);
}

const EXAMPLE_CAMERA = new RegExp(`\\b(?:${EXAMPLE_CAMERAS.join("|")})\\b`, "g");

export function exampleWords(text: string): readonly string[] {
  return markThings(toPlainWords(readLiterals(text).text).replace(EXAMPLE_CAMERA, "@c"));
}

function markThings(marked: string): readonly string[] {
  const words = marked.split(/\s+/).filter((word) => word !== "");
  const found: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { length } = classesAt(words, at);
    const word = words[at] ?? "";
    if (length > 0) found.push("@thing");
    else if (/^@a\d/.test(word)) found.push("@address");
    else found.push(/\d/.test(word) && !word.startsWith("@") ? "@n" : word);
    at += Math.max(1, length);
  }
  return found;
}
