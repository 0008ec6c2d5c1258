// a failed attempt → wait → the next attempt
import type { Clock } from "../types/clock.ts";
import { type AgentError, toAgentError } from "../types/errors.ts";

/** How often, and how long between. */
export interface ModelRetryPolicy {
  /** Attempts in all, the first included. Default 5. */
  readonly maxAttempts: number;
  /** Upper bound of the first wait. Default 500. */
  readonly baseMs: number;
  /** Upper bound of any wait that the provider did not ask for. Default 8 000. */
  readonly capMs: number;
  /** A provider that asks for a longer wait than this is not waited for. Default 60 000. */
  readonly retryAfterCapMs: number;
}

/** What holds where nothing else is said. */
export const DEFAULT_RETRY: ModelRetryPolicy = { maxAttempts: 5, baseMs: 500, capMs: 8_000, retryAfterCapMs: 60_000 };

/** X10: handed down through a run, it bounds all retries in it together, those of model calls and of tools. */
export interface RetryBudget {
  /** Takes one retry. False when none is left: the failure stands. */
  tryTake(): boolean;
}

/** `max` retries in all. Default 12. */
export function createRetryBudget({ max = 12 }: { readonly max?: number } = {}): RetryBudget {
  let left = max;
  return { tryTake: () => left-- > 0 };
}

/** What to try, and how it waits. */
export interface RetryOptions<T> {
  /** Called with 1, 2, 3 … */
  attempt(number: number): Promise<T>;
  /** Called before the wait. */
  onRetry?(retry: { readonly attempt: number; readonly delayMs: number; readonly error: AgentError }): void;
  readonly policy?: Partial<ModelRetryPolicy>;
  /** Shared with tools; absent is without limit beyond the policy. */
  readonly budget?: RetryBudget;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** The only owner of retries (AI-12, VA-9). Rejects with the last error, or with `cancelled` as soon as the signal fires. */
export async function withRetries<T>(options: RetryOptions<T>): Promise<T> {
  const policy = { ...DEFAULT_RETRY, ...options.policy };
  for (let number = 1; ; number++) {
    try {
      return await options.attempt(number);
    } catch (thrown) {
      const error = toAgentError(thrown, { kind: "agent", code: "unexpected" });
      const delayMs = options.signal.aborted ? undefined : retryDelayMs(error, number, policy, options.random);
      if (delayMs === undefined || options.budget?.tryTake() === false) throw error;
      options.onRetry?.({ attempt: number + 1, delayMs, error });
      await options.clock.sleep(delayMs, options.signal);
    }
  }
}

/** Full jitter: anywhere between nothing and the doubled bound. Undefined means do not try again after attempt `number`. */
function retryDelayMs(
  error: AgentError,
  number: number,
  policy: ModelRetryPolicy,
  random: () => number,
): number | undefined {
  if (!error.retryable || number >= policy.maxAttempts) return undefined;
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs <= policy.retryAfterCapMs ? error.retryAfterMs : undefined;
  }
  return Math.round(random() * Math.min(policy.capMs, policy.baseMs * 2 ** (number - 1)));
}
