// model or offline interpreter + tools + prompt → the agent of this app
import {
  type AgentEvent,
  type AgentExecutor,
  type AgentExecutorOptions,
  createAgentExecutor,
  decorateClient,
  type LLMClient,
  type ModelProfile,
  type RequestConfig,
  relay,
} from "@vision-agent/agent-core";
import { type BudgetView, toDollars } from "./budget-view.ts";
import { createModelFallback, type ModelFallback, type ModelTier } from "./model-fallback.ts";
import { createOfflineClient, OFFLINE_MODEL, type OfflineClientOptions } from "./offline/offline-client.ts";
import { createPaidSummarizer } from "./paid-summarizer.ts";

/** A model with the defaults of its requests. */
export interface SpeakingModel {
  readonly model: string;
  readonly config?: RequestConfig;
  /** Absent: its calls are taken to cost nothing. */
  readonly price?: ModelProfile["price"];
}

/** Who answers. Chosen once at the start; when money is short the next one stands in, and says so. */
export type Speaker =
  | (SpeakingModel & {
      readonly mode: "model";
      readonly client: LLMClient;
      /** Stands in when the day's money is short. */
      readonly smaller?: SpeakingModel;
      /** Stands in when it is used up. */
      readonly offline?: OfflineClientOptions;
    })
  | ({ readonly mode: "offline" } & OfflineClientOptions);

export interface VisionAgentOptions extends Omit<AgentExecutorOptions, "llm" | "model" | "budget"> {
  readonly speaker: Speaker;
  /** Absent: there is no limit. */
  readonly budget?: NonNullable<AgentExecutorOptions["budget"]> & { readonly budgetView: BudgetView };
}

export interface VisionAgent {
  readonly executor: AgentExecutor;
  /** Told of everything that happens in any run. Must not throw. */
  onEvent(listener: (event: AgentEvent) => void): void;
  readonly mode: "model" | "offline";
  /** For people: the model's name, or that it is the offline interpreter. */
  readonly speaker: string;
}

const OFFLINE_SPEAKER = "offline interpreter";

export function createVisionAgent(options: VisionAgentOptions): VisionAgent {
  const { speaker, budget: given, onEvent, ...parts } = options;
  const budgetView = given?.budgetView;
  const budget = given && { ...given, budgetView: undefined };
  let fallback: ModelFallback | undefined;
  const listeners = new Set(onEvent && [onEvent]);
  const tell = (event: AgentEvent): void => {
    fallback?.note(event);
    for (const listener of listeners) listener(event);
  };
  const context = { ...parts.context, ...summarizerOf(options) };
  const toTier = (client: LLMClient, { model, config = {}, price }: SpeakingModel, note?: () => string): ModelTier => {
    const llm = note ? announcing(client, note) : client;
    // What costs nothing asks no ledger and no summary: it works on when the money is gone.
    const paid = model === OFFLINE_MODEL ? {} : { budget, context };
    const executor = createAgentExecutor({ ...parts, ...paid, llm, model, onEvent: tell });
    return { executor, config, price, visionMode: model === OFFLINE_MODEL ? "lenient" : undefined };
  };
  fallback = createModelFallback({ tiers: tiersOf(speaker, budgetView, toTier), budgetView });
  const isOffline = speaker.mode === "offline";
  return {
    executor: fallback,
    onEvent: (listener) => void listeners.add(listener),
    mode: speaker.mode,
    speaker: isOffline ? OFFLINE_SPEAKER : speaker.model,
  };
}

/** Nobody stands in for the configured model in silence. Answers that only call tools stay as they are. */
function announcing(client: LLMClient, note: () => string): LLMClient {
  return decorateClient(client, async function* (request, context) {
    const response = yield* relay(client.stream(request, context), context.signal);
    if (response.toolCalls.length > 0) return response;
    const text = `\n\n${note()}`;
    yield { type: "text", text };
    const { message, content } = response;
    const parts = [...message.parts, { type: "text" as const, text }];
    return { ...response, message: { ...message, parts }, content: content + text };
  });
}

/** The smaller model will do for a summary. */
function summarizerOf({ speaker, clock }: VisionAgentOptions): AgentExecutorOptions["context"] {
  if (speaker.mode === "offline") return {};
  const { client, smaller, model } = speaker;
  const summarizer = createPaidSummarizer({ llm: client, model: smaller?.model ?? model, clock });
  return { summarizer };
}

type ToTier = (client: LLMClient, model: SpeakingModel, note?: () => string) => ModelTier;

function tiersOf(
  speaker: Speaker,
  budgetView: BudgetView | undefined,
  toTier: ToTier,
): readonly [ModelTier, ...ModelTier[]] {
  if (speaker.mode === "offline") return [toTier(createOfflineClient(speaker), { model: OFFLINE_MODEL })];
  const { client, smaller, offline, model } = speaker;
  const best = toTier(client, speaker);
  if (budgetView === undefined) return [best];
  const note = (who: string) => (): string => {
    const { spentMicroUsd, limitMicroUsd } = budgetView.state();
    const used = `${toDollars(spentMicroUsd)} of ${toDollars(limitMicroUsd)}`;
    return `(The money for today is nearly used up, ${used}: ${who} answers in place of ${model} until midnight.)`;
  };
  return [
    best,
    ...(smaller ? [toTier(client, smaller, note(smaller.model))] : []),
    ...(offline
      ? [toTier(createOfflineClient(offline), { model: OFFLINE_MODEL }, note(`the ${OFFLINE_SPEAKER}`))]
      : []),
  ];
}
