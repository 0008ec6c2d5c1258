// messages that no longer fit → a text that stands for them
import type { Message } from "../types/message.ts";
import { NO_USAGE, type Usage } from "../types/usage.ts";
import { newestLines, toHistoryEntries, toLine } from "./history-entries.ts";
import { createCharCounter, cutToTokens, type TokenCounter } from "./token-counter.ts";

/** What a summary may take and must keep. */
export interface SummarizeOptions {
  readonly maxTokens: number;
  /** What the summary must not lose. */
  readonly focus?: string;
  /** The summary of what came before these messages: the new one stands for both. */
  readonly previous?: string;
  readonly signal: AbortSignal;
}

/** AF-23. A rejection is mended with an outline, unless the signal fired. */
export interface Summarizer {
  summarize(messages: readonly Message[], options: SummarizeOptions): Promise<Summary>;
}

export interface Summary {
  readonly text: string;
  readonly usage: Usage;
  /** What it cost, where that is paid already. Absent: the usage is booked at the price of the run's model. */
  readonly paidMicroUsd?: number;
}

/** Characters of one entry: an outline says what happened, not all that was said. */
const OUTLINE_CHARS = 160;
/** Share of an outline that the one before it may take. */
const PREVIOUS_SHARE = 0.4;

/** Needs no model: one short line for everything that was said and done, the newest that fit. */
export function createOutlineSummarizer(counter: TokenCounter = createCharCounter()): Summarizer {
  return {
    async summarize(messages, { maxTokens, previous = "" }) {
      const before = cutToTokens(previous, Math.floor(maxTokens * PREVIOUS_SHARE), counter);
      const lines = toHistoryEntries(messages)
        .filter((entry) => entry.kind !== "AgentThinking")
        .map((entry) => toLine(entry, OUTLINE_CHARS).replaceAll("\n", " "));
      const { text } = newestLines(lines, maxTokens - counter.text(`${before}\n`), counter);
      return { text: [before, text].filter((piece) => piece !== "").join("\n"), usage: NO_USAGE };
    },
  };
}
