import type { ErrorView } from "../types/errors.ts";
import type { AgentEvent } from "../types/events.ts";
import type { JobRun, JobSpec } from "./job-spec.ts";

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
export interface Delivery {
  readonly job: JobSpec;
  readonly run: JobRun;
  readonly text: string;
  /** What tools raised during the run. */
  readonly alerts: readonly Extract<AgentEvent, { type: "alert" }>[];
}
