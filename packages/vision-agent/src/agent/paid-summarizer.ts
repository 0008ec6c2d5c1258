// messages that no longer fit → a cheap model, paid for → a text that stands for them
import {
  type CallBudget,
  type Clock,
  createLlmSummarizer,
  createPayingClient,
  type LLMClient,
  type Summarizer,
} from "@vision-agent/agent-core";

export interface PaidSummarizerOptions {
  readonly llm: LLMClient;
  readonly model: string;
  readonly clock: Clock;
  /** The same as the executor's. Absent: nothing is set aside. */
  readonly budget?: CallBudget | undefined;
}

/** Of the conversation, the newest: enough for what mattered, and cheap. */
const MOST_INPUT_TOKENS = 60_000;

/** VA-16. Rejects when the model fails or there is no room for it today: the loop then makes an outline by itself. */
export function createPaidSummarizer({ llm, model, clock, budget }: PaidSummarizerOptions): Summarizer {
  return {
    async summarize(messages, options) {
      const { contextWindow } = await llm.profile(model);
      let paidMicroUsd: number | undefined;
      const paying = createPayingClient({
        client: llm,
        budget,
        onPaid: ({ costMicroUsd }) => {
          if (budget) paidMicroUsd = costMicroUsd;
        },
      });
      const maxInputTokens = Math.min(MOST_INPUT_TOKENS, Math.floor(contextWindow / 2));
      const summary = await createLlmSummarizer({ llm: paying, model, clock, maxInputTokens }).summarize(
        messages,
        options,
      );
      return { ...summary, paidMicroUsd };
    },
  };
}
