// what an agent is made of, and what a run is asked for
import type { ArtifactRegistry } from "../artifacts/artifact-registry.ts";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { VisionInput } from "../artifacts/vision-input.ts";
import type { CallBudget } from "../budget/paying-client.ts";
import type { ContextManager, ContextManagerOptions } from "../context/context-manager.ts";
import type { EnvironmentOptions } from "../context/environment.ts";
import type { PromptSource } from "../context/prompt-sections.ts";
import type { CallContext, LLMClient, LLMResponse, RequestConfig } from "../llm/llm-client.ts";
import type { ModelRetryPolicy } from "../llm/retry.ts";
import type { Secrets } from "../observability/secret-filter.ts";
import type { RunSettings, SessionStore } from "../session/session-store.ts";
import type { Tool } from "../tools/tool.ts";
import type { ToolExecutor } from "../tools/tool-executor.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { Clock, IdSource } from "../types/clock.ts";
import { agentError } from "../types/errors.ts";
import type { AgentEvent } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import { findUnknownOption } from "../types/known-options.ts";
import type { Message, Principal, RunMetrics } from "../types/message.ts";

/** Everything the loop needs comes in here. */
export interface AgentExecutorOptions {
  readonly llm: LLMClient;
  /** Model id, as the client knows it. A run may name another. */
  readonly model: string;
  /** A registry may change while the agent lives: it is read at each model call. */
  readonly tools: ToolRegistry | readonly Tool[];
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactStore;
  readonly prompt: PromptSource;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly stop?: Partial<StopPolicy> | undefined;
  /** Default: first event 60 s, idle 60 s, attempt 10 min. */
  readonly timers?: Partial<CallContext["timers"]> | undefined;
  readonly retry?: Partial<ModelRetryPolicy> | undefined;
  /** In [0, 1), for the jitter of retries. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Runs kept for `attach`, those that are going on aside. Default 50. */
  readonly keepRuns?: number | undefined;
  /** How much is sent, what is cleared, who summarises. Default: the manager's own defaults. */
  readonly context?: Omit<ContextManagerOptions, "refOf" | "beforeCompaction"> | undefined;
  /** Shown what was said before a summary replaces it, and when the agent is closed. `context.flushTimeoutMs` bounds it. */
  readonly flush?: Flush | undefined;
  /** AF-29: builds what is sent, in place of the one that `context` configures. */
  readonly contextManager?: ContextManager | undefined;
  /**
   * AF-29, SC-9: runs the calls, perhaps in another process; `tools` then only tells the model what there is. Calls come
   * with tokens in place of `secrets`: it is made with `createSecretTokens` and the same key, or does without them.
   */
  readonly toolExecutor?: ToolExecutor | undefined;
  /** Start, schema and reducers of each session's environment. Default: empty, changed by what tools return. */
  readonly environment?: EnvironmentOptions | undefined;
  /** Absent: nothing is reserved and nothing refused. */
  readonly budget?: RunBudgetOptions | undefined;
  /** SC-16: true lets the person into the session. Default: a session belongs to the user of its first run. */
  readonly authorize?: ((principal: Principal, sessionId: string) => boolean | Promise<boolean>) | undefined;
  /** VI-14: looks at the text of each new message of a person, and at nothing else. Default: lets all through. */
  readonly guard?: Guard | undefined;
  /** VI-5: told of every picture and spilled result, so that a UI can show it. */
  readonly artifactRegistry?: ArtifactRegistry | undefined;
  /** Told of every event of every run as it happens, for metrics, traces and channels. A failure is a warning, once a run. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /**
   * Keys and passwords of the host, or a function that is asked each time. In a conversation a token
   * stands for each of them, in whatever text it comes; the arguments that a tool is run with have the secret itself.
   * What was a secret once stays one. Those shorter than six characters are ignored. While the function fails, no model
   * is asked: the run ends with code `host_callback`.
   */
  readonly secrets?: Secrets | undefined;
}

/** VA-4, VA-16: keeps elsewhere what is worth keeping, such as in a memory. Each message is shown once. */
export type Flush = (
  messages: readonly Message[],
  about: { readonly sessionId: string; readonly reason: "compaction" | "close"; readonly signal: AbortSignal },
) => Promise<void>;

/** Says whether a message may go to the model; `message` is what the person is told otherwise. */
export type Guard = (
  text: string,
  context: { readonly sessionId: string; readonly principal: Principal; readonly signal: AbortSignal },
) => Promise<{ readonly allow: true } | { readonly allow: false; readonly message: string }>;

/** X15: money is set aside before each call, for the worst case. */
export interface RunBudgetOptions extends CallBudget {
  /** Scopes that a run is charged to; all of them must have room. Default: `day` alone. */
  readonly scopesOf?:
    | ((run: { readonly sessionId: string; readonly principal: Principal }) => readonly string[])
    | undefined;
  /** What happens when there is no room. Default `finish`. */
  readonly onLimit?: "finish" | "pause" | undefined;
}

export const DEFAULT_TIMERS: CallContext["timers"] = { firstEventMs: 60_000, idleMs: 60_000, attemptMs: 600_000 };

/** When a run ends although the model would go on. What was used before a pause counts. */
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
  /** Each is asked after every model call, unless the run is done with it; a string ends the run with that reason. */
  readonly custom?: readonly ((state: {
    readonly turn: number;
    readonly last: LLMResponse;
    readonly metrics: RunMetrics;
  }) => string | undefined | Promise<string | undefined>)[];
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

const STOP_KEYS = { ...DEFAULT_STOP, maxCostMicroUsd: true, custom: true };

/**
 * Later ones win; what they leave undefined they leave as it is. Throws `AgentError` kind `invalid`, code `bad_options`,
 * for a limit that is no limit.
 */
export function toStopPolicy(...layers: readonly (Partial<StopPolicy> | undefined)[]): StopPolicy {
  const policy: { [name: string]: unknown } = { ...DEFAULT_STOP };
  for (const layer of layers) {
    const unknown = findUnknownOption(layer, STOP_KEYS, { owner: "stop." });
    if (unknown !== undefined) throw agentError("invalid", "bad_options", unknown);
  }
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer ?? {}))) {
    if (value === undefined) continue;
    if (name.startsWith("max") && !(Number.isFinite(value) && Number(value) >= 0)) {
      throw agentError("invalid", "bad_options", `stop.${name} is a number from 0 on, not ${String(value)}.`);
    }
    policy[name] = value;
  }
  return policy as unknown as StopPolicy;
}

/** One sentence for each thing that is wrong with an answer: the model is told once and answers again. A throw ends the run. */
export type OutputCheck = (answer: Json) => readonly string[] | Promise<readonly string[]>;

/** A message to the agent. */
export interface ExecuteInput {
  readonly sessionId: string;
  readonly text: string;
  readonly images?: readonly VisionInput[] | undefined;
  /** VI-9: what to do with images when the model cannot see. Default `strict`. */
  readonly visionMode?: "strict" | "lenient" | undefined;
  readonly principal: Principal;
  /** Default: the executor's. A run that pauses goes on with the same model. */
  readonly model?: string | undefined;
  readonly config?: RequestConfig | undefined;
  /** Checks the answer again, after `config.output`. */
  readonly checkOutput?: OutputCheck | undefined;
  /** Who speaks, where it is not a person. Default `human`. */
  readonly origin?: Message["origin"] | undefined;
  /** Chooses sections of the prompt, e.g. `heartbeat`. */
  readonly mode?: string | undefined;
  readonly stop?: Partial<StopPolicy> | undefined;
  /** Tools of this run, by name; absent means all. */
  readonly tools?:
    | { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined }
    | undefined;
  /** The same key twice in a session gives the same run, or its outcome when another process had it. */
  readonly dedupeKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Who answers a pause, and what comes with the answer. */
export interface ResumeOptions {
  readonly principal: Principal;
  readonly images?: readonly VisionInput[] | undefined;
  /** VI-24: `replace` leaves earlier pictures in the transcript and no longer sends them. Default `add`. */
  readonly imageMode?: "add" | "replace" | undefined;
  /** Rules of the run's own, which no transcript can hold. Default: the agent's. Its limits hold as they were. */
  readonly stop?: Pick<StopPolicy, "custom"> | undefined;
  /** In place of the run's own `config.output`. Needed where the run had a `checkOutput`, which no transcript can hold. */
  readonly output?: RequestConfig["output"] | undefined;
  readonly checkOutput?: OutputCheck | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What outlives the process of a run: it goes on with this after a pause. */
export type RunDetails = Pick<
  ExecuteInput,
  "principal" | "model" | "origin" | "mode" | "dedupeKey" | "config" | "checkOutput" | "stop" | "tools"
>;

/** For the transcript: functions stay behind. */
export function toRunSettings(details: RunDetails): RunSettings {
  const { principal, model, origin, mode, dedupeKey, config, stop, tools } = details;
  const { custom: _, ...limits } = stop ?? {};
  const isChecked = details.checkOutput !== undefined;
  return {
    ...(isChecked && { isOutputChecked: true }),
    principal,
    model,
    origin,
    mode,
    dedupeKey,
    tools,
    config: config as Json | undefined,
    stop: stop && limits,
  };
}

/** Our own line, read back. */
export function fromRunSettings({ config, stop, isOutputChecked: _, ...rest }: RunSettings): RunDetails {
  return { ...rest, config: config as RequestConfig | undefined, stop: stop as Partial<StopPolicy> | undefined };
}

export function isToolAllowed(name: string, tools: RunDetails["tools"]): boolean {
  return (tools?.allow?.includes(name) ?? true) && !tools?.deny?.includes(name);
}

/** Nobody reads along with work in the background. */
export function isBackground({ origin }: RunDetails): boolean {
  return origin === "job" || origin === "heartbeat";
}
