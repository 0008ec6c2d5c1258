// a run that is due → claimed → the agent → its answer stored, then told
import PQueue from "p-queue";
import type { AgentExecutor } from "../agent/executor.ts";
import type { RunHandle } from "../agent/run.ts";
import type { RequestConfig } from "../llm/llm-client.ts";
import { type Clock, type IdSource, raceAbort, sleepUnless } from "../types/clock.ts";
import { type AgentError, agentError, toAgentError } from "../types/errors.ts";
import { toActionRequests } from "./actions.ts";
import { followRun, isInfrastructure, isSilentReply, type JobRunEnd, toStopped } from "./follow-run.ts";
import {
  type ActionRequest,
  type JobDelivery,
  type JobEvent,
  type JobRun,
  type JobSpec,
  type JobStore,
  LEASE_MS,
  type StoredRun,
  toJobRun,
} from "./job-spec.ts";

/** X17: thinking counts as output too. */
const HEARTBEAT_CONFIG: RequestConfig = { maxTokens: 4_096 };

export interface JobRunnerOptions {
  /** What does the work. Without `onResumed`, `Jobs.resumed` must be called when a pause was answered. */
  readonly executor: Pick<AgentExecutor, "execute"> & Partial<Pick<AgentExecutor, "onResumed">>;
  readonly store: JobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly owner: string;
  /** The request's wishes by job. Default: 4 096 output tokens for a heartbeat, else the profile's. */
  readonly config?: (spec: JobSpec) => RequestConfig | undefined;
  /** Tells an answer to a person. What it throws is logged; the run stays completed. After a crash it may be told twice. */
  readonly deliver?: (delivery: JobDelivery) => Promise<void> | void;
  readonly onEvent: (event: JobEvent) => void;
  readonly createSubAction: (parent: JobSpec, request: ActionRequest, key: string) => Promise<unknown>;
  readonly onFree: (jobId: string) => void;
}

/** Runs what was chosen: one entry per run that this process holds. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #held = new Map<string, { readonly run: HeldRun; readonly done: Promise<void> }>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  holds(jobRunId: string): boolean {
    return this.#held.has(jobRunId);
  }

  /** The job that this run of the agent works for. */
  jobOf(agentRunId: string): JobSpec | undefined {
    return [...this.#held.values()].find(({ run }) => run.stored.runId === agentRunId)?.run.spec;
  }

  /**
   * Claims it and goes on by itself: with the agent, with the run that a person's answer resumed, or with telling an
   * answer that a dead process had stored.
   */
  async start(spec: JobSpec, stored: StoredRun, resumed?: RunHandle): Promise<JobRun | undefined> {
    const { pause: _, reason: __, ...answered } = stored;
    const claim = { ...(resumed ? answered : stored), state: "claimed", lease: newLease(this.#options) } as const;
    const claimed = await this.#options.store.swapRun(claim);
    if (!claimed) return undefined;
    const run = new HeldRun(spec, claimed, this.#options);
    const done = run.work(resumed).finally(() => {
      this.#held.delete(stored.id);
      this.#options.onFree(spec.id);
    });
    this.#held.set(stored.id, { run, done });
    return toJobRun(claimed);
  }

  /** Resolves when it has ended. */
  async cancel(jobRunId: string, reason: AgentError): Promise<void> {
    const held = this.#held.get(jobRunId);
    held?.run.abort.abort(reason);
    await held?.done;
  }

  /** All that this process holds, or those of one job. */
  async cancelAll(reason: AgentError, jobId?: string): Promise<void> {
    const held = [...this.#held].filter(([, { run }]) => jobId === undefined || run.spec.id === jobId);
    await Promise.all(held.map(([id]) => this.cancel(id, reason)));
  }

  /** Of all that this process holds, or of those that work in one session. */
  async allDone(sessionId?: string): Promise<void> {
    const held = [...this.#held.values()];
    const wanted = held.filter(({ run }) => sessionId === undefined || run.stored.sessionId === sessionId);
    await Promise.all(wanted.map(({ done }) => done));
  }
}

function newLease({ owner, clock }: JobRunnerOptions): StoredRun["lease"] {
  return { owner, untilMs: clock.now() + LEASE_MS };
}

const LEASE_LOST = "lease_lost";
/** Reason of a run whose answer was told to nobody. */
const SILENT = "silent_reply";

/** A run that this process holds. Its changes go one after the other: each needs the revision of the one before. */
class HeldRun {
  readonly spec: JobSpec;
  readonly abort = new AbortController();
  readonly #options: JobRunnerOptions;
  readonly #changes = new PQueue({ concurrency: 1 });
  #stored: StoredRun;

  constructor(spec: JobSpec, stored: StoredRun, options: JobRunnerOptions) {
    this.spec = spec;
    this.#stored = stored;
    this.#options = options;
  }

  get stored(): StoredRun {
    return this.#stored;
  }

  /** Never rejects. The timers live as long as the run. */
  async work(resumed: RunHandle | undefined): Promise<void> {
    const over = new AbortController();
    const timers = [this.#renewLease(over.signal), this.#expire(over.signal)];
    try {
      const end = this.#stored.output ? undefined : await this.#runAttempts(resumed);
      const isOver = end !== undefined && (await this.#store(end));
      if (!isOver) await this.#conclude(end?.alerts ?? []);
    } catch (thrown) {
      await this.#fail(toAgentError(thrown, { kind: "agent", code: "job_failed" }));
    } finally {
      over.abort();
      await Promise.all(timers);
    }
  }

  /** Left claimed, it would keep all later runs from beginning. An answer that was stored has been told by now. */
  async #fail(failure: AgentError): Promise<void> {
    const error = failure.view();
    this.#options.onEvent({ type: "scheduler_failed", jobId: this.spec.id, error });
    if (error.code === LEASE_LOST) return;
    const end = this.#stored.output ? ({ state: "completed" } as const) : ({ state: "failed", error } as const);
    try {
      await this.#change({ ...end, endedAt: this.#now(), lease: undefined });
      this.#log("run_ended");
    } catch (thrown) {
      // The store still fails: the run is found again when its lease is over.
      const again = toAgentError(thrown, { kind: "agent", code: "job_failed" }).view();
      this.#options.onEvent({ type: "scheduler_failed", jobId: this.spec.id, error: again });
    }
  }

  async #renewLease(over: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#options.clock.sleep(LEASE_MS / 3, over);
        await this.#change({ lease: newLease(this.#options) });
      }
    } catch (thrown) {
      if (!over.aborted) this.abort.abort(thrown);
    }
  }

  async #expire(over: AbortSignal): Promise<void> {
    const { id, timeoutMs } = this.spec;
    await sleepUnless(this.#options.clock, timeoutMs, over);
    const message = `The job "${id}" took longer than ${timeoutMs / 1000} s.`;
    if (!over.aborted) this.abort.abort(agentError("timeout", "job_timeout", message));
  }

  async #runAttempts(resumed: RunHandle | undefined): Promise<JobRunEnd> {
    const { retries } = this.spec;
    const { signal } = this.abort;
    for (let handle = resumed ?? this.#execute(); ; handle = this.#execute()) {
      const end = await this.#attempt(handle);
      const { attempt } = this.#stored;
      const isWorthAnother = end.state === "failed" && end.error !== undefined && isInfrastructure(end.error);
      if (!isWorthAnother || attempt > retries.max) return end;
      await this.#change({ attempt: attempt + 1 });
      this.#log("run_retried", end.error);
      await sleepUnless(this.#options.clock, retries.backoffMs * 2 ** (attempt - 1), signal);
      if (signal.aborted) return { ...toStopped(signal), alerts: [], signals: [] };
    }
  }

  async #attempt(handle: RunHandle): Promise<JobRunEnd> {
    const { runId, sessionId } = handle;
    const startedAt = this.#stored.startedAt ?? this.#now();
    const isFirst = this.#stored.state !== "running";
    const following = Promise.allSettled([followRun(handle, this.abort.signal)]);
    // Whatever becomes of the note that it runs, the run itself is waited for.
    const [noted] = await Promise.allSettled([this.#change({ state: "running", startedAt, runId, sessionId })]);
    if (isFirst && noted.status === "fulfilled") this.#log("run_started");
    const [followed] = await following;
    if (noted.status === "rejected") throw noted.reason;
    if (followed.status === "rejected") throw followed.reason;
    return followed.value;
  }

  #execute(): RunHandle {
    const { kind, taskConfig, principal, timeoutMs, tools, model } = this.spec;
    const isHeartbeat = kind === "heartbeat";
    const handle: RunHandle | undefined = this.#options.executor.execute({
      sessionId: this.#sessionId(),
      text: taskConfig.instructions,
      principal,
      origin: isHeartbeat ? "heartbeat" : "job",
      mode: taskConfig.mode ?? kind,
      stop: { maxWallMs: timeoutMs },
      dedupeKey: `${this.#stored.id}#${this.#stored.attempt}`,
      images: taskConfig.images?.map((artifactId) => ({ artifactId })),
      config: this.#options.config?.(this.spec) ?? (isHeartbeat ? HEARTBEAT_CONFIG : undefined),
      tools,
      model,
    });
    if (!handle) throw agentError("agent", "host_callback", "The executor of the jobs failed: it gave no run.");
    return handle;
  }

  #sessionId(): string {
    const { mode, sessionId } = this.spec.session;
    if (mode === "main" && sessionId !== undefined) return sessionId;
    const own = this.#options.ids.next("job");
    return sessionId === undefined ? own : `${sessionId}.${own}`;
  }

  /** SC-15: the output first, then the state. False when the answer is still to be told. */
  async #store(end: JobRunEnd): Promise<boolean> {
    const { state, output, error, reason, pause, alerts } = end;
    if (state === "paused") {
      await this.#change({ state, pause, reason, lease: undefined });
      this.#log("run_paused");
      return true;
    }
    const kept = this.spec.delivery === "none" ? {} : output;
    if (state !== "completed") {
      await this.#change({ state, output: kept, error, reason, endedAt: this.#now(), lease: undefined });
      this.#log("run_ended");
      return true;
    }
    const { silentReply } = this.spec;
    const isSilent = silentReply !== undefined && alerts.length === 0 && isSilentReply(output?.text ?? "", silentReply);
    await this.#change({ output: kept ?? {}, reason: isSilent ? SILENT : undefined });
    for (const [index, request] of end.signals.flatMap(toActionRequests).entries()) {
      const key = `${this.#stored.id}:${index}`;
      await this.#try("action_refused", "action", () => this.#options.createSubAction(this.spec, request, key));
    }
    return false;
  }

  async #conclude(alerts: JobDelivery["alerts"]): Promise<void> {
    const run = toJobRun(this.#stored);
    if (this.spec.delivery === "alert" && run.reason !== SILENT) {
      const delivery = { job: this.spec, run, text: run.output?.text ?? "", alerts };
      const deliver = async (): Promise<void> => this.#options.deliver?.(structuredClone(delivery));
      await this.#try("delivery_failed", "delivery", () => raceAbort(deliver(), this.abort.signal));
    }
    await this.#change({ state: "completed", endedAt: this.#now(), lease: undefined });
    this.#log("run_ended");
  }

  /** A failure is told, and the run goes on. */
  async #try(type: "action_refused" | "delivery_failed", code: string, step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (thrown) {
      const error = toAgentError(thrown, { kind: "agent", code }).view();
      this.#options.onEvent({ type, job: this.spec, run: toJobRun(this.#stored), error });
    }
  }

  #log(type: "run_started" | "run_retried" | "run_paused" | "run_ended", error = this.#stored.error): void {
    this.#options.onEvent({ type, job: this.spec, run: { ...toJobRun(this.#stored), error } });
  }

  /** Throws `AgentError` kind `cancelled`, code `lease_lost` when somebody else has it now. */
  #change(change: Partial<StoredRun>): Promise<void> {
    return this.#changes.add(async () => {
      const { id } = this.#stored;
      const next = await this.#options.store.swapRun({ ...this.#stored, ...change });
      if (!next) throw agentError("cancelled", LEASE_LOST, `Somebody else has the job run "${id}" now.`);
      this.#stored = next;
    });
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
