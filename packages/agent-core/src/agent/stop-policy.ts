import type { LLMResponse } from "../llm/llm-client.ts";
import type { RunMetrics } from "../types/usage.ts";

/** When a run ends although the model would go on. */
export interface StopPolicy {
  /** VA-7: model calls per run. Default 20. */
  readonly maxIterations: number;
  /** Default 200. */
  readonly maxToolCalls: number;
  /** Default one hour; pauses do not count. */
  readonly maxWallMs: number;
  /** Default: no limit beyond the ledger's. */
  readonly maxCostMicroUsd?: number;
  /** The same call with the same result this often is a loop. Default 3. */
  readonly maxRepeats: number;
  /** Default 8. */
  readonly maxConsecutiveToolErrors: number;
  /** How often an answer that was cut is asked to go on. Default 0. */
  readonly maxContinuations: number;
  /** Each is asked after every model call; a string ends the run with that reason. Must not throw. */
  readonly custom?: readonly ((state: {
    readonly turn: number;
    readonly last: LLMResponse;
    readonly metrics: RunMetrics;
  }) => string | undefined)[];
}

/** What holds where nothing else is said. */
export const DEFAULT_STOP: StopPolicy = {
  maxIterations: 20,
  maxToolCalls: 200,
  maxWallMs: 3_600_000,
  maxRepeats: 3,
  maxConsecutiveToolErrors: 8,
  maxContinuations: 0,
};
