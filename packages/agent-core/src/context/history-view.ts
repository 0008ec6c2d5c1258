// transcript → History: read, counted, rendered, pruned, summarised
import type { ModelProfile } from "../llm/llm-client.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { ArtifactRef, Part, Usage } from "../types/message.ts";
import { type ContextLine, type ContextView, toView } from "./history.ts";
import { type HistoryEntry, newestLines, toHistoryEntries, toLine } from "./history-entries.ts";
import { type RawSize, type SizeOptions, sizeOfMessages, sizeOfParts } from "./message-size.ts";
import { type PruningStrategy, planPruning } from "./pruning.ts";
import type { SummarizeOptions, Summarizer } from "./summarizer.ts";
import { createCharCounter, type TokenCounter } from "./token-counter.ts";

/** By what a history is measured. */
export interface HistoryOptions {
  /** Of the model that it is measured for. Default: no model in particular, text by its length and pictures at their dearest. */
  readonly profile?: ModelProfile;
  /** AF-19. Default `createCharCounter()`. */
  readonly counter?: TokenCounter;
  /** What is known of a picture. Default: nothing, so each counts as the most one can cost. */
  refOf?(id: string): ArtifactRef | undefined;
}

/** AF-18 … AF-23: a read view. What is added is appended to the transcript; pruning gives a new view and the line that records it. */
export interface History {
  readonly view: ContextView;
  /** Flat, oldest first. */
  entries(): readonly HistoryEntry[];
  tokenCount(): number;
  /** The newest entries within the limit, as text; `dropped` is how many lines are left out. */
  render(maxTokens: number): { readonly text: string; readonly dropped: number };
  /** X5: `line` is absent when the strategy had nothing to give, or need not. */
  prune(strategy: PruningStrategy, maxTokens: number): { readonly history: History; readonly line?: ContextLine };
  /** Of the messages from `start` up to `end`, without it. */
  summarize(
    range: { readonly start: number; readonly end: number },
    summarizer: Summarizer,
    options: SummarizeOptions,
  ): Promise<{ readonly text: string; readonly usage: Usage }>;
}

const ANY_MODEL: ModelProfile = {
  id: "any",
  provider: "any",
  contextWindow: Number.POSITIVE_INFINITY,
  maxOutput: Number.POSITIVE_INFINITY,
  supportsVision: true,
  supportsTemperature: true,
};

/** A view of these lines as they are now; lines written later need a new one. */
export function createHistory(
  entries: Iterable<TranscriptEntry | ContextLine>,
  { profile = ANY_MODEL, counter = createCharCounter(), refOf = () => undefined }: HistoryOptions = {},
): History {
  const view = toView(entries);
  const sizes: SizeOptions = { profile, counter, refOf };
  const scale = counter.scale?.(profile) ?? 1;
  const toTokens = ({ text, state, imageTokens }: RawSize): number => Math.ceil((text + state) * scale + imageTokens);
  const tokenCount = (): number => toTokens(sizeOfMessages(view.messages, sizes));
  const flat = (): readonly HistoryEntry[] => toHistoryEntries(view.messages);
  return {
    view,
    entries: flat,
    tokenCount,
    render(maxTokens) {
      const lines = flat().map((entry) => toLine(entry));
      return newestLines(lines, maxTokens, counter);
    },
    prune(strategy, maxTokens) {
      const current = tokenCount();
      const tokensOf = (parts: readonly Part[]): number => toTokens(sizeOfParts(parts, sizes));
      const edits = planPruning(view, strategy, { maxTokens, current, profile, tokensOf });
      if (edits.length === 0) return { history: createHistory(entries, sizes) };
      const line: ContextLine = { type: "view", epoch: view.epoch + 1, edits };
      return { history: createHistory([...entries, line], sizes), line };
    },
    summarize: ({ start, end }, summarizer, options) => summarizer.summarize(view.messages.slice(start, end), options),
  };
}
