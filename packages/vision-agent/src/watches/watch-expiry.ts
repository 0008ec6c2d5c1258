// when watches are to end → a call at that moment
import { type Clock, sleepUnless } from "@vision-agent/agent-core";

/** One timer for all of them. */
export interface WatchExpiry {
  /** Milliseconds since 1970; in place of those before. */
  schedule(ends: readonly number[]): void;
  /** May be called twice. */
  close(): void;
}

/** Timers hold no longer; then it looks again. */
const LONGEST_SLEEP_MS = 86_400_000;

/** `onDue` must not throw, and is to schedule anew. */
export function createWatchExpiry(clock: Pick<Clock, "now" | "sleep">, onDue: () => void): WatchExpiry {
  let waiting = new AbortController();
  return {
    schedule(ends) {
      waiting.abort();
      waiting = new AbortController();
      if (ends.length === 0) return;
      const { signal } = waiting;
      const waitMs = Math.min(LONGEST_SLEEP_MS, Math.max(0, Math.min(...ends) - clock.now()));
      void sleepUnless(clock, waitMs, signal).then(() => {
        if (!signal.aborted) onDue();
      });
    },
    close: () => waiting.abort(),
  };
}
