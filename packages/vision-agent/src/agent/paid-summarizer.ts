// messages that no longer fit → a cheap model, paid for by the run → a text that stands for them
import { createLlmSummarizer, type LlmSummarizerOptions, type Summarizer } from "@vision-agent/agent-core";

/** Of the conversation, the newest: enough for what mattered, and cheap. */
const MOST_INPUT_TOKENS = 60_000;

/** VA-16. Rejects when the model fails or there is no room for it today: the loop then makes an outline by itself. */
export function createPaidSummarizer(options: Pick<LlmSummarizerOptions, "llm" | "model" | "clock">): Summarizer {
  return {
    async summarize(messages, given) {
      const { contextWindow } = await options.llm.profile(options.model);
      const maxInputTokens = Math.min(MOST_INPUT_TOKENS, Math.floor(contextWindow / 2));
      return createLlmSummarizer({ ...options, maxInputTokens }).summarize(messages, given);
    },
  };
}
