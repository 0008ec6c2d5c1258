import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { CallContext, LLMClient } from "../llm/llm-client.ts";
import type { RetryPolicy } from "../llm/retry.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Tool } from "../tools/tool.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { Clock, IdSource } from "../types/clock.ts";
import type { PromptSource } from "./agent-executor.ts";

/** When a run ends although the model would go on. */
export interface StopPolicy {
  /** VA-7: model calls per run. Default 20. */
  readonly maxIterations: number;
  /** The same call with the same result this often is a loop. Default 3. */
  readonly maxRepeats: number;
}

/** Everything the loop needs comes in here. */
export interface AgentExecutorOptions {
  readonly llm: LLMClient;
  /** Model id, as the client knows it. */
  readonly model: string;
  /** A registry may change while the agent lives: it is read at each model call. */
  readonly tools: ToolRegistry | readonly Tool<never>[];
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactStore;
  readonly prompt: PromptSource;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly stop?: Partial<StopPolicy>;
  /** Default: first event 60 s, idle 60 s, attempt 10 min. */
  readonly timers?: Partial<CallContext["timers"]>;
  readonly retry?: Partial<RetryPolicy>;
  /** In [0, 1), for the jitter of retries. Default `Math.random`. */
  readonly random?: () => number;
  /** Runs kept for `attach`, those that are going on aside. Default 50. */
  readonly keepRuns?: number;
}

export const DEFAULT_STOP: StopPolicy = { maxIterations: 20, maxRepeats: 3 };
export const DEFAULT_TIMERS: CallContext["timers"] = { firstEventMs: 60_000, idleMs: 60_000, attemptMs: 600_000 };
