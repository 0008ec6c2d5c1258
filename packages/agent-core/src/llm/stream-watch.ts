// bytes from the wire → timers that end a stalled call

import type { ChildAbort } from "../types/child-abort.ts";
import type { Clock } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { CallContext } from "./llm-client.ts";

export interface StreamWatch {
  /** Bytes arrived. */
  feed(): void;
  /** May be called twice. */
  stop(): void;
}

/** X16: aborts `call` with a `timeout` error when nothing came at first, nothing came for a while, or it took too long. */
export function watchStream(clock: Clock, timers: CallContext["timers"], call: ChildAbort): StreamWatch {
  const started = clock.monotonic();
  let heard: number | undefined;
  let stopped = false;
  let nap = new AbortController();

  const next = (): { readonly code: string; readonly dueMs: number } => {
    const attempt = { code: "attempt", dueMs: started + timers.attemptMs };
    const silence =
      heard === undefined
        ? { code: "first_event", dueMs: started + timers.firstEventMs }
        : { code: "idle", dueMs: heard + timers.idleMs };
    return silence.dueMs < attempt.dueMs ? silence : attempt;
  };

  // One sleeper that looks again when it wakes: feeding costs nothing per byte.
  const watch = async (): Promise<void> => {
    while (!stopped) {
      const { code, dueMs } = next();
      const leftMs = dueMs - clock.monotonic();
      if (leftMs <= 0) return call.abort(timeoutError(code));
      await clock.sleep(leftMs, nap.signal).catch(ignoreCancelled);
    }
  };
  watch().catch((thrown: unknown) => call.abort(thrown));

  const wake = (): void => {
    const last = nap;
    nap = new AbortController();
    last.abort();
  };
  return {
    feed() {
      const isFirst = heard === undefined;
      heard = clock.monotonic();
      // Only here can the next deadline come nearer.
      if (isFirst) wake();
    },
    stop() {
      stopped = true;
      wake();
    },
  };
}

function ignoreCancelled(thrown: unknown): void {
  if (!(thrown instanceof AgentError && thrown.kind === "cancelled")) throw thrown;
}

const WORDS: Readonly<Record<string, string>> = {
  first_event: "The model did not begin to answer in time.",
  idle: "The model stopped sending in the middle of its answer.",
  attempt: "The model's answer took too long.",
};

function timeoutError(code: string): AgentError {
  return new AgentError({
    kind: "timeout",
    code,
    message: WORDS[code] ?? "The call took too long.",
    retryable: code !== "attempt",
  });
}
