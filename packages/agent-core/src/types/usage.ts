/** AI-7: as the provider reported it. `estimated` is true only where no report came. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** All that was written to the cache, whatever its time to live. */
  readonly cacheWriteTokens: number;
  /** The part of it that lives an hour, which costs more. */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens: number;
  readonly imageTokens?: number;
  readonly serverToolRequests?: number;
  readonly estimated: boolean;
  /** Further billed passes of the same call: compaction, fallback. */
  readonly extraIterations?: readonly Usage[];
}

/** Nothing was used. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

/** AI-16: totals of one run. */
export interface RunMetrics {
  readonly totalInputTokens: number;
  readonly totalOutputTokens: number;
  readonly invocations: number;
  readonly toolCalls: number;
  readonly retries: number;
  readonly compactions: number;
  /** Millionths of a dollar; 0 where no price is known. */
  readonly costMicroUsd: number;
  readonly wallMs: number;
  readonly firstTokenMs?: number;
}
