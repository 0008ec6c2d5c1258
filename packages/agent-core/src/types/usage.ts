/** AI-7: as the provider reported it. `estimated` is true only where no report came. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly estimated: boolean;
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
  readonly wallMs: number;
  readonly firstTokenMs?: number;
}
