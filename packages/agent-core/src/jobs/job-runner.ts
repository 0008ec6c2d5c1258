// a run that is due → claimed → the agent → its answer stored, then told
import PQueue from "p-queue";
import type { AgentExecutor } from "../agent/executor.ts";
import type { ExecuteInput } from "../agent/options.ts";
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
  /** What does the work; its `execute` is all that is used. */
  readonly executor: Pick<AgentExecutor, "execute">;
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

interface ActiveRun {
  readonly spec: JobSpec;
  readonly claim: ClaimedRun;
  readonly abort: AbortController;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/** Runs what was chosen: one entry per run that this process holds. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #active = new Map<string, ActiveRun>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  holds(jobRunId: string): boolean {
    return this.#active.has(jobRunId);
  }

  /** The job that this run of the agent works for. */
  jobOf(agentRunId: string): JobSpec | undefined {
    return [...this.#active.values()].find(({ claim }) => claim.run.runId === agentRunId)?.spec;
  }

  /**
   * Claims it and goes on by itself: with the agent, with the run that a person's answer resumed, or with telling an
   * answer that a dead process had stored.
   */
  async start(spec: JobSpec, run: StoredRun, resumed?: RunHandle): Promise<JobRun | undefined> {
    const { pause: _, reason: __, ...answered } = run;
    const claim = { ...(resumed ? answered : run), state: "claimed", lease: this.#lease() } as const;
    const claimed = await this.#options.store.swapRun(claim);
    return claimed && this.#activate(spec, claimed, resumed);
  }

  /** Resolves when it has ended. */
  async cancel(jobRunId: string, reason: AgentError): Promise<void> {
    const active = this.#active.get(jobRunId);
    active?.abort.abort(reason);
    await active?.done;
  }

  /** All that this process holds, or those of one job. */
  async cancelAll(reason: AgentError, jobId?: string): Promise<void> {
    const held = [...this.#active].filter(([, { spec }]) => jobId === undefined || spec.id === jobId);
    await Promise.all(held.map(([id]) => this.cancel(id, reason)));
  }

  async allDone(): Promise<void> {
    await Promise.all([...this.#active.values()].map(({ done }) => done));
  }

  #lease(): StoredRun["lease"] {
    return { owner: this.#options.owner, untilMs: this.#options.clock.now() + LEASE_MS };
  }

  #activate(spec: JobSpec, run: StoredRun, resumed: RunHandle | undefined): JobRun {
    const claim = new ClaimedRun(this.#options.store, run);
    const abort = new AbortController();
    const done = this.#hold(spec, claim, abort, resumed).finally(() => {
      this.#active.delete(run.id);
      this.#options.onFree(spec.id);
    });
    this.#active.set(run.id, { spec, claim, abort, done });
    return toJobRun(run);
  }

  /** The timers live as long as the run. */
  async #hold(spec: JobSpec, claim: ClaimedRun, abort: AbortController, resumed: RunHandle | undefined): Promise<void> {
    const over = new AbortController();
    const timers = [this.#renewLease(claim, abort, over.signal), this.#expire(spec, abort, over.signal)];
    try {
      const end = claim.run.output ? undefined : await this.#runAttempts(spec, claim, abort.signal, resumed);
      const isOver = end !== undefined && (await this.#store(spec, claim, end));
      if (!isOver) await this.#conclude(spec, claim, end?.alerts ?? [], abort.signal);
    } catch (thrown) {
      const error = toAgentError(thrown, { kind: "agent", code: "job_failed" }).view();
      this.#options.onEvent({ type: "scheduler_failed", jobId: spec.id, error });
    } finally {
      over.abort();
      await Promise.all(timers);
    }
  }

  async #renewLease(claim: ClaimedRun, abort: AbortController, over: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#options.clock.sleep(LEASE_MS / 3, over);
        await claim.change({ lease: this.#lease() });
      }
    } catch (thrown) {
      if (!over.aborted) abort.abort(thrown);
    }
  }

  async #expire(spec: JobSpec, abort: AbortController, over: AbortSignal): Promise<void> {
    await sleepUnless(this.#options.clock, spec.timeoutMs, over);
    const message = `The job "${spec.id}" took longer than ${spec.timeoutMs / 1000} s.`;
    if (!over.aborted) abort.abort(agentError("timeout", "job_timeout", message));
  }

  async #runAttempts(
    spec: JobSpec,
    claim: ClaimedRun,
    signal: AbortSignal,
    resumed: RunHandle | undefined,
  ): Promise<JobRunEnd> {
    for (let handle = resumed ?? this.#execute(spec, claim.run); ; handle = this.#execute(spec, claim.run)) {
      const end = await this.#attempt(spec, claim, handle, signal);
      const { attempt } = claim.run;
      const isWorthAnother = end.state === "failed" && end.error !== undefined && isInfrastructure(end.error);
      if (!isWorthAnother || attempt > spec.retries.max) return end;
      await claim.change({ attempt: attempt + 1 });
      this.#options.onEvent({ type: "run_retried", job: spec, run: { ...toJobRun(claim.run), error: end.error } });
      await sleepUnless(this.#options.clock, spec.retries.backoffMs * 2 ** (attempt - 1), signal);
      if (signal.aborted) return { ...toStopped(signal), alerts: [], signals: [] };
    }
  }

  async #attempt(spec: JobSpec, claim: ClaimedRun, handle: RunHandle, signal: AbortSignal): Promise<JobRunEnd> {
    const { runId, sessionId } = handle;
    const startedAt = claim.run.startedAt ?? this.#now();
    const isFirst = claim.run.state !== "running";
    const following = followRun(handle, signal);
    // Whatever becomes of the note that it runs, the run itself is waited for.
    const [noted] = await Promise.allSettled([claim.change({ state: "running", startedAt, runId, sessionId })]);
    if (isFirst && noted.status === "fulfilled") {
      this.#options.onEvent({ type: "run_started", job: spec, run: toJobRun(claim.run) });
    }
    const end = await following;
    if (noted.status === "rejected") throw noted.reason;
    return end;
  }

  #execute(spec: JobSpec, run: StoredRun): RunHandle {
    const { instructions, images, mode } = spec.taskConfig;
    const isHeartbeat = spec.kind === "heartbeat";
    const config = this.#options.config?.(spec) ?? (isHeartbeat ? HEARTBEAT_CONFIG : undefined);
    const input: ExecuteInput = {
      sessionId: spec.session.sessionId ?? this.#options.ids.next("job"),
      text: instructions,
      principal: spec.principal,
      origin: isHeartbeat ? "heartbeat" : "job",
      mode: mode ?? spec.kind,
      stop: { maxWallMs: spec.timeoutMs },
      dedupeKey: `${run.id}#${run.attempt}`,
      images: images?.map((artifactId) => ({ artifactId })),
      config,
      tools: spec.tools,
    };
    return this.#options.executor.execute(input);
  }

  /** SC-15: the output first, then the state. False when the answer is still to be told. */
  async #store(spec: JobSpec, claim: ClaimedRun, end: JobRunEnd): Promise<boolean> {
    const { state, output, error, reason, pause } = end;
    if (state === "paused") {
      await claim.change({ state, pause, reason, lease: undefined });
      this.#options.onEvent({ type: "run_paused", job: spec, run: toJobRun(claim.run) });
      return true;
    }
    const kept = spec.delivery === "none" ? {} : output;
    if (state !== "completed") {
      await claim.change({ state, output: kept, error, reason, endedAt: this.#now(), lease: undefined });
      this.#options.onEvent({ type: "run_ended", job: spec, run: toJobRun(claim.run) });
      return true;
    }
    await claim.change({ output: kept ?? {}, reason: isSilentEnd(spec, end) ? SILENT : undefined });
    await this.#createSubActions(spec, claim.run, end);
    return false;
  }

  async #conclude(spec: JobSpec, claim: ClaimedRun, alerts: JobDelivery["alerts"], signal: AbortSignal): Promise<void> {
    const run = toJobRun(claim.run);
    if (spec.delivery === "alert" && run.reason !== SILENT) {
      await this.#tell({ job: spec, run, text: run.output?.text ?? "", alerts }, signal);
    }
    await claim.change({ state: "completed", endedAt: this.#now(), lease: undefined });
    this.#options.onEvent({ type: "run_ended", job: spec, run: toJobRun(claim.run) });
  }

  async #tell(delivery: JobDelivery, signal: AbortSignal): Promise<void> {
    const { job, run } = delivery;
    try {
      await raceAbort(Promise.resolve(this.#options.deliver?.(delivery)), signal);
    } catch (thrown) {
      const error = toAgentError(thrown, { kind: "agent", code: "delivery" }).view();
      this.#options.onEvent({ type: "delivery_failed", job, run, error });
    }
  }

  async #createSubActions(job: JobSpec, run: StoredRun, { signals }: JobRunEnd): Promise<void> {
    for (const [index, request] of signals.flatMap(toActionRequests).entries()) {
      try {
        await this.#options.createSubAction(job, request, `${run.id}:${index}`);
      } catch (thrown) {
        const error = toAgentError(thrown, { kind: "agent", code: "action" }).view();
        this.#options.onEvent({ type: "action_refused", job, run: toJobRun(run), error });
      }
    }
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

/** A run that this process holds. Its changes go one after the other: each needs the revision of the one before. */
class ClaimedRun {
  readonly #store: JobStore;
  readonly #queue = new PQueue({ concurrency: 1 });
  #run: StoredRun;

  constructor(store: JobStore, run: StoredRun) {
    this.#store = store;
    this.#run = run;
  }

  get run(): StoredRun {
    return this.#run;
  }

  /** Throws `AgentError` kind `cancelled`, code `lease_lost` when somebody else has it now. */
  change(change: Partial<StoredRun>): Promise<void> {
    return this.#queue.add(async () => {
      const next = await this.#store.swapRun({ ...this.#run, ...change });
      if (!next) throw agentError("cancelled", "lease_lost", `Somebody else has the job run "${this.#run.id}" now.`);
      this.#run = next;
    });
  }
}

/** Reason of a run whose answer was told to nobody. */
const SILENT = "silent_reply";

function isSilentEnd({ silentReply }: JobSpec, { output, alerts }: JobRunEnd): boolean {
  return silentReply !== undefined && alerts.length === 0 && isSilentReply(output?.text ?? "", silentReply);
}
