// labelled servers → the best one for a piece of work, and why
import PQueue from "p-queue";
import { backOffMs, type ClientClock } from "../client-clock.ts";
import { type ClientError, clientError, isKind, sentenceOf } from "../errors.ts";
import type { InferenceClient } from "../http/inference-client.ts";
import { checkServer, type FleetServer, type ServerReport, unhealthyReport } from "./check-server.ts";

/** What a server is wanted for. */
export type FleetPurpose = "run" | "pipeline" | "webrtc";

export interface ChosenServer {
  readonly label: string;
  readonly client: InferenceClient;
  /** Why this one, in one sentence. */
  readonly reason: string;
}

export interface FleetOptions {
  /** In order of preference among equals. At least one; labels differ. */
  readonly servers: readonly FleetServer[];
  readonly clock: ClientClock;
  /** Spreads the checks of ill servers; 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
  /** How long a good check counts. Default 3,000. */
  readonly freshMs?: number;
  /** Of each call of a check. Default 3,000. */
  readonly checkTimeoutMs?: number;
  /** Hosted pipelines that one server takes. Default 8, the limit since 1.8. */
  readonly pipelineLimit?: number;
}

/** Throws `ClientError` of kind `invalid` without servers or when two have the same label. */
export function createServerFleet(options: FleetOptions): ServerFleet {
  return new Fleet(options);
}

interface Member {
  readonly server: FleetServer;
  report: ServerReport | undefined;
  /** Monotonic; before it the report counts. */
  freshUntil: number;
  /** Monotonic. */
  checkedAt: number;
  /** In a row. */
  failures: number;
  checking: Promise<ServerReport> | undefined;
  /** Given out since the last check, which cannot have seen them. */
  placed: number;
  runs: number;
  /** Work that must not overlap. */
  readonly turns: PQueue;
}

interface Candidate {
  readonly member: Member;
  readonly report: ServerReport;
  readonly refusal: string | undefined;
}

export type ServerFleet = Pick<Fleet, keyof Fleet>;

/** A list of servers of which the best is taken for each piece of work. */
class Fleet {
  readonly labels: readonly string[];
  /** Hosted pipelines that one server takes. */
  readonly pipelineLimit: number;
  readonly #members: readonly Member[];
  readonly #clock: ClientClock;
  readonly #random: () => number;
  readonly #freshMs: number;
  readonly #checkTimeoutMs: number;
  readonly #closed = new AbortController();

  constructor(options: FleetOptions) {
    const labels = options.servers.map(({ label }) => label);
    if (labels.length === 0) throw clientError("invalid", "A fleet needs at least one server.");
    const twice = labels.find((label, index) => labels.indexOf(label) !== index);
    if (twice !== undefined) {
      const message = `Two servers are called "${twice}". Give each its own label.`;
      throw clientError("invalid", message);
    }
    this.labels = labels;
    this.#members = options.servers.map(toMember);
    this.#clock = options.clock;
    this.#random = options.random ?? Math.random;
    this.#freshMs = options.freshMs ?? 3000;
    this.#checkTimeoutMs = options.checkTimeoutMs ?? 3000;
    this.pipelineLimit = options.pipelineLimit ?? 8;
  }

  /** Undefined when the fleet has no such label. */
  client(label: string): InferenceClient | undefined {
    return this.#member(label)?.server.client;
  }

  /**
   * The healthiest, then least loaded server that is not to be avoided.
   * Throws `ClientError` of kind `network` that names every server and why not, `cancelled` when the signal fires.
   */
  async choose(
    wanted: { readonly for: FleetPurpose; readonly avoid?: ReadonlySet<string> },
    signal?: AbortSignal,
  ): Promise<ChosenServer> {
    const asked = this.#members.filter(({ server }) => !wanted.avoid?.has(server.label));
    const found = await this.#candidates(asked, wanted.for, signal);
    const usable = found.filter(({ refusal }) => refusal === undefined).sort((a, b) => compareLoad(a, b, wanted.for));
    const best = usable[0];
    if (!best) throw this.#noneCan(wanted.for, found, wanted.avoid);
    if (wanted.for === "run") best.member.runs += 1;
    else best.member.placed += 1;
    const { label, client } = best.member.server;
    return { label, client, reason: whyChosen(best, usable, found) };
  }

  /** A call to this server failed in a way that speaks against the server; it is left alone for a while, then checked. */
  noteFailure(label: string, reason: string): void {
    const member = this.#member(label);
    if (!member) return;
    const { server } = member;
    const known = { reason, pipelineLimit: this.pipelineLimit };
    this.#keep(member, { ...unhealthyReport(server, known), version: member.report?.version });
  }

  /** Every server, checked where the last check is old. Never throws for a server that is ill. */
  report(signal?: AbortSignal): Promise<readonly ServerReport[]> {
    return Promise.all(this.#members.map((member) => abortable(this.#reportOf(member), signal)));
  }

  /** Work that must not overlap with the same work on this server, one after the other. */
  inTurn<T>(label: string, work: () => Promise<T>): Promise<T> {
    return this.#member(label)?.turns.add(work) ?? work();
  }

  /** Ends checks under way. The clients belong to the caller. Twice is fine. */
  close(): void {
    this.#closed.abort();
  }

  #member(label: string): Member | undefined {
    return this.#members.find(({ server }) => server.label === label);
  }

  /** Looks again at servers thought ill when otherwise nobody could do it: an error would be the alternative. */
  async #candidates(
    asked: readonly Member[],
    purpose: FleetPurpose,
    signal: AbortSignal | undefined,
  ): Promise<readonly Candidate[]> {
    const found = await this.#judge(asked, purpose, signal);
    if (found.some(({ refusal }) => refusal === undefined)) return found;
    const stale = this.#clock.monotonic() - this.#freshMs;
    for (const { member } of found) if (member.checkedAt <= stale) member.freshUntil = 0;
    return this.#judge(asked, purpose, signal);
  }

  #judge(asked: readonly Member[], purpose: FleetPurpose, signal?: AbortSignal): Promise<readonly Candidate[]> {
    return Promise.all(
      asked.map(async (member) => {
        const report = await abortable(this.#reportOf(member), signal);
        return { member, report, refusal: await this.#refusal(member, report, purpose, signal) };
      }),
    );
  }

  async #refusal(
    member: Member,
    report: ServerReport,
    purpose: FleetPurpose,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    if (!report.healthy) return report.reason ?? "It is not healthy.";
    if (purpose === "pipeline") {
      if (!report.takesPipelines) return report.reason ?? "It takes no pipelines.";
      const load = loadOf(member, report);
      if (load >= report.pipelineLimit) return `It is full: ${load} of ${report.pipelineLimit} pipelines.`;
    }
    if (purpose === "webrtc") return this.#withoutWebRtc(member, signal);
    return undefined;
  }

  async #withoutWebRtc({ server }: Member, signal: AbortSignal | undefined): Promise<string | undefined> {
    try {
      const { families } = await server.client.capabilities({ signal: this.#either(signal) });
      return families.has("webrtc") ? undefined : "It has no WebRTC worker.";
    } catch (error) {
      if (isKind(error, "cancelled")) throw error;
      return sentenceOf(error);
    }
  }

  #reportOf(member: Member): Promise<ServerReport> {
    if (member.report && this.#clock.monotonic() < member.freshUntil) return Promise.resolve(member.report);
    member.checking ??= this.#check(member).finally(() => {
      member.checking = undefined;
    });
    return member.checking;
  }

  async #check(member: Member): Promise<ServerReport> {
    const report = await checkServer(member.server, {
      clock: this.#clock,
      timeoutMs: this.#checkTimeoutMs,
      pipelineLimit: this.pipelineLimit,
      signal: this.#closed.signal,
    });
    return this.#keep(member, report);
  }

  #keep(member: Member, report: ServerReport): ServerReport {
    const now = this.#clock.monotonic();
    // A silent stream manager costs every check its timeout, so it is left alone for a while too.
    const isWell = report.healthy && report.pipelines !== undefined;
    member.failures = isWell ? 0 : member.failures + 1;
    const restMs = backOffMs(member.failures, { baseMs: this.#freshMs, maxMs: 60_000, random: this.#random });
    member.freshUntil = now + (isWell ? this.#freshMs : restMs);
    member.checkedAt = now;
    member.report = report;
    member.placed = 0;
    member.runs = 0;
    return report;
  }

  #noneCan(purpose: FleetPurpose, found: readonly Candidate[], avoid: ReadonlySet<string> | undefined): ClientError {
    const reasons = this.#members.map(({ server: { label } }) => {
      if (avoid?.has(label)) return `"${label}": it failed a moment ago.`;
      return `"${label}": ${found.find(({ member }) => member.server.label === label)?.refusal}`;
    });
    const work = { run: "run this", pipeline: "take the pipeline", webrtc: "open a WebRTC session" }[purpose];
    return clientError("network", `No Inference server can ${work}. ${reasons.join(" ")}`);
  }

  #either(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
  }
}

function toMember(server: FleetServer): Member {
  return {
    server,
    report: undefined,
    freshUntil: 0,
    checkedAt: Number.NEGATIVE_INFINITY,
    failures: 0,
    checking: undefined,
    placed: 0,
    runs: 0,
    turns: new PQueue({ concurrency: 1 }),
  };
}

function loadOf(member: Member, report: ServerReport): number {
  return (report.pipelines ?? report.pipelineLimit) + member.placed;
}

/** Steps of 50 ms: less is noise, not a slower server. */
function latencyStep({ latencyMs }: ServerReport): number {
  return Math.round((latencyMs ?? 0) / 50);
}

function compareLoad(a: Candidate, b: Candidate, purpose: FleetPurpose): number {
  const load = loadOf(a.member, a.report) - loadOf(b.member, b.report);
  const latency = latencyStep(a.report) - latencyStep(b.report);
  const runs = purpose === "run" ? a.member.runs - b.member.runs : 0;
  return load || latency || runs;
}

function whyChosen(best: Candidate, usable: readonly Candidate[], found: readonly Candidate[]): string {
  const { label, pipelines, pipelineLimit, latencyMs, skew } = best.report;
  const load = pipelines === undefined ? "an unknown number of" : `${pipelines} of ${pipelineLimit}`;
  const own = `"${label}" has ${load} pipelines and answers in ${Math.round(latencyMs ?? 0)} ms.`;
  const others = usable
    .slice(1)
    .map(({ report }) => `"${report.label}" has ${report.pipelines ?? "an unknown number"}.`);
  const out = found
    .filter(({ refusal }) => refusal !== undefined)
    .map(({ report, refusal }) => `"${report.label}": ${refusal}`);
  return [own, skew, ...others, ...out].filter((part) => part !== undefined).join(" ");
}

/** The check goes on for whoever else waits for it. */
function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((done, fail) => {
    const stop = (): void => {
      fail(clientError("cancelled", "The choice of a server was cancelled.", { cause: signal.reason }));
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(done, fail).finally(() => signal.removeEventListener("abort", stop));
  });
}
