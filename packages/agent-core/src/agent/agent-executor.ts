import type { VisionInput } from "../artifacts/vision-input.ts";
import type { RequestConfig } from "../llm/llm-client.ts";
import type { AgentEvent, ExecutionOutcome } from "../types/events.ts";
import type { Message } from "../types/message.ts";
import type { PauseRecord, Resolution } from "../types/pause.ts";
import type { Principal } from "../types/principal.ts";
import type { StopPolicy } from "./stop-policy.ts";

/** A message to the agent. */
export interface ExecuteInput {
  readonly sessionId: string;
  readonly text: string;
  readonly images?: readonly VisionInput[];
  /** VI-9: what to do with images when the model cannot see. Default `strict`. */
  readonly visionMode?: "strict" | "lenient";
  readonly principal: Principal;
  readonly config?: RequestConfig;
  /** Who speaks, where it is not a person. Default `human`. */
  readonly origin?: Message["origin"];
  /** Chooses sections of the prompt, e.g. `heartbeat`. */
  readonly mode?: string;
  readonly stop?: Partial<StopPolicy>;
  /** Tools of this run, by name; absent means all. */
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** The same key twice in a session gives the same run, or its outcome when another process had it. */
  readonly dedupeKey?: string;
  readonly signal?: AbortSignal;
}

/** Who answers a pause, and what comes with the answer. */
export interface ResumeOptions {
  readonly principal: Principal;
  readonly images?: readonly VisionInput[];
  /** VI-24: `replace` leaves earlier pictures in the transcript and no longer sends them. Default `add`. */
  readonly imageMode?: "add" | "replace";
  readonly signal?: AbortSignal;
}

/** What was found and mended after a crash. */
export interface RecoveryReport {
  readonly sessions: number;
  readonly repaired: readonly {
    readonly sessionId: string;
    readonly skippedLines: number;
    readonly quarantinedBytes: number;
  }[];
  readonly interrupted: readonly {
    readonly sessionId: string;
    readonly callId: string;
    readonly action: "replayed" | "reconciled" | "marked_unknown";
  }[];
  readonly paused: number;
}

/** X7: events while it runs, and an outcome that never rejects. */
export interface RunHandle extends AsyncIterable<AgentEvent> {
  readonly runId: string;
  readonly sessionId: string;
  readonly outcome: Promise<ExecutionOutcome>;
  /** From the first event kept after `afterSeq`, then live to the end. Leaving the iteration does not cancel the run. */
  events(options?: { readonly afterSeq?: number }): AsyncIterable<AgentEvent>;
  /** Heard before the next model call. `run_over` means nobody heard it: send it as a new message. */
  steer(text: string): "queued" | "run_over";
  /** Heard when the run would otherwise end. */
  followUp(text: string): "queued" | "run_over";
  /** May be called twice. */
  cancel(reason?: string): Promise<void>;
}

/** AF-29: the loop behind every delivery: streamed, in the background, scheduled (SC-1). */
export interface AgentExecutor {
  /** Never throws: a run that cannot start ends with a failed outcome. */
  execute(input: ExecuteInput): RunHandle;
  /** Goes on where a pause stopped it. A wrong, used or expired token ends with a failed outcome. */
  resume(pauseId: string, resolution: Resolution, options: ResumeOptions): RunHandle;
  /** Goes on with every run whose pause nobody answered in time: its calls are denied. To be called now and then. */
  expirePaused(): Promise<readonly RunHandle[]>;
  /** Pauses that wait, across restarts, oldest first. */
  listPaused(filter?: { readonly sessionId?: string }): Promise<readonly PauseRecord[]>;
  /** Settles what a crash interrupted. To be called once, before the first run. */
  recover(): Promise<RecoveryReport>;
  /** A run that is going on or ended recently. */
  attach(runId: string): RunHandle | undefined;
  /** The run that holds this session now. */
  activeRun(sessionId: string): RunHandle | undefined;
  /** Takes nothing more, lets runs go on for `graceMs` (default 0), cancels the rest and waits. May be called twice. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
