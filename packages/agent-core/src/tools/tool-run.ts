import type { RetryBudget } from "../llm/retry.ts";
import type { ToolIntentRecord } from "../session/session-store.ts";
import type { ArtifactRef } from "../types/artifact.ts";
import type { EnvironmentState, EnvPatch } from "../types/environment.ts";
import type { AgentWarning } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ToolCall, ToolResultPart } from "../types/message.ts";
import type { PauseRequest } from "../types/pause.ts";
import type { Principal } from "../types/principal.ts";

/** Who calls, and on whose behalf. */
export interface ToolRun {
  readonly signal: AbortSignal;
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** As it was when the calls were made. */
  readonly env: EnvironmentState;
  /** Which tools this run may use; absent allows all. */
  allowed?(toolName: string): boolean;
  /** Asked before each further attempt; shared with the other layers that retry. Absent allows what the tool allows. */
  readonly retryBudget?: Pick<RetryBudget, "tryTake">;
}

/** Told what happens while calls are executed. Those that give a promise are awaited; a rejection ends the batch. */
export interface BatchHooks {
  /** Once for each call, in the order of the calls, before any is executed. Calls that cannot run count as allowed. */
  onDecision(call: ToolCall, decision: "allow" | "deny" | "ask"): void;
  /** Before each attempt: the tool does not start until it is on disk. */
  onIntent(intent: ToolIntentRecord): Promise<void>;
  /** As each call ends, whatever the order of the calls. */
  onResult(executed: ExecutedCall): Promise<void>;
  onProgress(callId: string, note: string, fraction?: number): void;
  onSignal(name: string, data: Json): void;
  onArtifact(ref: ArtifactRef, reason: "tool" | "spill"): void;
}

/** One call, answered. */
export interface ExecutedCall {
  readonly result: ToolResultPart;
  readonly durationMs: number;
  /** What the tool changes in the environment: its output's patches, then those of `project`. */
  readonly env: readonly EnvPatch[];
  /** The tool asked that the run end here. */
  readonly terminate: boolean;
  readonly warnings?: readonly AgentWarning[];
}

/** A call that waits for a person. */
export interface PendingCall {
  readonly call: ToolCall;
  readonly request: PauseRequest;
  /** Of the arguments in canonical form: an approval holds for these and no others. */
  readonly argsSha256: string;
  /** The arguments as a person may see them: bounded, without the bytes of data URLs. */
  readonly preview: string;
}

/** How a batch of calls ended. */
export interface BatchEnd {
  /** Approval or `pause()`; all other calls have run and were told to `onResult`. */
  readonly pending: readonly PendingCall[];
  readonly terminate: boolean;
}

/** What became of a call that a crash interrupted. */
export interface SettledCall {
  readonly executed: ExecutedCall;
  readonly action: "replayed" | "reconciled" | "marked_unknown";
}
