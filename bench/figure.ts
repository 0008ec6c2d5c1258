/** One measured number. `goal` says in words what would be good, `met` whether it is. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: string;
  readonly met: boolean;
}

/** A benchmark: what it measures, in a sentence, and how. */
export interface Benchmark {
  readonly about: string;
  run(options: { readonly signal: AbortSignal; say(line: string): void }): Promise<readonly Figure[]>;
}

/** The value below which the share `p` (0 to 1) of the samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
