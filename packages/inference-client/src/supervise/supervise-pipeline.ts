// start → server of the fleet → results, moved and started again until it ends or is seen stopped
import type { PipelineState } from "@vision-agent/protocol";
import { backOffMs } from "../client-clock.ts";
import { type ClientError, clientError, isKind, sentenceOf } from "../errors.ts";
import type { PipelineStart } from "../http/pipeline-calls.ts";
import type { CallOptions } from "../http/transport.ts";
import type { PipelineReport } from "../wire/pipeline-answers.ts";
import {
  type BackgroundSweep,
  createBackgroundSweep,
  endHosted,
  muteHosted,
  toClientError,
  unmuteHosted,
} from "./end-hosted.ts";
import { type FollowOutcome, followHosted, reasonOf } from "./follow-hosted.ts";
import { FrameDelivery } from "./frame-delivery.ts";
import { changeLedger, type LedgerEntry, markStopping, removeEntry } from "./pipeline-ledger.ts";
import { fingerprintOf, type Hosted, openHosted, probeSource, toHostedStart } from "./start-hosted.ts";
import type { HostedTimeouts, SuperviseOptions } from "./supervised-pipeline.ts";

const TIMEOUTS: HostedTimeouts = { validateMs: 30_000, initialiseMs: 60_000, controlMs: 15_000, consumeMs: 10_000 };
const RESTART = { baseMs: 1000, maxMs: 30_000 };
/** A run of this length was a good one: the next restart begins with a short wait. */
const GOOD_RUN_MS = 10_000;
const QUIET_MS = 5000;
/** The server's own sweep comes every second. */
const AUTO_END_MS = 1500;
const FILE_ATTEMPTS = 5;
/** A model may load longer than the consumption timeout waits for a first result. */
const LONGEST_CONSUMPTION_TIMEOUT_S = 240;

type GoneOutcome = Extract<FollowOutcome, { kind: "gone" }>;

type HostedFigures = ReturnType<SupervisedPipeline["figures"]>;

/** A workflow running on a server of the fleet, kept running from here. */
export class SupervisedPipeline {
  readonly #options: SuperviseOptions;
  readonly #timeouts: HostedTimeouts;
  readonly #fingerprint: string;
  readonly #delivery: FrameDelivery;
  readonly #random: () => number;
  readonly #sweep: BackgroundSweep;
  readonly #started = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<HostedFigures>();
  readonly #halt = new AbortController();
  /** Fires when it is to stop or to be let go. */
  readonly #signal: AbortSignal;
  readonly #main: Promise<void>;
  #start: PipelineStart;
  #state: PipelineState = "starting";
  #reason: string | undefined;
  #hosted: Hosted | undefined;
  #report: PipelineReport | undefined;
  #expectedFrames: number | undefined;
  #openedAt = 0;
  #resultsOfOpening = 0;
  #openings = 0;
  #failures = 0;
  #inTrouble = false;
  #paused = false;
  #isOver = false;
  #stopping: Promise<void> | undefined;

  /** Starts at once. */
  constructor(options: SuperviseOptions) {
    this.#options = options;
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts };
    this.#start = toHostedStart(options.start, options.isFile);
    this.#fingerprint = fingerprintOf(options.start, options.isFile);
    this.#delivery = new FrameDelivery(options);
    this.#random = options.random ?? Math.random;
    this.#signal = options.signal ? AbortSignal.any([this.#halt.signal, options.signal]) : this.#halt.signal;
    this.#sweep = createBackgroundSweep({
      ...options,
      random: this.#random,
      timeoutMs: this.#timeouts.controlMs,
      onClean: () => {
        if (this.#halt.signal.aborted) this.#finish("stopped");
      },
    });
    // Whoever does not wait for the first attempt learns of it from the state.
    this.started.catch(() => undefined);
    this.#main = this.#run();
  }

  /**
   * Settles with the first attempt. It rejects with a `ClientError` when no server took the pipeline;
   * unless the cause can never pass (state `failed`) it is tried again in the background until `stop`.
   */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Resolves, never rejects, when it ended, failed for good, was seen stopped, or was let go by the signal. */
  get ended(): Promise<HostedFigures> {
    return this.#over.promise;
  }

  figures() {
    const source = this.#report?.sources[0];
    return {
      state: this.#state,
      /** Why it is not simply running, in one sentence. */
      reason: this.#reason,
      /** Label of the server it is on, and the server's own id; undefined while it is on none. */
      server: this.#hosted?.entry.server,
      serverId: this.#hosted?.entry.serverId,
      /** Why that server was chosen. */
      placement: this.#hosted?.placement,
      /** Results per second over the last 3 seconds. */
      fps: this.#delivery.fps,
      framesProcessed: this.#delivery.processed,
      /** Numbers that were left out between two results, because the server was behind; pauses do not count. */
      framesDropped: this.#delivery.dropped,
      /** How often it was started again. */
      restarts: Math.max(0, this.#openings - 1),
      /** From the frame in the server's hand to its result. For a file the server counts from the file's own date. */
      latencyMs: this.#options.isFile ? undefined : source?.latencyMs,
      source: source?.size && { ...source.size, fps: source.fps ?? 0 },
      /** Frames in the file, when known. */
      totalFrames: this.#expectedFrames,
    };
  }

  /** Files are never paused on the server: they run on and their results are left out. Throws `ClientError`. */
  async pause(): Promise<void> {
    this.#assertAlive();
    if (this.#paused) return;
    this.#paused = true;
    try {
      const { client, entry } = this.#hosted ?? {};
      if (client && entry && !this.#options.isFile) await muteHosted(client, entry.serverId, this.#control());
    } catch (error) {
      this.#paused = false;
      throw error;
    }
    const reason = this.#options.isFile
      ? "A file cannot be paused on the server: it runs on, and its results are left out."
      : undefined;
    this.#setState("paused", reason);
  }

  /** Throws `ClientError`. */
  async resume(): Promise<void> {
    this.#assertAlive();
    if (!this.#paused) return;
    const { client, entry } = this.#hosted ?? {};
    if (client && entry && !this.#options.isFile) await unmuteHosted(client, entry.serverId, this.#control());
    this.#paused = false;
    this.#setState(this.#delivery.processed > 0 && this.#hosted ? "running" : "starting");
  }

  /**
   * Resolves when the server was seen without it. Otherwise rejects with a `ClientError`, keeps the entry in the
   * ledger as `stopping` and goes on trying in the background; calling again tries at once.
   */
  stop(): Promise<void> {
    this.#halt.abort();
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async #run(): Promise<void> {
    try {
      this.#adopt();
      while (!this.#isOver && !this.#signal.aborted) await this.#round();
    } catch (error) {
      if (!this.#signal.aborted) await this.#fail(sentenceOf(error));
    }
    this.#started.reject(clientError("cancelled", `Pipeline ${this.#options.pipelineId} was stopped.`));
    if (this.#options.signal?.aborted) this.#over.resolve(this.figures());
  }

  #adopt(): void {
    const { adopt, fleet } = this.#options;
    const client = adopt && fleet.client(adopt.server);
    if (client) this.#beginOpening({ entry: adopt, client, placement: `It was found running on "${adopt.server}".` });
  }

  async #round(): Promise<void> {
    if (!this.#hosted && this.#paused) return this.#options.clock.sleep(200, this.#signal);
    const hosted = this.#hosted ?? (await this.#open());
    if (!hosted) return;
    const outcome = await this.#follow(hosted);
    if (outcome.kind === "gone") await this.#afterGone(hosted, outcome);
    if (outcome.kind === "unreachable") await this.#afterUnreachable(hosted, outcome.reason);
  }

  /** Undefined when no server took it; then the wait is over and it can be tried again, or it failed for good. */
  async #open(): Promise<Hosted | undefined> {
    try {
      return this.#beginOpening(await this.#openOn(new Set()));
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      const failure = toClientError(error);
      this.#failures += 1;
      if (this.#isHopeless(failure)) {
        await this.#fail(failure.message);
        this.#started.reject(failure);
        return undefined;
      }
      this.#setState("reconnecting", failure.message);
      this.#started.reject(failure);
      await this.#rest();
      return undefined;
    }
  }

  async #openOn(avoid: ReadonlySet<string>): Promise<Hosted> {
    this.#expectedFrames = (await probeSource(this.#options, this.#signal)) ?? this.#expectedFrames;
    return openHosted({
      supervise: this.#options,
      start: this.#start,
      fingerprint: this.#fingerprint,
      timeouts: this.#timeouts,
      signal: this.#signal,
      avoid,
    });
  }

  #beginOpening(hosted: Hosted): Hosted {
    this.#hosted = hosted;
    this.#openings += 1;
    this.#openedAt = this.#options.clock.monotonic();
    this.#resultsOfOpening = 0;
    this.#inTrouble = false;
    this.#report = undefined;
    this.#delivery.beginOpening();
    this.#started.resolve();
    return hosted;
  }

  /** Something that ran before may run again after an upgrade or a new key; something new has only a mistake in it. */
  #isHopeless(failure: ClientError): boolean {
    if (this.#openings === 0 && isKind(failure, "invalid", "auth")) return true;
    return this.#options.isFile && this.#failures >= FILE_ATTEMPTS;
  }

  #follow({ client, entry }: Hosted): Promise<FollowOutcome> {
    return followHosted({
      label: entry.server,
      client,
      serverId: entry.serverId,
      clock: this.#options.clock,
      timeouts: this.#timeouts,
      signal: this.#signal,
      inTrouble: this.#inTrouble,
      excludedFields: () => this.#delivery.excludedFields(),
      isMuted: () => this.#paused && !this.#options.isFile,
      onResult: (result) => {
        this.#inTrouble = false;
        this.#resultsOfOpening += 1;
        if (this.#options.clock.monotonic() - this.#openedAt >= GOOD_RUN_MS) this.#failures = 0;
        if (this.#delivery.take(result, this.#paused)) this.#setState("running");
      },
      onReport: (report, quietMs) => this.#takeReport(report, quietMs),
    });
  }

  #takeReport(report: PipelineReport, quietMs: number): void {
    this.#inTrouble = false;
    this.#report = report;
    if (this.#options.isFile) this.#expectedFrames ??= report.sources[0]?.totalFrames;
    if (this.#paused) return;
    const reason = reasonOf(report);
    if (this.#resultsOfOpening === 0) {
      if (reason !== undefined) this.#setState(this.#state, reason);
    } else if (quietMs >= QUIET_MS) {
      this.#setState("reconnecting", ["No result for some seconds.", reason].filter(Boolean).join(" "));
    }
  }

  async #afterGone(hosted: Hosted, outcome: GoneOutcome): Promise<void> {
    const { clock, isFile } = this.#options;
    if (!outcome.confirmed) {
      await clock.sleep(AUTO_END_MS, this.#signal);
      await this.#confirmGone(hosted);
    } else {
      await removeEntry(this.#options.ledger, hosted.entry);
    }
    this.#hosted = undefined;
    if (isFile && (await this.#isFileDone(outcome))) return;
    this.#failures += 1;
    if (this.#resultsOfOpening === 0 && outcome.reason === undefined && !this.#paused) this.#waitLonger();
    const reason = outcome.reason ?? "The server ended the pipeline without saying why.";
    if (this.#paused) {
      this.#setState("paused", "The server ends a paused pipeline after a while; it is started again with resume.");
      return;
    }
    this.#setState("reconnecting", reason);
    await this.#rest();
  }

  async #confirmGone({ client, entry }: Hosted): Promise<void> {
    const { clock, ledger } = this.#options;
    try {
      await endHosted(client, entry.serverId, { clock, timeoutMs: this.#timeouts.controlMs, signal: this.#signal });
      await removeEntry(ledger, entry);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      await this.#endLater(entry);
    }
  }

  /** True when there is nothing to try again. */
  async #isFileDone(outcome: GoneOutcome): Promise<boolean> {
    const last = this.#delivery.lastFrameNumber;
    const expected = this.#expectedFrames;
    const isComplete = expected !== undefined && last >= expected;
    const wasCut = outcome.disturbed || (this.#resultsOfOpening === 0 && last > 0);
    if (!isComplete && !outcome.sourceEnded && wasCut) {
      if (this.#failures + 1 < FILE_ATTEMPTS) return false;
      await this.#fail(outcome.reason ?? `The server lost the file ${FILE_ATTEMPTS} times before its end.`);
      return true;
    }
    if (last === 0) {
      await this.#fail(outcome.reason ?? "The server ended the file before its first frame. Is it there, and a video?");
      return true;
    }
    const isTailMissing = expected !== undefined && last < expected;
    this.#finish("ended", isTailMissing ? `The last ${expected - last} of ${expected} frames are missing.` : undefined);
    return true;
  }

  #waitLonger(): void {
    const { consumptionTimeoutS: before } = this.#start;
    if (before === undefined) return;
    this.#start = { ...this.#start, consumptionTimeoutS: Math.min(LONGEST_CONSUMPTION_TIMEOUT_S, before * 2) };
  }

  async #afterUnreachable(hosted: Hosted, reason: string): Promise<void> {
    const { fleet, ledger } = this.#options;
    const { server } = hosted.entry;
    fleet.noteFailure(server, reason);
    this.#failures += 1;
    this.#inTrouble = true;
    this.#setState(this.#paused ? "paused" : "reconnecting", reason);
    if (fleet.labels.length > 1 && !this.#paused) {
      try {
        const next = await this.#openOn(new Set([server]));
        await markStopping(ledger, hosted.entry);
        this.#beginOpening(next);
        this.#sweep.begin();
        return;
      } catch (error) {
        if (this.#signal.aborted) return;
        this.#setState("reconnecting", `${reason} ${sentenceOf(error)}`);
      }
    }
    await this.#rest();
  }

  async #rest(): Promise<void> {
    await this.#options.clock.sleep(backOffMs(this.#failures, { ...RESTART, random: this.#random }), this.#signal);
  }

  async #stop(): Promise<void> {
    await this.#main;
    const { ledger } = this.#options;
    await changeLedger(ledger, (entries) =>
      entries.map((entry) =>
        entry.pipelineId === this.#options.pipelineId ? { ...entry, state: "stopping" as const } : entry,
      ),
    );
    const { left } = await this.#sweep.now();
    const [first] = left;
    if (!first) {
      this.#sweep.close();
      this.#finish("stopped");
      return;
    }
    const { entry, failure } = first;
    const message = `Pipeline ${this.#options.pipelineId} is not seen to be stopped and may still run on server "${entry.server}". It is ended when that server answers. ${failure.message}`;
    this.#setState("failed", message);
    this.#sweep.begin();
    throw clientError(failure.kind, message, { cause: failure });
  }

  async #endLater(entry: LedgerEntry): Promise<void> {
    await markStopping(this.#options.ledger, entry);
    this.#sweep.begin();
  }

  async #fail(reason: string): Promise<void> {
    const hosted = this.#hosted;
    this.#hosted = undefined;
    this.#finish("failed", reason);
    // A ledger that cannot be written is read as it stands by the sweep.
    if (hosted) await this.#endLater(hosted.entry).catch(() => this.#sweep.begin());
  }

  /** The first end is the one that counts. */
  #finish(state: PipelineState, reason?: string): void {
    if (this.#isOver) return;
    this.#hosted = undefined;
    this.#setState(state, reason);
    this.#isOver = true;
    this.#over.resolve(this.figures());
  }

  #setState(state: PipelineState, reason?: string): void {
    if (this.#isOver || (state === this.#state && reason === this.#reason)) return;
    this.#state = state;
    this.#reason = reason;
    this.#options.onState(state, reason);
  }

  #control(): CallOptions {
    return { timeoutMs: this.#timeouts.controlMs, signal: this.#signal };
  }

  #assertAlive(): void {
    if (!this.#isOver && !this.#signal.aborted) return;
    throw clientError("not_found", `Pipeline ${this.#options.pipelineId} does not run any more.`);
  }
}
