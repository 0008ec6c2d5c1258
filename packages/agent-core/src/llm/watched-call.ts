// one call → the same call with timers, which anything that comes feeds
import { type ChildAbort, type Clock, createChildAbort, sleepUnless } from "../types/clock.ts";
import { agentError } from "../types/errors.ts";
import type { CallContext } from "./llm-client.ts";

const WORDS = {
  first_event: "The model did not begin to answer in time.",
  idle: "The model stopped sending in the middle of its answer.",
  attempt: "The model's answer took too long.",
} as const;

/** Starts the timers of a call, unless somebody outside keeps them already. `close` tells what still runs to end. */
export function watchCall({ signal, clock, timers, onBytes }: CallContext) {
  const call = createChildAbort(signal);
  const watch = onBytes ? { feed: onBytes, stop: () => undefined } : watchStream(clock, timers, call);
  return {
    signal: call.signal,
    onBytes: watch.feed,
    close() {
      watch.stop();
      call.abort(agentError("cancelled", "left", "Nobody reads this answer any more."));
      call.dispose();
    },
  };
}

/** X16: aborts `call` with a `timeout` error when nothing came at first, nothing came for a while, or it took too long. */
function watchStream(clock: Clock, timers: CallContext["timers"], call: ChildAbort) {
  const started = clock.monotonic();
  let heard: number | undefined;
  let stopped = false;
  let nap = new AbortController();

  const next = (): { readonly code: keyof typeof WORDS; readonly dueMs: number } => {
    const attempt = { code: "attempt", dueMs: started + timers.attemptMs } as const;
    const first = { code: "first_event", dueMs: started + timers.firstEventMs } as const;
    const silence = heard === undefined ? first : ({ code: "idle", dueMs: heard + timers.idleMs } as const);
    return silence.dueMs < attempt.dueMs ? silence : attempt;
  };

  // One sleeper that looks again when it wakes: feeding costs nothing per byte.
  const watch = async (): Promise<void> => {
    while (!stopped) {
      const { code, dueMs } = next();
      const leftMs = dueMs - clock.monotonic();
      if (leftMs <= 0) return call.abort(agentError("timeout", code, WORDS[code], { retryable: code !== "attempt" }));
      await sleepUnless(clock, leftMs, nap.signal);
    }
  };
  watch().catch((thrown: unknown) => call.abort(thrown));

  const wake = (): void => {
    const last = nap;
    nap = new AbortController();
    last.abort();
  };
  return {
    /** Bytes arrived. */
    feed(): void {
      const isFirst = heard === undefined;
      heard = clock.monotonic();
      // Only here can the next deadline come nearer.
      if (isFirst) wake();
    },
    /** May be called twice. */
    stop(): void {
      stopped = true;
      wake();
    },
  };
}
