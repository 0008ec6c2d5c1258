import type { ErrorView } from "../types/errors.ts";
import type { AgentEvent } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { Principal } from "../types/message.ts";

/** When a job runs. */
export type Trigger =
  | { readonly type: "manual" }
  /** ISO 8601 with an offset, such as `2026-06-01T13:00:00Z`. */
  | { readonly type: "at"; readonly time: string }
  /** Counted from the anchor, a time of the same form; default 1970, so that quarters of an hour fall on the clock's own. */
  | { readonly type: "every"; readonly ms: number; readonly anchor?: string }
  /** Five fields: minute, hour, day of month, month, day of week, in an IANA time zone. */
  | { readonly type: "cron"; readonly expression: string; readonly timeZone: string };

/** X11: background actions, cron tasks and heartbeats alike. */
export interface JobSpec {
  readonly id: string;
  readonly kind: "action" | "cron" | "heartbeat";
  readonly trigger: Trigger;
  readonly taskConfig: {
    readonly instructions: string;
    /** Artifact ids. */
    readonly images?: readonly string[];
    /** Chooses sections of the prompt. Default: the kind of the job. */
    readonly mode?: string;
  };
  /**
   * `isolated`: a conversation of its own for every attempt, whose id begins with `sessionId` where one is given.
   * `main`: the conversation of `sessionId`.
   */
  readonly session: { readonly mode: "isolated" | "main"; readonly sessionId?: string };
  readonly principal: Principal;
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Default: the executor's. */
  readonly model?: string;
  /** From the start to the end, retries included. Default 15 minutes (SC-13). */
  readonly timeoutMs: number;
  /** For failures of the infrastructure only. The wait doubles each time. */
  readonly retries: { readonly max: number; readonly backoffMs: number };
  /**
   * What happens to times that passed while nobody was there. `skip`: nothing. `run_once`: one run for all of them,
   * when the newest is not older than `graceMs`. `catch_up`: the newest `maxCatchUp` of those within `graceMs`, in order.
   */
  readonly misfire: {
    readonly policy: "skip" | "run_once" | "catch_up";
    readonly graceMs: number;
    readonly maxCatchUp: number;
  };
  /** When it is due while it still runs: left out, or one waits. A run that waits for a person does not count. */
  readonly overlap: "skip" | "queue_one";
  /** An answer of just this is told to nobody. VA-3 */
  readonly silentReply?: string;
  /** `alert`, the default: the answer is stored and told to `deliver`; `store`: stored; `none`: only the state is kept. */
  readonly delivery: "alert" | "store" | "none";
  /** The job whose run made this one; `depth` counts from 1. SC-14 */
  readonly parent?: { readonly jobId: string; readonly depth: number };
  readonly enabled: boolean;
}

/** Where a run of a job stands. */
export type JobRunState =
  | "scheduled"
  | "claimed"
  | "running"
  | "paused"
  | "completed"
  | "failed"
  | "timed_out"
  | "cancelled"
  | "skipped";

/** One run of a job, as its history has it. */
export interface JobRun {
  readonly id: string;
  readonly jobId: string;
  readonly state: JobRunState;
  readonly dueAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** From 1. */
  readonly attempt: number;
  /** Of the agent's run, and the conversation that it is in. */
  readonly runId?: string;
  readonly sessionId?: string;
  readonly output?: { readonly text?: string; readonly artifacts?: readonly string[]; readonly structured?: Json };
  /** For a run that waits for a person. */
  readonly pause?: { readonly id: string; readonly expiresAt?: string };
  /** Why it was skipped, cancelled or told to nobody, or what it is waiting for. */
  readonly reason?: string;
  readonly error?: ErrorView;
}

/** SC-11: what a log should hold. */
export type JobEvent =
  | {
      readonly type: "run_started" | "run_ended" | "run_skipped" | "run_paused" | "run_retried";
      readonly job: JobSpec;
      readonly run: JobRun;
    }
  /** The answer is stored, but nobody was told. */
  | { readonly type: "delivery_failed"; readonly job: JobSpec; readonly run: JobRun; readonly error: ErrorView }
  /** A run asked for an action that it does not get. */
  | { readonly type: "action_refused"; readonly job: JobSpec; readonly run: JobRun; readonly error: ErrorView }
  /** The scheduler goes on; `jobId` where one job is to blame. */
  | { readonly type: "scheduler_failed"; readonly jobId?: string; readonly error: ErrorView };

/** An answer that a person is told. */
export interface JobDelivery {
  readonly job: JobSpec;
  readonly run: JobRun;
  readonly text: string;
  /** What tools raised during the run. */
  readonly alerts: readonly Extract<AgentEvent, { type: "alert" }>[];
}

/** What an agent may ask to be done later. SC-14 */
export interface ActionRequest {
  readonly instructions: string;
  /** ISO 8601 with an offset. Default at once. */
  readonly scheduleTime?: string;
  /** Whether the answer is told to a person, or only stored. Default true. */
  readonly notify?: boolean;
}

/** Who asks for an action. */
export interface ActionOrigin {
  /** The agent's run that asks; when it belongs to a job, that job becomes the parent. */
  readonly runId: string;
  readonly principal: Principal;
  /** The same key gives the same action, across restarts. */
  readonly key: string;
}

/** A job as the store keeps it. */
export interface StoredJob {
  readonly spec: JobSpec;
  readonly createdAtMs: number;
  /** Every due time up to here has its run. */
  readonly coveredUntilMs: number;
  /** An agent asked for it: it counts for the day's limit. */
  readonly byAgent: boolean;
}

/** A run of a job as the store keeps it. */
export interface StoredRun extends JobRun {
  /** Grows with every change: who changes an old one comes too late. */
  readonly revision: number;
  /** Who runs it, and until when nobody else may. */
  readonly lease?: { readonly owner: string; readonly untilMs: number };
}

/** Jobs and their runs. Every change is on disk when it resolves, where there is a disk. */
export interface JobStore {
  /** One process at a time has it: a run that another one holds is that of a dead process, whatever its lease says. */
  readonly isExclusive: boolean;
  jobs(): Promise<readonly StoredJob[]>;
  putJob(job: StoredJob): Promise<void>;
  /** With its runs. False when there was none. */
  removeJob(id: string): Promise<boolean>;
  /** Adds those whose ids are new and moves `coveredUntilMs` on, both or neither. Gives those that it added. */
  addRuns(jobId: string, runs: readonly StoredRun[], coveredUntilMs?: number): Promise<readonly StoredRun[]>;
  /** Compare and swap by `revision`: the run as it is now, or undefined when somebody else changed it first. */
  swapRun(run: StoredRun): Promise<StoredRun | undefined>;
  run(id: string): Promise<StoredRun | undefined>;
  /** Leaves out what ended runs answered, of those that `goes` names; nothing of it stays on disk. Says how many. */
  forgetOutputs(goes: (run: StoredRun) => boolean): Promise<number>;
  /** By due time, oldest first. */
  runs(filter: { readonly jobId?: string; readonly states?: readonly JobRunState[] }): Promise<readonly StoredRun[]>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** What others see of a run. */
export function toJobRun({ revision: _, lease: __, ...run }: StoredRun): JobRun {
  return run;
}

/** States from which a run does not change any more. */
export function hasEnded({ state }: Pick<JobRun, "state">): boolean {
  return state !== "scheduled" && state !== "claimed" && state !== "running" && state !== "paused";
}

/** A lease that is not renewed for so long is that of a dead process. */
export const LEASE_MS = 60_000;

/** Whether nobody renews the lease any more. */
export function isExpired({ lease }: StoredRun, nowMs: number): boolean {
  // A lease that ends later than any could was made before the clock was set back.
  return lease === undefined || lease.untilMs <= nowMs || lease.untilMs > nowMs + LEASE_MS;
}

/** Whether it is too late for an answer. */
export function isUnanswered({ pause }: StoredRun, nowMs: number): boolean {
  return Date.parse(pause?.expiresAt ?? "") <= nowMs;
}
