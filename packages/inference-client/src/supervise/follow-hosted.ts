// one hosted pipeline → results as fast as they come, until it is gone or its server is
import type { ClientClock } from "../client-clock.ts";
import { ClientError, isKind, sentenceOf } from "../errors.ts";
import type { InferenceClient } from "../http/inference-client.ts";
import type { ConsumedResult, PipelineReport } from "../wire/pipeline-answers.ts";
import type { HostedTimeouts } from "./supervised-pipeline.ts";

export type FollowOutcome =
  | {
      readonly kind: "gone";
      /** False: it makes no more results and will be gone in a moment, which nobody has seen yet. */
      readonly confirmed: boolean;
      /** The source came to its own end. */
      readonly sourceEnded: boolean;
      /** Calls failed in between: the server may have been started anew. */
      readonly disturbed: boolean;
      readonly reason: string | undefined;
    }
  /** The server does not answer, or only nonsense. The pipeline may still run there. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "cancelled" };

export interface FollowOptions {
  readonly label: string;
  readonly client: InferenceClient;
  readonly serverId: string;
  readonly clock: ClientClock;
  readonly timeouts: HostedTimeouts;
  readonly signal: AbortSignal;
  /** Failed before: the first failure is enough this time. */
  readonly inTrouble: boolean;
  /** Asked before every result. */
  readonly excludedFields: () => readonly string[];
  /** True while the server is told to give nothing. */
  readonly isMuted: () => boolean;
  readonly onResult: (result: ConsumedResult) => void;
  /** Every few seconds, and when nothing comes. `quietMs`: since the last result. */
  readonly onReport: (report: PipelineReport, quietMs: number) => void;
}

const SHORT_PAUSE_MS = 20;
const LONG_PAUSE_MS = 200;
const MUTED_PAUSE_MS = 500;
const REPORT_EVERY_MS = 5000;
const REPORT_WHEN_QUIET_MS = 700;
/** A result may still be on its way from the ended thread to the buffer. */
const DRAIN_MS = 300;
/** The same when the server has named a frame that has not come yet. */
const LONG_DRAIN_MS = 3000;
const TIMEOUTS_IN_A_ROW = 2;
const FAILURES_IN_A_ROW = 3;

export async function followHosted(options: FollowOptions): Promise<FollowOutcome> {
  return new Follower(options).run();
}

class Follower {
  readonly #options: FollowOptions;
  #pauseMs = SHORT_PAUSE_MS;
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** Since the first empty answer after a result; a call of ours that takes long is no quiet of the source. */
  #quietSince: number | undefined;
  #finishedAt: number | undefined;
  #lastFrameId = 0;
  #report: PipelineReport | undefined;
  #timeouts = 0;
  #failures = 0;
  #disturbed: boolean;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#quietSince = options.clock.monotonic();
    this.#disturbed = options.inTrouble;
  }

  async run(): Promise<FollowOutcome> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        const finished = await this.#turn();
        if (finished) return this.#gone(false);
      } catch (error) {
        const outcome = this.#judge(error);
        if (outcome) return outcome;
      }
    }
    return { kind: "cancelled" };
  }

  /** True when the last result has been taken from a pipeline that makes no more. */
  async #turn(): Promise<boolean> {
    const { client, serverId, clock, timeouts, signal, excludedFields, isMuted } = this.#options;
    if (this.#failures > 0) await clock.sleep(LONG_PAUSE_MS * this.#failures, signal);
    if (this.#isReportDue()) await this.#takeReport();
    const result = await client.pipelines.consume(serverId, {
      timeoutMs: timeouts.consumeMs,
      signal,
      excludedFields: excludedFields(),
    });
    this.#failures = 0;
    this.#timeouts = 0;
    if (signal.aborted) return false;
    const now = clock.monotonic();
    if (result) {
      this.#quietSince = undefined;
      this.#lastFrameId = Math.max(this.#lastFrameId, ...result.frames.map((frame) => frame?.frameId ?? 0));
      this.#pauseMs = SHORT_PAUSE_MS;
      this.#options.onResult(result);
      return false;
    }
    this.#quietSince ??= now;
    if (this.#isDrained(now)) return true;
    await clock.sleep(isMuted() ? MUTED_PAUSE_MS : this.#pauseMs, signal);
    this.#pauseMs = Math.min(LONG_PAUSE_MS, this.#pauseMs * 2);
    return false;
  }

  #isDrained(now: number): boolean {
    if (this.#finishedAt === undefined) return false;
    const named = Math.max(0, ...(this.#report?.sources ?? []).map(({ lastFrameId }) => lastFrameId ?? 0));
    return now - this.#finishedAt >= (named > this.#lastFrameId ? LONG_DRAIN_MS : DRAIN_MS);
  }

  #isReportDue(): boolean {
    const isQuiet = this.#quietMs() >= REPORT_WHEN_QUIET_MS && !this.#options.isMuted();
    return this.#options.clock.monotonic() - this.#reportedAt >= (isQuiet ? REPORT_WHEN_QUIET_MS : REPORT_EVERY_MS);
  }

  #quietMs(): number {
    return this.#quietSince === undefined ? 0 : this.#options.clock.monotonic() - this.#quietSince;
  }

  async #takeReport(): Promise<void> {
    const { client, serverId, clock, timeouts, signal, onReport } = this.#options;
    const report = await client.pipelines.status(serverId, { timeoutMs: timeouts.consumeMs, signal });
    this.#reportedAt = clock.monotonic();
    this.#report = report;
    if (isFinished(report)) this.#finishedAt ??= this.#reportedAt;
    onReport(report, this.#quietMs());
  }

  #gone(confirmed: boolean): FollowOutcome {
    const report = this.#report;
    return {
      kind: "gone",
      confirmed,
      sourceEnded: report !== undefined && hasEnded(report),
      disturbed: this.#disturbed,
      reason: report && reasonOf(report),
    };
  }

  /** Undefined: try again. */
  #judge(error: unknown): FollowOutcome | undefined {
    const { signal, label, inTrouble } = this.#options;
    if (signal.aborted) return { kind: "cancelled" };
    if (!(error instanceof ClientError)) throw error;
    if (isKind(error, "not_found")) return this.#gone(true);
    this.#disturbed = true;
    this.#quietSince = undefined;
    this.#failures += 1;
    this.#timeouts = isSilence(error) ? this.#timeouts + 1 : 0;
    if (this.#timeouts >= (inTrouble ? 1 : TIMEOUTS_IN_A_ROW)) {
      return { kind: "unreachable", reason: wedgedSentence(label, error) };
    }
    if (this.#failures >= (inTrouble ? 1 : FAILURES_IN_A_ROW)) {
      return { kind: "unreachable", reason: `Server "${label}" fails: ${sentenceOf(error)}` };
    }
    return undefined;
  }
}

/** With a time limit of its own the server says `ConnectivityError` for a manager that does not answer. */
function isSilence(error: ClientError): boolean {
  return error.kind === "timeout" || error.errorType === "ConnectivityError";
}

function wedgedSentence(label: string, error: ClientError): string {
  return `Stream manager wedged: server "${label}" gave no answer to its pipeline calls, several in a row. Restart that server. ${error.message}`;
}

/** The last thing that went wrong, in the server's words; undefined when nothing did. */
export function reasonOf(report: PipelineReport): string | undefined {
  const update = report.updates.findLast(({ severity, error }) => error !== undefined || severity === "error");
  if (!update) return undefined;
  return update.error === undefined ? `The server reports ${update.type}.` : `The server reports: ${update.error}`;
}

/** Nothing more will come: the thread that makes results has ended. */
export function isFinished(report: PipelineReport): boolean {
  return report.updates.some(({ type }) => type === "INFERENCE_THREAD_FINISHED");
}

/** Every source came to its own end, as a file does. */
export function hasEnded(report: PipelineReport): boolean {
  return report.sources.length > 0 && report.sources.every(({ state }) => state === "ENDED");
}
