// messages that no longer fit → a cheap model, its worst case set aside first → a text that stands for them
import {
  type Clock,
  costMicroUsd,
  createCharCounter,
  createLlmSummarizer,
  type LLMClient,
  type LLMRequest,
  type Price,
  type RunBudgetOptions,
  requirePrice,
  type Summarizer,
  worstCaseMicroUsd,
} from "@vision-agent/agent-core";

export interface PaidSummarizerOptions {
  readonly llm: LLMClient;
  readonly model: string;
  readonly clock: Clock;
  /** The same as the executor's. Absent: nothing is set aside. */
  readonly budget?: Pick<RunBudgetOptions, "ledger" | "assumePrice">;
}

/** Of the conversation, the newest: enough for what mattered, and cheap. */
const MOST_INPUT_TOKENS = 60_000;

/** VA-16. Rejects when the model fails or there is no room for it today: the loop then makes an outline by itself. */
export function createPaidSummarizer({ llm, model, clock, budget }: PaidSummarizerOptions): Summarizer {
  return {
    async summarize(messages, options) {
      const { contextWindow, price } = await llm.profile(model);
      const budgetView = budget && openCallBudget(budget, model, price);
      const summarizer = createLlmSummarizer({
        llm: {
          run(request, context) {
            const call: Call = () => llm.run(request, context);
            return budgetView ? budgetView.pay(request, call) : call();
          },
        },
        model,
        clock,
        maxInputTokens: Math.min(MOST_INPUT_TOKENS, Math.floor(contextWindow / 2)),
      });
      const summary = await summarizer.summarize(messages, options);
      return budgetView ? { ...summary, paidMicroUsd: budgetView.paid() } : summary;
    },
  };
}

type Call = () => ReturnType<LLMClient["run"]>;

function openCallBudget(
  { ledger, assumePrice }: NonNullable<PaidSummarizerOptions["budget"]>,
  model: string,
  stated: Price | undefined,
) {
  const price = requirePrice({ model, ...(stated && { price: stated }), ...(assumePrice && { assumePrice }) });
  let paid = 0;
  return {
    paid: (): number => paid,
    async pay(request: LLMRequest, call: Call): ReturnType<Call> {
      const worstMicroUsd = worstCaseOf(request, price);
      const reservation = await ledger.reserve({ scopes: ["day"], worstMicroUsd, priority: "user" });
      try {
        const response = await call();
        paid = costMicroUsd(response.usage, price);
        await reservation.settle(paid);
        return response;
      } catch (thrown) {
        await reservation.release();
        throw thrown;
      }
    },
  };
}

function worstCaseOf({ system, messages, config }: LLMRequest, price: Price): number {
  const said = messages.flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")));
  const total = createCharCounter().text([...system.map(({ text }) => text), ...said].join("\n"));
  const tokens = { tools: 0, system: 0, state: 0, history: total, images: 0, total };
  return worstCaseMicroUsd({ tokens, source: "estimated" }, config?.maxTokens ?? 0, undefined, price);
}
