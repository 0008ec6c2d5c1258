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
