// text → tokens, corrected by what the provider reports
import type { LLMRequest, ModelProfile } from "../llm/llm-client.ts";

/** AF-19: how much room a text takes. */
export interface TokenCounter {
  readonly name: string;
  /** The same text always gives the same number: what it gives is kept. */
  text(text: string): number;
  /** Factor on `text` for this model, as far as is known. Default 1. */
  scale?(profile: ModelProfile): number;
  /** Takes a provider's report beside what was estimated for it, factor included. */
  learn?(profile: ModelProfile, estimated: number, actual: number): void;
  /** Asks the provider; used only close to a threshold. A rejection falls back to the estimate. */
  count?(request: LLMRequest, signal: AbortSignal): Promise<number>;
}

/** How characters become tokens. */
export interface CharCounterOptions {
  /** For a profile that states none. Default 3.5. */
  readonly charsPerToken?: number;
  /** Weight of the newest report, 0 to 1: more follows faster and wavers more. Default 0.3. */
  readonly weight?: number;
}

/** Reports outside of this are taken for a mistake. */
const SANE_SCALE = { least: 0.4, most: 4 } as const;

/** Characters by a ratio, which follows the reports of each model as a moving average. */
export function createCharCounter(options: CharCounterOptions = {}): TokenCounter {
  const { charsPerToken = 3.5, weight = 0.3 } = options;
  const learned = new Map<string, number>();
  const scale = (profile: ModelProfile): number =>
    learned.get(profile.id) ?? charsPerToken / (profile.charsPerToken ?? charsPerToken);
  return {
    name: "chars",
    text: (text) => Math.ceil(text.length / charsPerToken),
    scale,
    learn(profile, estimated, actual) {
      if (estimated <= 0 || actual <= 0) return;
      const old = scale(profile);
      const seen = Math.min(SANE_SCALE.most, Math.max(SANE_SCALE.least, (old * actual) / estimated));
      learned.set(profile.id, old + weight * (seen - old));
    },
  };
}

/** Words and signs: better than characters for code and lists, worse for languages without spaces. */
export function createWordCounter(): TokenCounter {
  return { name: "words", text: countWordTokens };
}

/** A word costs one token per six letters, a sign one, a character beyond Latin one. */
function countWordTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[A-Za-z\u00c0-\u024f]+|\d{1,3}|[^\sA-Za-z\u00c0-\u024f\d]/gu)) {
    tokens += Math.ceil(piece.length / 6);
  }
  return tokens;
}

/** Estimates as `base` does, and asks the provider when it is close to a threshold. */
export function createProviderCounter(
  base: TokenCounter,
  count: (request: LLMRequest, signal: AbortSignal) => Promise<number>,
): TokenCounter {
  return {
    name: `provider+${base.name}`,
    text: (text) => base.text(text),
    scale: (profile) => base.scale?.(profile) ?? 1,
    learn: (profile, estimated, actual) => base.learn?.(profile, estimated, actual),
    count,
  };
}

/** Head and tail of a text within a limit, with a mark between that says how much is gone. */
export function cutToTokens(text: string, maxTokens: number, counter: TokenCounter): string {
  if (counter.text(text) <= maxTokens) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const kept = Math.ceil((low + high) / 2);
    if (counter.text(cutText(text, kept)) <= maxTokens) low = kept;
    else high = kept - 1;
  }
  const cut = cutText(text, low);
  return counter.text(cut) <= maxTokens ? cut : "";
}

function cutText(text: string, kept: number): string {
  const tail = Math.floor(kept / 4);
  const head = text.slice(0, kept - tail).toWellFormed();
  const end = tail === 0 ? "" : text.slice(-tail).toWellFormed();
  return `${head}\n[… ${text.length - kept} characters left out …]\n${end}`;
}
