import { setTimeout as wait } from "node:timers/promises";
import { clientError } from "./errors.ts";

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
  async sleep(ms, signal) {
    await wait(ms, undefined, { signal }).catch(() => {
      throw clientError("cancelled", "The wait was cancelled.", { cause: signal?.reason });
    });
  },
};

export interface BackOff {
  /** Before the first repeat. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Doubles with every failure; the upper half is left to chance, so that many who failed together do not come back together. */
export function backOffMs(failures: number, { baseMs, maxMs, random }: BackOff): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (random() * full) / 2;
}
