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
