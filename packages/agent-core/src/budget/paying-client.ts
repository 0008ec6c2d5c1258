// a call → its worst case set aside → the call → what it really cost
import { decorateClient, relay } from "../llm/decorated-client.ts";
import type { LLMClient, ModelProfile, Price } from "../llm/llm-client.ts";
import { watchCall } from "../llm/watched-call.ts";
import { agentError } from "../types/errors.ts";
import type { Usage } from "../types/message.ts";
import type { BudgetLedger, ScopeState } from "./budget-ledger.ts";
import { CallMeter, isBelievable, type MeteredUse } from "./call-meter.ts";
import { costMicroUsd, requirePrice } from "./price.ts";
import type { Priority } from "./reservation-queue.ts";
import type { SpendLimit } from "./spend-limit.ts";

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
  /** What its calls may cost together, beside what the ledger says. Absent: no such limit. */
  readonly limit?: SpendLimit | undefined;
  /** The money is set aside and the call is about to be made. Must not throw. */
  readonly onReserved?: () => void;
  /** Told of every call that used something, also of one that failed. A promise is waited for. Must not throw. */
  readonly onPaid?: (paid: PaidCall) => unknown;
}

/** What a call used, and its price in millionths of a dollar; 0 where no price is known. */
export interface PaidCall extends MeteredUse {
  readonly model: string;
  /** Estimated where the call was cut, or its server did not report. */
  readonly usage: Usage;
}

/** What is charged where nobody says otherwise. */
export const DEFAULT_SCOPES: readonly string[] = ["day"];

/**
 * X15: money is set aside before each call, for the worst case, and settled with what the provider reports. A call that
 * was cut is settled with an estimate on the safe side. One that might not fit rejects with an `AgentError` kind
 * `budget`, code `daily_limit`, `run_limit` or `unknown_price`, before anything is used. Each attempt is a call.
 */
export function createPayingClient(options: PayingClientOptions): LLMClient {
  const { client, budget, scopes = DEFAULT_SCOPES, priority = "user", limit, onReserved, onPaid } = options;
  return decorateClient(client, async function* (request, context) {
    const { signal } = context;
    const profile = await client.profile(request.model);
    const meter = new CallMeter(request, profile, toLimitedPrice(profile, budget, limit), context.size);
    const { worstMicroUsd } = meter;
    const reservation = await reserveBoth(limit, worstMicroUsd, () =>
      budget?.ledger.reserve({ scopes, worstMicroUsd, priority, signal }),
    );
    let used: MeteredUse | undefined;
    let thrown: unknown;
    let call: ReturnType<typeof watchCall> | undefined;
    try {
      onReserved?.();
      signal.throwIfAborted();
      call = watchCall(context);
      const watched = { ...context, signal: call.signal, onBytes: call.onBytes };
      const response = yield* relay(client.stream(request, watched), call.signal, (delta) => {
        watched.onBytes();
        meter.see(delta);
      });
      used = meter.complete(response);
      return { ...response, usage: used.usage };
    } catch (error) {
      thrown = error;
      throw error;
    } finally {
      call?.close();
      if (call) used ??= meter.cut(thrown, signal.aborted);
      await reservation.settle(used?.costMicroUsd ?? 0);
      if (used) await onPaid?.({ model: request.model, ...used });
    }
  });
}

/** From the limit of the run and from the ledger, or from neither. */
async function reserveBoth(
  limit: SpendLimit | undefined,
  worstMicroUsd: number,
  fromLedger: () => ReturnType<BudgetLedger["reserve"]> | undefined,
): Promise<{ settle(costMicroUsd: number): Promise<void> }> {
  const held = limit?.reserve(worstMicroUsd);
  try {
    const reservation = await fromLedger();
    return {
      async settle(cost) {
        held?.settle(cost);
        await (cost > 0 ? reservation?.settle(cost) : reservation?.release());
      },
    };
  } catch (thrown) {
    held?.settle(0);
    throw thrown;
  }
}

/**
 * A limit holds only where the price is known. Throws `AgentError` kind `budget`, code `unknown_price`; without a limit
 * an unknown price is undefined.
 */
export function toLimitedPrice(
  profile: ModelProfile,
  budget: CallBudget | undefined,
  limit: SpendLimit | undefined,
): ModelProfile["price"] {
  return budget || limit ? requirePrice(profile, budget?.assumePrice) : profile.price;
}

/**
 * Charges what was used already, at the price of this model, whether there is room or not. Gives the cost. Throws
 * `AgentError` kind `invalid`, code `bad_usage`, for what cannot be true.
 */
export async function chargeUsage(
  usage: Usage,
  profile: ModelProfile,
  { budget, limit, scopes = DEFAULT_SCOPES }: Pick<PayingClientOptions, "budget" | "limit" | "scopes">,
): Promise<number> {
  if (!isBelievable(usage)) throw agentError("invalid", "bad_usage", "The usage to be charged cannot be true.");
  const price = toLimitedPrice(profile, budget, limit);
  const cost = price ? costMicroUsd(usage, price) : 0;
  if (cost === 0) return 0;
  limit?.note(cost);
  // Nothing is refused that asks for nothing; what is settled counts in full.
  const reservation = await budget?.ledger.reserve({ scopes, worstMicroUsd: 0, priority: "alert" });
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
