import type { WorkflowProblem } from "@vision-agent/protocol";
import { ClientError } from "../errors.ts";
import type { InferenceClient } from "../http/inference-client.ts";
import type { PipelineStart } from "../http/pipeline-calls.ts";
import type { CallOptions } from "../http/transport.ts";
import type { ConsumedResult, PipelineReport, SourceState } from "../wire/pipeline-answers.ts";
import type { ManualClock } from "./manual-clock.ts";

/** What is the matter with the server. `wedged`: only its stream manager. */
export type Trouble = "none" | "dead" | "hung" | "wedged" | "garbage" | "busy";

export interface StandInSource {
  readonly fps: number;
  /** A file has an end. */
  readonly frames?: number;
  alive: boolean;
}

export interface StandInPipeline {
  readonly id: string;
  readonly start: PipelineStart;
  readonly phantom: boolean;
  openedAt: number;
  consumedAt: number;
  /** Frames taken by `consume`. */
  taken: number;
  muted: boolean;
  endsAt: number;
  endedAt: number | undefined;
  error: string | undefined;
}

/** A hand-written Inference server in test time, as fragile as the real one: for logic without sockets. */
export class StandInServer {
  readonly calls: string[] = [];
  readonly pipelines = new Map<string, StandInPipeline>();
  version = "1.8.3";
  trouble: Trouble = "none";
  source: StandInSource = { fps: 10, alive: true };
  problems: readonly WorkflowProblem[] = [];
  /** Thrown by the next `initialise` calls; a phantom stays behind. */
  initialiseFails = 0;
  /** Each frame fails in the workflow, in these words. */
  workflowError: string | undefined;
  /** Terminate is answered with success and does nothing. */
  ignoresTerminate = false;
  /** How long a muted file takes to its end. */
  runOutMs = 1000;
  picture: string | undefined;
  readonly #label: string;
  readonly #clock: ManualClock;
  #count = 0;

  constructor(label: string, clock: ManualClock) {
    this.#label = label;
    this.#clock = clock;
  }

  /** A new process: it knows nothing of what ran. */
  restart(version = this.version): void {
    this.version = version;
    this.trouble = "none";
    this.pipelines.clear();
  }

  readonly client: InferenceClient = this.#createClient();

  #createClient(): InferenceClient {
    const unused = (): never => {
      throw new Error("The stand-in server has no such call.");
    };
    return {
      url: "http://stand-in",
      info: (call) => this.#answer("info", call, () => ({ name: "stand-in", version: this.version })),
      health: (call) => this.#answer("health", call, () => ({ healthy: true as const })),
      capabilities: (call) =>
        this.#answer("capabilities", call, () => ({
          version: this.version,
          families: new Set(["webrtc" as const]),
          paths: new Set<string>(),
        })),
      infer: unused,
      inferBatch: unused,
      models: { list: unused, add: unused, remove: unused, clear: unused },
      foundation: new Proxy({}, { get: () => unused }) as InferenceClient["foundation"],
      workflows: {
        run: unused,
        runSaved: unused,
        validate: (_, call) => this.#answer("validate", call, () => this.problems),
        describeBlocks: unused,
        describeInterface: unused,
        describeWorkload: unused,
        versions: unused,
      },
      pipelines: {
        initialise: (start, call) => this.#answer("initialise", call, () => this.#initialise(start)),
        list: (call) => this.#answer("list", call, () => [...this.pipelines.keys()]),
        status: (id, call) => this.#answer("status", call, () => this.#report(this.#find(id))),
        pause: (id, call) => this.#answer("pause", call, () => this.#mute(id, true)),
        resume: (id, call) => this.#answer("resume", call, () => this.#mute(id, false)),
        terminate: (id, call) => this.#answer("terminate", call, () => this.#terminate(this.#find(id))),
        consume: (id, call) => this.#answer("consume", call, () => this.#consume(this.#find(id), call?.excludedFields)),
      },
      webrtc: { initialise: unused },
      close: () => undefined,
    };
  }

  async #answer<T>(name: string, call: CallOptions | undefined, give: () => T): Promise<T> {
    this.calls.push(name);
    const isPipelineCall = !["info", "health", "validate", "capabilities"].includes(name);
    if (this.trouble === "hung" || (this.trouble === "wedged" && isPipelineCall)) {
      if (call?.timeoutMs === undefined) throw new Error(`${name} was called without a time limit.`);
      await this.#clock.sleep(call.timeoutMs, call.signal);
      throw new ClientError({ kind: "timeout", message: `${this.#label} did not answer in time.` });
    }
    await this.#clock.sleep(2, call?.signal);
    if (this.trouble === "dead") throw new ClientError({ kind: "network", message: `${this.#label} is not there.` });
    if (this.trouble === "garbage")
      throw new ClientError({ kind: "protocol", message: `${this.#label} says nonsense.` });
    if (this.trouble === "busy")
      throw new ClientError({ kind: "busy", message: `${this.#label} says 503.`, status: 503 });
    this.#sweep();
    return give();
  }

  #initialise(start: PipelineStart): string {
    const failed = this.initialiseFails > 0;
    const now = this.#clock.monotonic();
    this.#count += 1;
    const id = `${this.#label}-${this.#count}`;
    const error = this.source.alive ? undefined : "Cannot connect to video source.";
    this.pipelines.set(id, {
      id,
      start,
      phantom: failed,
      openedAt: now,
      consumedAt: now,
      taken: 0,
      muted: false,
      endsAt: Number.POSITIVE_INFINITY,
      endedAt: error === undefined ? undefined : now,
      error,
    });
    if (!failed) return id;
    this.initialiseFails -= 1;
    throw new ClientError({ kind: "server", message: "Unknown internal error.", status: 500 });
  }

  /** What the real manager does every second. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const pipeline of this.pipelines.values()) {
      if (pipeline.phantom) continue;
      const isDecoded = this.#decoded(pipeline) >= (this.source.frames ?? Number.POSITIVE_INFINITY);
      if (now >= pipeline.endsAt || !this.source.alive || isDecoded) pipeline.endedAt ??= now;
      const silentS = (now - pipeline.consumedAt) / 1000;
      const isForgotten = silentS > (pipeline.start.consumptionTimeoutS ?? Number.POSITIVE_INFINITY);
      const isOver = pipeline.endedAt !== undefined && now - pipeline.endedAt >= 1000;
      if (isForgotten || isOver) this.pipelines.delete(pipeline.id);
    }
  }

  #decoded({ openedAt, endedAt }: StandInPipeline): number {
    const seconds = ((endedAt ?? this.#clock.monotonic()) - openedAt) / 1000;
    return Math.floor(seconds * this.source.fps);
  }

  #produced(pipeline: StandInPipeline): number {
    if (pipeline.error !== undefined || this.workflowError !== undefined) return 0;
    const decoded = this.#decoded(pipeline);
    if (this.source.frames === undefined) return decoded;
    // Everything in the decoding buffer is lost when the decoder is done.
    const lost = pipeline.start.decodingBufferSize === 1 ? 0 : Math.min(this.source.frames, 60);
    return Math.min(decoded, this.source.frames - lost);
  }

  #terminate(pipeline: StandInPipeline): void {
    // The decoder of a file waits for room, nobody makes any, and the manager waits for the decoder.
    if (this.source.frames !== undefined && pipeline.endedAt === undefined && !pipeline.phantom) {
      this.trouble = "wedged";
      throw new ClientError({ kind: "server", message: "The manager is gone.", errorType: "ConnectivityError" });
    }
    if (!this.ignoresTerminate) this.pipelines.delete(pipeline.id);
  }

  #find(id: string): StandInPipeline {
    const found = this.pipelines.get(id);
    if (!found) throw new ClientError({ kind: "not_found", message: `Could not find pipeline ${id}.`, status: 404 });
    return found;
  }

  #mute(id: string, muted: boolean): void {
    const pipeline = this.#find(id);
    // A muted file runs to its end as fast as it can be decoded.
    if (this.source.frames !== undefined) pipeline.endsAt = this.#clock.monotonic() + this.runOutMs;
    pipeline.muted = muted;
    pipeline.taken = this.#produced(pipeline);
  }

  #consume(pipeline: StandInPipeline, excluded: readonly string[] = []): ConsumedResult | undefined {
    if (pipeline.muted) pipeline.taken = this.#produced(pipeline);
    if (pipeline.taken >= this.#produced(pipeline)) return undefined;
    pipeline.taken += 1;
    pipeline.consumedAt = this.#clock.monotonic();
    const timestamp = new Date(this.#clock.now()).toISOString().replace("Z", "");
    const picture = { type: "base64", value: this.picture ?? "" };
    const outputs = { count: 2, ...(this.picture !== undefined && !excluded.includes("viz") && { viz: picture }) };
    return { frames: [{ sourceId: 0, frameId: pipeline.taken, timestamp, outputs }] };
  }

  #report(pipeline: StandInPipeline): PipelineReport {
    if (pipeline.phantom) return { sources: [], updates: [] };
    const error = pipeline.error ?? this.workflowError;
    const updates: PipelineReport["updates"] = error ? [{ severity: "error", type: "INFERENCE_ERROR", error }] : [];
    if (pipeline.endedAt !== undefined)
      updates.push({ severity: "info", type: "INFERENCE_THREAD_FINISHED", error: undefined });
    const isFile = this.source.frames !== undefined;
    const source = { sourceId: 0, size: { width: 640, height: 480 }, fps: this.source.fps, isFile };
    const counts = { totalFrames: this.source.frames, completedFrames: pipeline.taken, lastFrameId: pipeline.taken };
    return { sources: [{ ...source, ...counts, state: stateOf(pipeline), latencyMs: 50 }], updates };
  }
}

function stateOf({ endedAt, error, muted }: StandInPipeline): SourceState {
  if (error !== undefined) return "ERROR";
  if (endedAt !== undefined) return "ENDED";
  return muted ? "MUTED" : "RUNNING";
}
