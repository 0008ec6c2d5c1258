/** How the past is weighed. */
export type Averaging = "Exponential Moving Average (EMA)" | "Simple Moving Average (SMA)" | "Sliding Window";

export interface AveragingOptions {
  readonly strategy: Averaging;
  /** Weight of the newest sample (EMA). */
  readonly smoothing: number;
  /** Samples that count (sliding window). */
  readonly window: number;
  /** Samples seen before this one (SMA). */
  readonly samples: number;
}

/** Mean and spread of vectors, one place at a time. */
export interface RunningStatistics {
  readonly mean: Float64Array | undefined;
  readonly deviation: Float64Array;
  add(sample: Float64Array, options: AveragingOptions): void;
}

export function createRunningStatistics(): RunningStatistics {
  let mean: Float64Array | undefined;
  let deviation = new Float64Array(0);
  /** Variance (EMA), or the sum of squared differences (SMA). */
  let spread = new Float64Array(0);
  const recent: Float64Array[] = [];

  function addWeighted(sample: Float64Array, before: Float64Array, weight: number): void {
    mean = before.map((value, at) => (1 - weight) * value + weight * sample[at]!);
    spread = spread.map((value, at) => (1 - weight) * value + weight * (sample[at]! - mean![at]!) ** 2);
    deviation = spread.map(Math.sqrt);
  }

  function addCounted(sample: Float64Array, before: Float64Array, count: number): void {
    mean = before.map((value, at) => value + (sample[at]! - value) / count);
    spread = spread.map((value, at) => value + (sample[at]! - before[at]!) * (sample[at]! - mean![at]!));
    deviation = spread.map((value) => Math.sqrt(value / (count - 1)));
  }

  function addToWindow(sample: Float64Array, window: number): void {
    recent.push(sample);
    if (recent.length > window) recent.shift();
    const average = (value: (one: Float64Array, at: number) => number): Float64Array =>
      sample.map((_, at) => recent.reduce((sum, one) => sum + value(one, at), 0) / recent.length);
    const center = average((one, at) => one[at]!);
    mean = center;
    deviation = average((one, at) => (one[at]! - center[at]!) ** 2).map(Math.sqrt);
  }

  return {
    get mean() {
      return mean;
    },
    get deviation() {
      return deviation;
    },
    add(sample, { strategy, smoothing, window, samples }) {
      if (mean === undefined) {
        mean = sample;
        deviation = new Float64Array(sample.length);
        spread = new Float64Array(sample.length);
      } else if (strategy === "Sliding Window") addToWindow(sample, window);
      else if (strategy === "Simple Moving Average (SMA)") addCounted(sample, mean, samples + 1);
      else addWeighted(sample, mean, smoothing);
    },
  };
}
