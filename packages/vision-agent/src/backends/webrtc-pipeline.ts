// request → a WebRTC session on a server, kept up from here → results
import type { Clock } from "@vision-agent/agent-core";
import {
  type ClientErrorKind,
  type KeptEnd,
  type KeptMessage,
  type KeptSession,
  type KeptState,
  keepSession,
  type ServerFleet,
  type SessionSource,
} from "@vision-agent/inference-client";
import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";
import type { AllowedStream } from "../egress/open-egress.ts";
import type { PipelineRequest, RunningPipeline } from "./backend.ts";
import type { ResizePicture } from "./live-pictures.ts";
import { type CaptureTimes, createCaptureTimes, ServerFeed, toPipelineFigures } from "./server-feed.ts";
import { type ServerWorkflow, toServerWorkflow } from "./server-source.ts";
import type { OpenSource } from "./still-picture.ts";
import { type LocalFrames, openLocalFrames, type WebRtcSource } from "./webrtc-frames.ts";

export interface WebRtcPipelineParts {
  readonly fleet: ServerFleet;
  readonly clock: Clock;
  readonly resize: ResizePicture;
  /** Opens the cameras that no server can read. */
  readonly openSource: OpenSource;
}

/** All outputs but pictures. */
const DATA_ONLY: readonly string[] = ["*"];
/** So many frames in a row without an output and the workflow will not work on the next one either. */
const HOPELESS_FRAMES = 30;

/** Kinds of failure that speak against the server and not against what was asked of it. */
const AGAINST_THE_SERVER: ReadonlySet<ClientErrorKind> = new Set(["network", "timeout", "busy", "quota", "protocol"]);

/** One connection: a session, and the camera where it is read here. */
interface Run {
  readonly session: KeptSession;
  readonly frames: LocalFrames | undefined;
  readonly life: AbortController;
}

/**
 * Resolves when the camera is open, where it is read here, and a server is being asked; a server takes 15 to 100
 * seconds for its part. Throws `EngineError` kind `source`.
 */
export async function openWebRtcPipeline(
  request: PipelineRequest & { readonly allowed: readonly AllowedStream[] },
  source: WebRtcSource,
  parts: WebRtcPipelineParts,
): Promise<RunningPipeline> {
  const pipeline = new WebRtcPipeline(request, source, parts);
  await pipeline.connect();
  return pipeline;
}

class WebRtcPipeline implements RunningPipeline {
  readonly #request: PipelineRequest;
  readonly #source: WebRtcSource;
  readonly #parts: WebRtcPipelineParts;
  readonly #workflow: ServerWorkflow;
  readonly #feed: ServerFeed;
  readonly #takenAt: CaptureTimes;
  readonly #openedAt: number;
  readonly #life = new AbortController();
  #run: Run | undefined;
  /** The newest attempt to connect; an older one is given up. */
  #connecting: AbortController | undefined;
  #state: PipelineState = "starting";
  #reason: string | undefined;
  #framesDropped = 0;
  #lastFrameId = 0;
  /** Numbers count on over every connection. */
  #numbersFrom = 0;
  #lastNumber = 0;
  #failedFrames = 0;
  /** Outputs that come when no picture is asked for; unknown before the first result. */
  #dataOutputs: readonly string[] | undefined;
  #asked = DATA_ONLY;

  constructor(request: PipelineRequest, source: WebRtcSource, parts: WebRtcPipelineParts) {
    const { clock, resize } = parts;
    this.#request = request;
    this.#source = source;
    this.#parts = parts;
    this.#workflow = toServerWorkflow(request.spec);
    this.#openedAt = clock.now();
    this.#takenAt = createCaptureTimes({ isFile: source.kind === "file", now: clock.now });
    this.#feed = new ServerFeed({
      sourceId: request.sourceId,
      outputs: this.#workflow.outputs,
      resize,
      sleep: clock.sleep,
      monotonic: clock.monotonic,
      isLive: () => this.#state === "running" || this.#state === "starting",
      onResult: request.onResult,
    });
  }

  async connect(): Promise<void> {
    const life = new AbortController();
    this.#connecting = life;
    const frames = this.#source.kind === "frames" ? await this.#openFrames(life.signal) : undefined;
    // Stopped or paused meanwhile.
    if (this.#connecting !== life) {
      await frames?.close();
      return;
    }
    this.#numbersFrom = this.#lastNumber;
    this.#lastFrameId = 0;
    this.#asked = DATA_ONLY;
    const run: Run = { session: this.#keep(frames, () => this.#run?.life === life), frames, life };
    this.#run = run;
    void run.session.ended.then((end) => this.#run === run && this.#finish(end));
    if (frames) void this.#pump(run, frames);
  }

  figures(): PipelineFigures {
    const framesProcessed = this.#feed.taken;
    const { fps } = this.#feed;
    const [state, reason, framesDropped] = [this.#state, this.#reason, this.#framesDropped];
    return toPipelineFigures({ state, reason, fps, framesProcessed, framesDropped });
  }

  server(): string | undefined {
    return this.#run?.session.server;
  }

  results(last: number): readonly FrameResult[] {
    return this.#feed.latest(last);
  }

  picture(request?: PictureRequest): Promise<Picture | undefined> {
    const picture = this.#feed.picture(request);
    this.#askForOutputs();
    return picture;
  }

  view(onFrame: (frame: LiveFrame) => void): () => void {
    const leave = this.#feed.view(onFrame);
    this.#askForOutputs();
    return leave;
  }

  /** Nothing of a paused camera leaves this app. A file cannot go on later: it runs on, and is not listened to. */
  async pause(): Promise<void> {
    if (this.#isOver()) return;
    if (this.#source.kind !== "file") await this.#disconnect();
    this.#become("paused");
  }

  async resume(): Promise<void> {
    if (this.#state !== "paused") return;
    if (this.#run === undefined) await this.connect();
    // Not where it was stopped meanwhile.
    if (this.#state === "paused") this.#become("starting");
  }

  async stop(): Promise<void> {
    this.#life.abort();
    await this.#disconnect();
    this.#feed.close();
    if (!this.#isOver()) this.#become("stopped");
  }

  #openFrames(signal: AbortSignal): Promise<LocalFrames> {
    const { address, sourceId, maxFps } = this.#request;
    const { openSource, clock } = this.#parts;
    const until = AbortSignal.any([signal, this.#life.signal]);
    return openLocalFrames({ address, sourceId, maxFps, openSource, clock, openedAt: this.#openedAt, signal: until });
  }

  #keep(frames: LocalFrames | undefined, isCurrent: () => boolean): KeptSession {
    const { parameters } = this.#request;
    const { spec, imageInput } = this.#workflow;
    return keepSession({
      next: (signal) => this.#parts.fleet.choose({ for: "webrtc" }, signal),
      workflow: { specification: spec },
      imageInput,
      ...(parameters && { parameters }),
      source: this.#sessionSource(frames),
      dataOutput: DATA_ONLY,
      clock: this.#parts.clock,
      onMessage: (message) => {
        if (isCurrent()) this.#take(message);
      },
      onState: (state, reason) => {
        if (isCurrent()) this.#follow(state, reason);
      },
      onFailure: (label, error) => {
        if (AGAINST_THE_SERVER.has(error.kind)) this.#parts.fleet.noteFailure(label, error.message);
      },
    });
  }

  #sessionSource(frames: LocalFrames | undefined): SessionSource {
    if (this.#source.kind !== "frames") return this.#source;
    const { width = 0, height = 0, fps = 0 } = frames ?? {};
    return { kind: "frames", width, height, fps };
  }

  async #pump(run: Run, frames: LocalFrames): Promise<void> {
    const end = await frames.pump((frame) => {
      // Before the session runs nobody waits for them.
      if (!run.session.push(frame) && this.#state === "running") this.#framesDropped += 1;
    }, run.life.signal);
    if (this.#run !== run) return;
    await this.#disconnect();
    if (end.kind === "ended") this.#close("ended");
    // The session would only wait for a camera that was lost; who opened the pipeline opens it again.
    else this.#close("failed", end.reason);
  }

  async #disconnect(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    this.#connecting?.abort();
    this.#connecting = undefined;
    await Promise.all([run?.session.stop(), run?.frames?.close()]);
  }

  #take(message: KeptMessage): void {
    if (this.#state === "paused") return;
    const { outputs, errors, frameId, width, height, capturedAt } = message;
    if (frameId > this.#lastFrameId + 1 && this.#lastFrameId > 0)
      this.#framesDropped += frameId - this.#lastFrameId - 1;
    this.#lastFrameId = frameId;
    const [failure] = errors;
    if (failure !== undefined && Object.keys(outputs).length === 0) {
      this.#countFailure(failure);
      return;
    }
    this.#failedFrames = 0;
    this.#dataOutputs ??= Object.keys(outputs);
    const now = this.#parts.clock.now();
    const takenAtMs = capturedAt ?? this.#takenAt(stampOf(message, this.#source.kind === "file") ?? now);
    this.#lastNumber = this.#numbersFrom + message.sequence;
    this.#become("running");
    this.#feed.take({
      frameNumber: this.#lastNumber,
      takenAtMs,
      latencyMs: this.#source.kind === "file" ? 0 : Math.max(0, now - takenAtMs),
      size: width === undefined || height === undefined ? undefined : { width, height },
      fps: this.#run?.frames?.fps ?? 0,
      ...(this.#source.kind === "file" && { file: { totalFrames: undefined } }),
      outputs,
    });
    this.#askForOutputs();
  }

  #countFailure(reason: string): void {
    this.#failedFrames += 1;
    if (this.#failedFrames < HOPELESS_FRAMES) this.#become(this.#state, reason);
    else {
      void this.#disconnect();
      this.#close("failed", reason);
    }
  }

  /** Pictures only while somebody wants them. */
  #askForOutputs(): void {
    if (this.#dataOutputs === undefined) return;
    const wanted = this.#feed.wanted();
    const outputs = wanted.length === 0 ? DATA_ONLY : [...new Set([...this.#dataOutputs, ...wanted])];
    if (outputs.join() === this.#asked.join()) return;
    this.#asked = outputs;
    this.#run?.session.setOutputs({ data: outputs });
  }

  #follow(state: KeptState, reason: string | undefined): void {
    const isSilent = state === "waiting" || state === "replacing";
    if (isSilent && this.#state !== "paused") this.#become("reconnecting", reason);
  }

  #finish(end: KeptEnd): void {
    if (end.kind === "stopped") return;
    void this.#disconnect();
    if (end.kind === "failed") this.#close("failed", end.error.message);
    else this.#close("ended");
  }

  #close(state: "ended" | "failed", reason?: string): void {
    this.#feed.close();
    this.#become(state, reason);
  }

  #isOver(): boolean {
    return this.#state === "ended" || this.#state === "failed" || this.#state === "stopped";
  }

  #become(state: PipelineState, reason?: string): void {
    if (state === this.#state && reason === this.#reason) return;
    this.#state = state;
    this.#reason = reason;
    this.#request.onState(state, reason);
  }
}

/** Only differences count, so the missing time zone does no harm. */
function stampOf({ videoSeconds, receivedAt }: KeptMessage, isFile: boolean): number | undefined {
  if (isFile) return videoSeconds && videoSeconds * 1000;
  const stamp = Date.parse(`${receivedAt?.replace(/(?:Z|[+-]\d\d:?\d\d)$/, "")}Z`);
  return Number.isNaN(stamp) ? undefined : stamp;
}
