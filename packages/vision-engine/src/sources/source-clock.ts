/** Time as sources see it; tests hand in their own. */
export interface SourceClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock on the wall. */
export const systemClock: SourceClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((wake, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        wake();
      }, ms);
      signal?.addEventListener("abort", abort, { once: true });
    }),
};
