import type { ArtifactRegistry } from "../artifacts/artifact-registry.ts";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { BudgetLedger } from "../budget/budget-ledger.ts";
import type { ContextManagerOptions } from "../context/context-manager.ts";
import type { EnvironmentOptions } from "../context/environment.ts";
import type { CallContext, LLMClient, Price } from "../llm/llm-client.ts";
import type { RetryPolicy } from "../llm/retry.ts";
import type { Redactor } from "../observability/redact.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Tool } from "../tools/tool.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { Clock, IdSource } from "../types/clock.ts";
import type { AgentEvent } from "../types/events.ts";
import type { Principal } from "../types/principal.ts";
import type { PromptSource } from "./prompt-source.ts";
import type { StopPolicy } from "./stop-policy.ts";

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
  /** How much is sent, what is cleared, who summarises. Default: the manager's own defaults. */
  readonly context?: Omit<ContextManagerOptions, "refOf">;
  /** Start, schema and reducers of each session's environment. Default: empty, changed by what tools return. */
  readonly environment?: EnvironmentOptions;
  /** Absent: nothing is reserved and nothing refused. */
  readonly budget?: RunBudgetOptions;
  /** SC-16: true lets the person into the session. Default: a session belongs to the user of its first run. */
  readonly authorize?: (principal: Principal, sessionId: string) => boolean | Promise<boolean>;
  /** VI-14: looks at the text of each new message of a person, and at nothing else. Default: lets all through. */
  readonly guard?: Guard;
  /** Signals read out of answers, by name. Default GENERATE_ACTIONS, GENERATE_ASSET, STORE_MEASUREMENT; empty reads none. */
  readonly textSignals?: readonly string[];
  /** How long a tool may take to stop once it is told, before it is left behind. Default 250. */
  readonly toolGraceMs?: number;
  /** VI-5: told of every picture and spilled result, so that a UI can show it. */
  readonly artifactRegistry?: ArtifactRegistry;
  /** Told of every event of every run as it happens, for metrics, traces and channels. Must not throw. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Knows the host's secrets. Default: takes out bytes alone. */
  readonly redactor?: Redactor;
  /** Signs pauses. Default: the secret of the session store. */
  readonly pauseSecret?: Uint8Array;
}

/** Says whether a message may go to the model; `message` is what the person is told otherwise. */
export type Guard = (
  text: string,
  context: { readonly sessionId: string; readonly principal: Principal; readonly signal: AbortSignal },
) => Promise<{ readonly allow: true } | { readonly allow: false; readonly message: string }>;

/** X15: money is set aside before each call, for the worst case. */
export interface RunBudgetOptions {
  readonly ledger: BudgetLedger;
  /** Scopes that a run is charged to; all of them must have room. Default: `day` alone. */
  readonly scopesOf?: (run: { readonly sessionId: string; readonly principal: Principal }) => readonly string[];
  /** For a model whose price nobody stated. Absent: such a model is refused. */
  readonly assumePrice?: Price;
  /** What happens when there is no room. Default `finish`. */
  readonly onLimit?: "finish" | "pause";
}

export const DEFAULT_TIMERS: CallContext["timers"] = { firstEventMs: 60_000, idleMs: 60_000, attemptMs: 600_000 };
