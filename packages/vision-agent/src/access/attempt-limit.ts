export interface AttemptLimitOptions {
  /** Milliseconds, never going back. */
  readonly monotonic: () => number;
  /** Failures in a row before the first wait. */
  readonly free: number;
  /** The first wait; each further failure doubles it. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** Slows down whoever fails again and again. Kept in memory only. */
export interface AttemptLimit {
  /** Milliseconds to wait; 0 lets the attempt through and counts it as failed until `succeed`. */
  attempt(keys: readonly string[]): number;
  succeed(keys: readonly string[]): void;
}

interface Failures {
  readonly count: number;
  readonly waitUntil: number;
}

/** More names than people have; the oldest leave first. */
const MOST_KEYS = 10_000;

export function createAttemptLimit(options: AttemptLimitOptions): AttemptLimit {
  const { monotonic, free, firstWaitMs, longestWaitMs } = options;
  const failures = new Map<string, Failures>();
  const waitOf = (key: string): number => Math.max(0, (failures.get(key)?.waitUntil ?? 0) - monotonic());
  const count = (key: string): void => {
    const before = failures.get(key)?.count ?? 0;
    const wait = before + 1 < free ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(30, before + 1 - free));
    failures.delete(key);
    failures.set(key, { count: before + 1, waitUntil: monotonic() + wait });
    const [oldest] = failures.keys();
    if (failures.size > MOST_KEYS && oldest !== undefined) failures.delete(oldest);
  };
  return {
    attempt(keys) {
      const wait = Math.max(...keys.map(waitOf));
      // Counted before it is known: attempts at the same time must not all slip through.
      if (wait === 0) for (const key of keys) count(key);
      return wait;
    },
    succeed(keys) {
      for (const key of keys) failures.delete(key);
    },
  };
}
