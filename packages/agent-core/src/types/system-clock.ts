import type { Clock } from "./clock.ts";
import { AgentError } from "./errors.ts";

/** A timer of Node that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock: the one place where this package reads it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, signal) {
    return new Promise<void>((done, fail) => {
      if (signal?.aborted) return fail(sleepCancelled(signal));
      let leftMs = ms;
      let timer: NodeJS.Timeout;
      const wait = (): void => {
        const sliceMs = Math.min(leftMs, LONGEST_TIMER_MS);
        leftMs -= sliceMs;
        timer = setTimeout(leftMs > 0 ? wait : wake, sliceMs);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", stop);
        done();
      };
      const stop = (): void => {
        clearTimeout(timer);
        if (signal) fail(sleepCancelled(signal));
      };
      wait();
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
