import type { Clock } from "./clock.ts";
import { AgentError } from "./errors.ts";

/** The machine's own clock: the one place where this package reads it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, signal) {
    return new Promise<void>((done, fail) => {
      if (signal?.aborted) return fail(sleepCancelled(signal));
      const wake = (): void => {
        signal?.removeEventListener("abort", stop);
        done();
      };
      const stop = (): void => {
        clearTimeout(timer);
        if (signal) fail(sleepCancelled(signal));
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener("abort", stop, { once: true });
    });
  },
};

/** What a sleep rejects with when its signal fires first. */
export function sleepCancelled(signal: AbortSignal): AgentError {
  const reason: unknown = signal.reason;
  if (reason instanceof AgentError && reason.kind === "cancelled") return reason;
  return new AgentError({ kind: "cancelled", code: "aborted", message: "The wait was cancelled.", cause: reason });
}
