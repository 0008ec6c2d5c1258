// time → what is due → begun, queued or left out, each due time once
import PQueue from "p-queue";
import { sessionOfPause } from "../agent/pause.ts";
import type { RunHandle } from "../agent/run.ts";
import { createDayWindows } from "../budget/day-window.ts";
import { NO_SECRETS, type SecretTokens } from "../observability/secret-tokens.ts";
import { type ChildAbort, createChildAbort, sleepUnless, waitAtMost } from "../types/clock.ts";
import { type AgentError, agentError, messageOf, toAgentError } from "../types/errors.ts";
import { findUnknownOption, type KeysOf } from "../types/known-options.ts";
import { tellListener } from "../types/listener.ts";
import { assertWithinLimits, type SubActionLimits, toActionId, toActionSpec } from "./actions.ts";
import { assertJobSpec } from "./create-job-spec.ts";
import { newRun, nextUncovered, planRuns, recordDueTimes } from "./due-times.ts";
import { JobRunner, type JobRunnerOptions } from "./job-runner.ts";
import {
  type ActionOrigin,
  type ActionRequest,
  hasEnded,
  isExpired,
  isUnanswered,
  type JobEvent,
  type JobRun,
  type JobSpec,
  type StoredJob,
  type StoredRun,
  type Trigger,
  toJobRun,
} from "./job-spec.ts";

/** What a scheduler needs. */
export interface JobsOptions
  extends Pick<JobRunnerOptions, "executor" | "store" | "clock" | "ids" | "config" | "deliver"> {
  /** SC-11: the log. Must not throw. */
  readonly onEvent?: (event: JobEvent) => void;
  /** Default 3 deep and 20 a day. */
  readonly actions?: Partial<SubActionLimits>;
  /** IANA name; the day of the limit above. Default UTC. */
  readonly timeZone?: string;
  /** Tokens take the place of secrets in the instructions that are stored; those of the executor, so that its tools know them. */
  readonly secrets?: Pick<SecretTokens, "open" | "hide"> | undefined;
  /** Why a run is not worth beginning, for its history; undefined, null or an empty text lets it begin. All jobs wait for the answer. */
  readonly skipReason?: (spec: JobSpec, wanted: RunWanted) => Promise<string | undefined>;
}

/** Why a run is to begin: its time has come, or somebody asked for it. */
export type RunWanted = "due" | "asked";

/** So long at most, to notice when the wall clock was moved. */
const NAP_MS = 60_000;

const JOBS_KEYS: KeysOf<JobsOptions> = {
  executor: true,
  store: true,
  clock: true,
  ids: true,
  config: true,
  deliver: true,
  onEvent: true,
  actions: true,
  timeZone: true,
  secrets: true,
  skipReason: true,
};

/**
 * X11: background actions, cron tasks and heartbeats on one scheduler. Does nothing by itself before `start`. Throws
 * `AgentError` kind `invalid`, code `bad_options`, for an option that there is not.
 */
export function createJobs(options: JobsOptions): Jobs {
  const unknown = findUnknownOption(options, JOBS_KEYS);
  if (unknown !== undefined) throw agentError("invalid", "bad_options", unknown);
  return new JobScheduler(options);
}

/** A scheduler for actions, cron tasks and heartbeats. */
export type Jobs = Pick<JobScheduler, keyof JobScheduler>;

/** What is due, what ran, what was skipped and why. */
class JobScheduler {
  readonly #options: JobsOptions;
  readonly #runner: JobRunner;
  readonly #limits: SubActionLimits;
  readonly #dayAt: ReturnType<typeof createDayWindows>;
  /** One decision at a time. Runs themselves go on beside it. */
  readonly #decisions = new PQueue({ concurrency: 1 });
  /** Runs that were chosen and wait for the one before them, by job. */
  readonly #queues = new Map<string, StoredRun[]>();
  #loop: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  #stopping: Promise<void> | undefined;
  #nap: ChildAbort | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#limits = { maxDepth: 3, maxPerDay: 20, ...options.actions };
    this.#dayAt = createDayWindows(options.timeZone ?? "UTC");
    this.#runner = new JobRunner({
      ...options,
      owner: options.ids.next("scheduler"),
      onEvent: (event) => this.#tell(event),
      createSubAction: (parent, request, key) =>
        this.#decisions.add(() => this.#addAction(request, { parent, principal: parent.principal, key })),
      onFree: (jobId) => this.#startNext(jobId),
    });
    options.executor.onResumed?.((pauseId, run) => {
      this.resumed(pauseId, run).catch((thrown: unknown) => this.#failed(thrown));
    });
  }

  /** Adds or changes. Throws `AgentError` kind `invalid`, code `bad_job`. The same trigger keeps its place in time. */
  upsert(spec: JobSpec): Promise<void> {
    return this.#decisions.add(() => this.#put(spec, false));
  }

  /** With its history; a run that is going on is cancelled. False when there was none. */
  async remove(id: string): Promise<boolean> {
    // Not in turn: a run that ends may wait for its own turn to add actions.
    await this.#runner.cancelAll(cancelled("job_removed"), id);
    return this.#decisions.add(() => {
      this.#queues.delete(id);
      return this.#options.store.removeJob(id);
    });
  }

  async list(): Promise<readonly JobSpec[]> {
    return (await this.#options.store.jobs()).map(({ spec }) => spec);
  }

  /** SC-12: resolves when it has begun, waits in line, or was skipped. Throws code `unknown_job`. */
  runNow(id: string): Promise<JobRun> {
    return this.#decisions.add(async () => {
      if (this.#stopping) throw agentError("invalid", "jobs_stopped", "Jobs are stopped.");
      const job = await this.#find(id);
      if (!job) throw agentError("invalid", "unknown_job", `There is no job "${id}".`);
      const run = newRun(id, this.#options.ids.next("jobrun"), this.#options.clock.now());
      await this.#options.store.addRuns(id, [run]);
      await this.#admit(job.spec, [run], "asked").catch((thrown: unknown) => this.#giveUp(job.spec, run, thrown));
      return toJobRun((await this.#options.store.run(run.id)) ?? run);
    });
  }

  /** Resolves when it has ended; one that had ended stays as it is. Throws code `unknown_job_run`. */
  async cancel(jobRunId: string): Promise<void> {
    if (this.#runner.holds(jobRunId)) return this.#runner.cancel(jobRunId, cancelled("user"));
    await this.#decisions.add(async () => {
      const run = await this.#options.store.run(jobRunId);
      if (!run) throw agentError("invalid", "unknown_job_run", `No run "${jobRunId}".`);
      const job = await this.#find(run.jobId);
      if (job && !hasEnded(run)) await this.#end(job.spec, run, { state: "cancelled", reason: "user" });
    });
  }

  /** Newest first. */
  async history(jobId: string, limit: number): Promise<readonly JobRun[]> {
    const runs = await this.#options.store.runs({ jobId });
    return runs.toReversed().slice(0, limit).map(toJobRun);
  }

  /** An action for later. Throws `AgentError` kind `invalid`, code `action_depth`, `action_limit` or `bad_job`. */
  createAction(request: ActionRequest, { runId, principal, key }: ActionOrigin): Promise<JobSpec> {
    const parent = this.#runner.jobOf(runId);
    return this.#decisions.add(() => this.#addAction(request, { principal, key, parent }));
  }

  /**
   * For a run that another executor than that of these jobs resumed: when the pause was that of a job, the job's run ends
   * as the handle does. Undefined when no job waits for it. Throws code `unknown_pause` for what is not the id of a pause.
   */
  async resumed(pauseId: string, handle: RunHandle): Promise<JobRun | undefined> {
    // Somebody may answer before it is written down that the job waits.
    await this.#runner.allDone(sessionOfPause(pauseId));
    return this.#decisions.add(async () => {
      const paused = await this.#options.store.runs({ states: ["paused"] });
      const run = paused.find(({ pause }) => pause?.id === pauseId);
      if (!run && sessionOfPause(pauseId) === "") {
        throw agentError("invalid", "unknown_pause", `There is no pause with the id "${pauseId}".`);
      }
      const job = run && (await this.#find(run.jobId));
      return job ? this.#runner.start(job.spec, run, handle) : undefined;
    });
  }

  /** May be called twice. */
  start(): void {
    if (this.#loop) return;
    this.#stopping = undefined;
    const abort = new AbortController();
    this.#loop = { abort, done: this.#drive(abort.signal) };
  }

  /** Waits so long for runs that are going on, then cancels them. Default 0. May be called twice. */
  stop(graceMs = 0): Promise<void> {
    this.#stopping ??= this.#halt(graceMs);
    return this.#stopping;
  }

  async #halt(graceMs: number): Promise<void> {
    this.#loop?.abort.abort();
    await this.#loop?.done;
    this.#loop = undefined;
    await this.#decisions.onIdle();
    this.#queues.clear();
    if (graceMs > 0) await waitAtMost(this.#options.clock, graceMs, this.#runner.allDone());
    await this.#runner.cancelAll(cancelled("shutdown"));
  }

  async #drive(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Made before the tick, so that a call during it cuts the nap short.
      const nap = createChildAbort(signal);
      this.#nap = nap;
      const waitMs = await this.#decisions.add(() => this.#tick()).catch((thrown: unknown) => this.#failed(thrown));
      await sleepUnless(this.#options.clock, waitMs, nap.signal);
      nap.dispose();
    }
  }

  #failed(thrown: unknown, jobId?: string): number {
    const error = toAgentError(thrown, { kind: "agent", code: "scheduler" }).view();
    this.#tell({ type: "scheduler_failed", error, jobId });
    return NAP_MS;
  }

  /** Gives the time until something is due again. */
  async #tick(): Promise<number> {
    const { store, clock } = this.#options;
    const nowMs = clock.now();
    const enabled = async (): Promise<readonly StoredJob[]> => (await store.jobs()).filter(({ spec }) => spec.enabled);
    for (const job of await enabled()) {
      await this.#attend(job, nowMs).catch((thrown: unknown) => this.#failed(thrown, job.spec.id));
    }
    const waits = (await enabled()).map((job) => nextUncovered(job) - nowMs);
    // What is overdue still was refused by the store: it is not tried again at once.
    return Math.min(NAP_MS, ...waits.filter((waitMs) => waitMs > 0));
  }

  async #attend(job: StoredJob, nowMs: number): Promise<void> {
    const { spec } = job;
    await this.#recover(spec, nowMs);
    await recordDueTimes(this.#options.store, job, nowMs);
    const scheduled = await this.#options.store.runs({ jobId: spec.id, states: ["scheduled"] });
    if (scheduled.length === 0) return;
    const queued = new Set(this.#queues.get(spec.id)?.map(({ id }) => id));
    if (!(await this.#isBusy(spec.id))) await this.#begin(spec);
    const due = scheduled.filter((run) => Date.parse(run.dueAt) <= nowMs && !queued.has(run.id));
    const plan = planRuns(due, spec.misfire, nowMs);
    for (const run of plan.skip) await this.#end(spec, run, { state: "skipped", reason: "missed" });
    await this.#admit(spec, plan.start, "due");
  }

  /** Runs of processes that died, and pauses that nobody answered in time. */
  async #recover(spec: JobSpec, nowMs: number): Promise<void> {
    const { store } = this.#options;
    const paused = await store.runs({ jobId: spec.id, states: ["paused"] });
    for (const run of paused.filter((one) => isUnanswered(one, nowMs))) {
      await this.#end(spec, run, { state: "cancelled", reason: "pause_expired" });
    }
    const claimed = (await store.runs({ jobId: spec.id, states: CLAIMED })).filter(({ id }) => !this.#runner.holds(id));
    for (const run of claimed.filter((one) => store.isExclusive || isExpired(one, nowMs))) {
      if (run.output) await this.#runner.start(spec, run);
      else if (run.attempt > spec.retries.max) await this.#end(spec, run, { state: "failed", error: INTERRUPTED });
      else {
        const attempt = run.attempt + 1;
        await store.swapRun({ ...run, state: "scheduled", attempt, reason: "interrupted", lease: undefined });
      }
    }
  }

  /** Begins the first and lets the rest wait, or leaves them out: nothing to do, or what the job says about overlaps. */
  async #admit(spec: JobSpec, runs: readonly StoredRun[], wanted: RunWanted): Promise<void> {
    const skipped = runs.length > 0 ? await this.#whyNot(spec, wanted) : undefined;
    if (skipped) {
      for (const run of runs) await this.#end(spec, run, skipped);
      return;
    }
    const queue = this.#queues.get(spec.id) ?? [];
    const isBusy = queue.length > 0 || (await this.#isBusy(spec.id));
    const room = isBusy && spec.overlap === "queue_one" ? 1 - queue.length : 0;
    const waiting = isBusy ? runs.slice(0, Math.max(0, room)) : runs;
    for (const run of runs.slice(waiting.length)) await this.#end(spec, run, { state: "skipped", reason: "overlap" });
    if (waiting.length === 0) return;
    this.#queues.set(spec.id, [...queue, ...waiting]);
    if (!isBusy) await this.#begin(spec);
  }

  /** Somebody was told that it did not begin: it does not begin later either. */
  async #giveUp(spec: JobSpec, run: StoredRun, thrown: unknown): Promise<never> {
    const error = toAgentError(thrown, { kind: "agent", code: "scheduler" });
    await this.#end(spec, run, { state: "failed", error: error.view() });
    throw error;
  }

  /** How a run ends that is not begun. A rule of the host that fails begins nothing. */
  async #whyNot(spec: JobSpec, wanted: RunWanted): Promise<Partial<JobRun> | undefined> {
    try {
      const reason: unknown = await this.#options.skipReason?.(structuredClone(spec), wanted);
      if (reason === undefined || reason === null || reason === "") return undefined;
      if (typeof reason !== "string") throw new TypeError(`it gave ${typeof reason} in place of a text`);
      return { state: "skipped", reason };
    } catch (thrown) {
      const message = `The skipReason of this program failed: ${messageOf(thrown)}`;
      return { state: "failed", error: agentError("agent", "host_callback", message).view() };
    }
  }

  /** A listener that fails stops no job. */
  #tell(event: JobEvent): void {
    const warn = (): void => process.emitWarning("The onEvent of the jobs failed: it must not throw.");
    tellListener(() => this.#options.onEvent?.(structuredClone(event)), warn);
  }

  /** Here or in another process. */
  async #isBusy(jobId: string): Promise<boolean> {
    return (await this.#options.store.runs({ jobId, states: CLAIMED })).length > 0;
  }

  /** The next of the queue that nobody else has claimed. */
  async #begin(spec: JobSpec): Promise<void> {
    const queue = this.#queues.get(spec.id) ?? [];
    for (let run = queue.shift(); run; run = queue.shift()) {
      if (await this.#runner.start(spec, run)) return;
    }
  }

  #startNext(jobId: string): void {
    if (!this.#queues.get(jobId)?.length) return;
    this.#decisions
      .add(async () => {
        const job = await this.#find(jobId);
        if (job && !this.#stopping && !(await this.#isBusy(jobId))) await this.#begin(job.spec);
      })
      .catch((thrown: unknown) => this.#failed(thrown, jobId));
  }

  async #end(spec: JobSpec, run: StoredRun, end: Partial<JobRun>): Promise<void> {
    const endedAt = new Date(this.#options.clock.now()).toISOString();
    const ended = await this.#options.store.swapRun({ ...run, ...end, endedAt, lease: undefined });
    const type = end.state === "skipped" ? "run_skipped" : "run_ended";
    if (ended) this.#tell({ type, job: spec, run: toJobRun(ended) });
  }

  async #put(given: JobSpec, byAgent: boolean): Promise<void> {
    assertJobSpec(given);
    const { store, clock, secrets = NO_SECRETS } = this.#options;
    await secrets.open();
    const spec = { ...given, taskConfig: secrets.hide(given.taskConfig) };
    const before = await this.#find(spec.id);
    const nowMs = clock.now();
    const hasMoved = before !== undefined && !isSameTrigger(before.spec.trigger, spec.trigger);
    if (hasMoved) {
      this.#queues.delete(spec.id);
      for (const run of await store.runs({ jobId: spec.id, states: ["scheduled"] })) {
        await this.#end(before.spec, run, { state: "cancelled", reason: "rescheduled" });
      }
    }
    const isSame = before?.spec.enabled === spec.enabled && !hasMoved;
    // SC-11: an action whose time has passed is late, not forgotten.
    const uncoveredFromMs = spec.trigger.type === "at" ? Math.min(nowMs, Date.parse(spec.trigger.time) - 1) : nowMs;
    await store.putJob({
      spec,
      createdAtMs: before?.createdAtMs ?? nowMs,
      coveredUntilMs: isSame ? before.coveredUntilMs : uncoveredFromMs,
      byAgent: before?.byAgent ?? byAgent,
    });
    // SC-10: an action is there as `scheduled` before its time comes.
    if (spec.trigger.type === "at") {
      await store.addRuns(spec.id, [newRun(spec.id, undefined, Date.parse(spec.trigger.time))]);
    }
    this.#nap?.abort("changed");
  }

  async #addAction(
    request: ActionRequest,
    { key, ...by }: { readonly principal: JobSpec["principal"]; readonly key: string; readonly parent?: JobSpec },
  ): Promise<JobSpec> {
    const id = toActionId(key);
    const before = await this.#find(id);
    if (before) return before.spec;
    const nowMs = this.#options.clock.now();
    const spec = toActionSpec(request, { id, ...by }, nowMs);
    const { day } = this.#dayAt(nowMs);
    const made = (await this.#options.store.jobs()).filter((job) => job.byAgent);
    const madeToday = made.filter(({ createdAtMs }) => this.#dayAt(createdAtMs).day === day).length;
    assertWithinLimits(spec, madeToday, this.#limits);
    await this.#put(spec, true);
    return spec;
  }

  async #find(id: string): Promise<StoredJob | undefined> {
    return (await this.#options.store.jobs()).find(({ spec }) => spec.id === id);
  }
}

const CLAIMED: readonly JobRun["state"][] = ["claimed", "running"];

const INTERRUPTED = {
  kind: "agent",
  code: "interrupted",
  message: "The process that ran it died.",
  retryable: true,
} as const;

function isSameTrigger(a: Trigger, b: Trigger): boolean {
  return JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
}

function cancelled(code: string): AgentError {
  return agentError("cancelled", code, `The job was cancelled: ${code}.`);
}
