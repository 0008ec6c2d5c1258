// a call → its worst case set aside → the call → what it really cost
import { decorateClient, relay } from "../llm/decorated-client.ts";
import type { CallContext, LLMClient, LLMRequest, ModelProfile, Price } from "../llm/llm-client.ts";
import { toMaxTokens } from "../llm/tool-wire.ts";
import { agentError } from "../types/errors.ts";
import { NO_USAGE, type Part, type Usage } from "../types/message.ts";
import type { BudgetLedger, Priority, ScopeState } from "./budget-ledger.ts";
import { costMicroUsd, requirePrice, worstCaseMicroUsd } from "./price.ts";

/** Out of what calls are paid. */
export interface CallBudget {
  readonly ledger: BudgetLedger;
  /** For a model whose price nobody stated; choose it too high rather than too low. Absent: such a model is refused. */
  readonly assumePrice?: Price;
}

/** Who pays for the calls of a client, and who hears of it. */
export interface PayingClientOptions {
  readonly client: LLMClient;
  /** Absent: nothing is set aside and nothing refused. What is used is told all the same. */
  readonly budget?: CallBudget | undefined;
  /** All of them must have room. Default `day` alone. */
  readonly scopes?: readonly string[] | undefined;
  /** Default `user`. */
  readonly priority?: Priority;
  /** What one call may cost at most, beside what the ledger says. Absent: no such limit. */
  readonly limitMicroUsd?: number | undefined;
  /** The money is set aside and the call is about to be made. Must not throw. */
  readonly onReserved?: () => void;
  /** Told of every call that used something, also of one that failed. Must not throw. */
  readonly onPaid?: (paid: PaidCall) => void;
}

/** What a call used, and its price in millionths of a dollar; 0 where no price is known. */
export interface PaidCall {
  readonly model: string;
  /** Estimated where the call failed: what was shown is billed all the same. */
  readonly usage: Usage;
  readonly costMicroUsd: number;
}

/** What is charged where nobody says otherwise. */
export const DEFAULT_SCOPES: readonly string[] = ["day"];
const CHARS_PER_TOKEN = 3.5;
const CHARS_PER_OUTPUT_TOKEN = 3;
/** Of one picture, whatever its size. */
const IMAGE_TOKENS = 1_600;

/**
 * X15: money is set aside before each call, for the worst case, and settled with what the provider reports. A call that
 * might not fit rejects with an `AgentError` kind `budget`, code `daily_limit`, `run_limit` or `unknown_price`, before
 * anything is used.
 */
export function createPayingClient(options: PayingClientOptions): LLMClient {
  const { client, budget, scopes = DEFAULT_SCOPES, priority = "user", limitMicroUsd, onReserved, onPaid } = options;
  return decorateClient(client, async function* (request, context) {
    const profile = await client.profile(request.model);
    const price = priceOf(profile, budget);
    const size = context.size ?? estimateSize(request, profile);
    const maxTokens = toMaxTokens(request.config ?? {}, profile);
    const worstMicroUsd = price ? worstCaseMicroUsd(size, maxTokens, request.cache, price) : 0;
    if (limitMicroUsd !== undefined && worstMicroUsd > limitMicroUsd) {
      throw agentError("budget", "run_limit", "The next call might cost more than this run may.");
    }
    const reservation = await budget?.ledger.reserve({ scopes, worstMicroUsd, priority });
    let shownChars: number | undefined;
    let used: Usage | undefined;
    try {
      onReserved?.();
      const response = yield* relay(client.stream(request, context), context.signal, (delta) => {
        if (delta.type !== "alive") shownChars = (shownChars ?? 0) + (delta.type === "text" ? delta.text.length : 0);
      });
      used = response.usage;
      return response;
    } finally {
      // Output that came without a report.
      const outputTokens = Math.ceil((shownChars ?? 0) / CHARS_PER_OUTPUT_TOKEN);
      const estimated = { ...NO_USAGE, inputTokens: size.tokens.total, outputTokens, estimated: true };
      if (shownChars !== undefined) used ??= estimated;
      const cost = used && price ? costMicroUsd(used, price) : 0;
      if (cost > 0) await reservation?.settle(cost);
      else await reservation?.release();
      if (used) onPaid?.({ model: request.model, usage: used, costMicroUsd: cost });
    }
  });
}

/** Charges what was used already, at the price of this model. Gives the cost; rejects with kind `budget` where there was no room. */
export async function chargeUsage(
  usage: Usage,
  profile: ModelProfile,
  { budget, scopes = DEFAULT_SCOPES }: Pick<PayingClientOptions, "budget" | "scopes">,
): Promise<number> {
  const price = priceOf(profile, budget);
  const cost = price ? costMicroUsd(usage, price) : 0;
  if (cost === 0) return 0;
  const reservation = await budget?.ledger.reserve({ scopes, worstMicroUsd: cost, priority: "alert" });
  await reservation?.settle(cost);
  return cost;
}

/** The scope that has least room left. */
export async function tightestScope(
  ledger: BudgetLedger,
  scopes: readonly string[] = DEFAULT_SCOPES,
): Promise<ScopeState> {
  const states = await Promise.all(scopes.map((scope) => ledger.state(scope)));
  const roomOf = (state: ScopeState): number => state.limitMicroUsd - state.spentMicroUsd - state.reservedMicroUsd;
  return states.reduce((least, state) => (roomOf(state) < roomOf(least) ? state : least));
}

function priceOf(profile: ModelProfile, budget: CallBudget | undefined): Price | undefined {
  return budget ? requirePrice(profile, budget.assumePrice) : profile.price;
}

type CallSize = NonNullable<CallContext["size"]>;

function estimateSize({ system, messages, tools }: LLMRequest, profile: ModelProfile): CallSize {
  const parts = messages.flatMap((message) => message.parts);
  const chars = [JSON.stringify(tools), ...system.map(({ text }) => text), ...parts.map(wordsOf)].join("\n").length;
  const images = parts.filter(({ type }) => type === "image").length * IMAGE_TOKENS;
  const words = Math.ceil(chars / (profile.charsPerToken ?? CHARS_PER_TOKEN));
  const tokens = { tools: 0, system: 0, state: 0, history: words, images, total: words + images };
  return { tokens, source: "estimated" };
}

function wordsOf(part: Part): string {
  if ("text" in part) return part.text;
  return part.type === "image" ? "" : JSON.stringify({ ...part, data: undefined });
}
