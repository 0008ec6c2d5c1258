import { ClientError } from "./errors.ts";

/** Time as the client sees it: handed in, so that tests can run it by hand. */
export interface ClientClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never jump; only differences mean something. */
  monotonic(): number;
  /** Rejects when the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock: the one place where this package reads it. */
export const systemClock: ClientClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, signal) {
    return new Promise<void>((done, fail) => {
      const stop = (): void => {
        clearTimeout(timer);
        fail(new ClientError({ kind: "cancelled", message: "The wait was cancelled.", cause: signal?.reason }));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        done();
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    });
  },
};
