// time and names, handed in, and the real ones
import { setTimeout } from "node:timers/promises";
import { AgentError, agentError } from "./errors.ts";

/** Time, handed in so that a test can be a whole day in a millisecond. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never go backwards. */
  monotonic(): number;
  /** Rejects with an `AgentError` of kind `cancelled` when the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Waits, but no longer than until the signal fires: a cancelled wait is not an error here. */
export async function sleepUnless(clock: Pick<Clock, "sleep">, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Unique names, handed in so that tests are repeatable. */
export interface IdSource {
  /** e.g. `next("run")` → `run_k3…` */
  next(prefix: string): string;
}

/** A timer of Node that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock: the one place where this package reads it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      let leftMs = ms;
      do {
        await setTimeout(Math.min(leftMs, LONGEST_TIMER_MS), undefined, { signal });
        leftMs -= LONGEST_TIMER_MS;
      } while (leftMs > 0);
    } catch (thrown) {
      throw signal?.aborted ? sleepCancelled(signal) : thrown;
    }
  },
};

/** What a sleep rejects with when its signal fires first. */
export function sleepCancelled(signal: AbortSignal): AgentError {
  const reason: unknown = signal.reason;
  if (reason instanceof AgentError && reason.kind === "cancelled") return reason;
  return agentError("cancelled", "aborted", "The wait was cancelled.", { cause: reason });
}

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";

/** Ids with 80 random bits behind the prefix. */
export const randomIds: IdSource = {
  next(prefix) {
    const random = crypto.getRandomValues(new Uint8Array(16));
    return `${prefix}_${Array.from(random, (byte) => LETTERS[byte & 31]).join("")}`;
  },
};

/** An abort controller that follows a parent until it is disposed. */
export interface ChildAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the parent. May be called twice. */
  dispose(): void;
}

/**
 * Follows `parent` with one listener that `dispose` removes.
 * `AbortSignal.any` has no such end and gathers listeners on a parent that lives long.
 */
export function createChildAbort(parent?: AbortSignal): ChildAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    dispose: () => parent?.removeEventListener("abort", follow),
  };
}

/** The promise, or the signal's reason as a rejection, whichever comes first. Leaves no listener behind. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, fail) => {
    stop = () => fail(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}

/** The work, or the error of `late` when it takes longer; the signal that it is handed then fires. */
export async function withinTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  limits: { readonly clock: Clock; readonly ms: number; late(): AgentError; readonly signal?: AbortSignal },
): Promise<T> {
  const limit = createChildAbort(limits.signal);
  const over = new AbortController();
  limits.clock.sleep(limits.ms, over.signal).then(
    () => limit.abort(limits.late()),
    () => undefined, // It was done in time.
  );
  try {
    return await raceAbort(work(limit.signal), limit.signal);
  } finally {
    over.abort();
    limit.dispose();
  }
}

/** Until it has ended, or the time is up. Leaves no timer behind. */
export async function waitAtMost(clock: Pick<Clock, "sleep">, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, sleepUnless(clock, ms, done.signal)]);
  done.abort();
}
