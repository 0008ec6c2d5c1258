/** Upper ends of the buckets, in milliseconds; the last one has no end. */
const BUCKETS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
];

/** How a number of durations is spread. */
export interface Histogram {
  readonly count: number;
  /** Milliseconds. */
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** How many took at most `upTo` milliseconds and more than the one before; the last `upTo` is null, without end. */
  readonly buckets: readonly { readonly upTo: number | null; readonly count: number }[];
}

export const EMPTY_HISTOGRAM: Histogram = {
  count: 0,
  sum: 0,
  min: 0,
  max: 0,
  buckets: [...BUCKETS_MS, null].map((upTo) => ({ upTo, count: 0 })),
};

/** The histogram with one more. Negative ones, from a clock that was set back, count as 0. */
export function addDuration(histogram: Histogram, ms: number): Histogram {
  const value = Math.max(0, ms);
  const at = histogram.buckets.findIndex(({ upTo }) => upTo === null || value <= upTo);
  return {
    count: histogram.count + 1,
    sum: histogram.sum + value,
    min: histogram.count === 0 ? value : Math.min(histogram.min, value),
    max: Math.max(histogram.max, value),
    buckets: histogram.buckets.map((bucket, index) => (index === at ? { ...bucket, count: bucket.count + 1 } : bucket)),
  };
}

/** No more than this took at most `share` (0 to 1) of them: an upper bound, in milliseconds. 0 when there are none. */
export function quantile({ buckets, count, max }: Histogram, share: number): number {
  const wanted = Math.ceil(count * share);
  let seen = 0;
  for (const bucket of buckets) {
    seen += bucket.count;
    if (seen >= wanted) return Math.min(bucket.upTo ?? max, max);
  }
  return max;
}
