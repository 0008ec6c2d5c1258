import type { ContextManager } from "../context/context-manager.ts";
import type { TokenCounter } from "../context/token-counter.ts";
import type { ModelProfile, RequestConfig, SystemBlock } from "../llm/llm-client.ts";
import type { RetryBudget } from "../llm/retry.ts";
import type { Redactor } from "../observability/redact.ts";
import type { RunSettings } from "../session/session-store.ts";
import type { ToolExecutor } from "../tools/tool-executor.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { ExecutionOutcome, FinishReason } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { PauseRecord } from "../types/pause.ts";
import type { ArtifactRefs } from "./artifact-refs.ts";
import type { CallGate } from "./call-gate.ts";
import type { AgentExecutorOptions } from "./executor-options.ts";
import type { Inbox } from "./inbox.ts";
import type { LoopDetector } from "./loop-detector.ts";
import type { RunEnvironment } from "./run-environment.ts";
import type { RunJournal } from "./run-journal.ts";
import type { StopPolicy } from "./stop-policy.ts";

/** What all runs of an executor share. */
export interface AgentParts {
  readonly options: AgentExecutorOptions;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly gate: CallGate;
  readonly refs: ArtifactRefs;
  /** What it learned from one run helps the next. */
  readonly counter: TokenCounter;
  readonly redactor: Redactor;
}

/** What a run has before its session is open. */
export interface RunParts {
  readonly agent: AgentParts;
  readonly journal: RunJournal;
  readonly inbox: Inbox;
  readonly signal: AbortSignal;
  /** The run has so long from now on. */
  startDeadline(ms: number): void;
}

/** What a run was asked for, by a person or out of the transcript. */
export type Settings = Omit<RunSettings, "config" | "stop"> & {
  readonly config?: RequestConfig;
  readonly stop?: Partial<StopPolicy>;
};

/** A run that is going on. */
export interface RunScope extends RunParts {
  readonly settings: Settings;
  readonly stop: StopPolicy;
  readonly profile: ModelProfile;
  readonly system: readonly SystemBlock[];
  readonly env: RunEnvironment;
  /** X10: shared by the model's calls and the tools. */
  readonly retryBudget: RetryBudget;
  readonly context: ContextManager;
  readonly tally: Tally;
}

/** What the loop counts from turn to turn. */
export interface Tally {
  readonly detector: LoopDetector;
  /** Pieces of an answer that was cut and asked to go on. */
  pieces: string[];
  /** Answers in a row that were cut. */
  cuts: number;
  /** Answers in a row that announced a call and made none. */
  emptyCalls: number;
  /** Results in a row that were errors. */
  toolErrors: number;
  /** The model said once that its window is full. */
  exceeded: boolean;
  /** The next request must be smaller, because the model said so. */
  mustShrink: boolean;
}

/** How the loop ends. */
export type Ending =
  | Finish
  | { readonly kind: "pause"; readonly pause: PauseRecord }
  | { readonly kind: "cancel"; readonly reason: string }
  /** The same message was answered before. */
  | { readonly kind: "repeat"; readonly outcome: ExecutionOutcome };

export interface Finish {
  readonly kind: "finish";
  readonly reason: FinishReason;
  readonly text: string;
  /** The message that says it; absent when the loop itself has to say it. */
  readonly messageId?: string;
  readonly structured?: Json;
}

export function finish(reason: FinishReason, text: string): Finish {
  return { kind: "finish", reason, text };
}
