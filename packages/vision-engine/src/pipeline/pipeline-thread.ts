// source → frames → workflow → results, in a thread of its own
import { setImmediate } from "node:timers/promises";
import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";
import { createFrameRing, type FrameRing, type FrameRingLimits, type KeptFrame } from "../frames/frame-ring.ts";
import { ImageValue } from "../frames/image-value.ts";
import type { JpegOptions, JpegPicture, JpegSource } from "../frames/jpeg.ts";
import type { ModelRegistry } from "../models/detection-model.ts";
import type { FrameSource } from "../sources/frame-source.ts";
import { type CompiledWorkflow, compileWorkflow } from "../workflow/workflow.ts";
import { createFramePacer, type FramePacer } from "./frame-pacer.ts";
import { createLiveEncoder, type LiveEncoder } from "./live-encoder.ts";
import type { Picture, PictureRequest } from "./pipeline.ts";
import { createSourceFeed, type SourceFeed } from "./source-feed.ts";
import { memoryOf, type ThreadPort, type ThreadRequest, type ThreadTask, toPicture } from "./thread-messages.ts";
import { toWireError } from "./wire-error.ts";

/** What a thread is made of; tests hand in their own. */
export interface ThreadParts {
  readonly openSource: (address: string, sourceId: string) => Promise<FrameSource>;
  readonly models: ModelRegistry;
  readonly encodeJpeg: (source: JpegSource, options: JpegOptions) => Promise<JpegPicture>;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly backOffMs: (attempt: number) => number;
}

/** How far back pictures can still be asked for. */
const KEPT: FrameRingLimits = { frames: 32, bytes: 96 * 1024 * 1024 };

/** Results on their way to an owner that is busy; with more the next frame waits, so that they do not pile up. */
const MOST_UNTAKEN = 64;

/** Runs until the source ends, something fails or `stop` comes; then lets the thread go. */
export async function runPipelineThread(task: ThreadTask, port: ThreadPort, parts: ThreadParts): Promise<void> {
  const thread = new PipelineThread(task, port, parts);
  port.on("message", (request) => thread.receive(request));
  await thread.run();
  port.close();
}

class PipelineThread {
  readonly #task: ThreadTask;
  readonly #port: ThreadPort;
  readonly #parts: ThreadParts;
  readonly #stop = new AbortController();
  readonly #ring: FrameRing = createFrameRing(KEPT);
  readonly #pacer: FramePacer;
  readonly #feed: SourceFeed;
  readonly #live: LiveEncoder;
  /** Frames that came and were not run. */
  #leftOut = 0;
  #untaken = 0;
  #paused = false;
  /** Resolves when something happened that the next frame may have waited for. */
  #news = Promise.withResolvers<void>();
  /** Set while the source is tried again. */
  #lostReason: string | undefined;
  #state: PipelineState = "starting";
  #reason: string | undefined;

  constructor(task: ThreadTask, port: ThreadPort, parts: ThreadParts) {
    this.#task = task;
    this.#port = port;
    this.#parts = parts;
    this.#pacer = createFramePacer(task.maxFps);
    this.#feed = createSourceFeed({
      open: () => parts.openSource(task.source, task.sourceId),
      sleep: parts.sleep,
      backOffMs: parts.backOffMs,
      onLost: (reason) => {
        this.#lostReason = reason;
        this.#enter("reconnecting", reason);
      },
    });
    this.#live = createLiveEncoder({
      encode: (kept) => this.#encode(kept.image, {}),
      onPicture: (picture, result) => port.postMessage({ type: "live", result, picture }, memoryOf(picture)),
      onError: (error) => {
        this.#enter("failed", toWireError(error).message);
        this.#end(error);
      },
    });
  }

  async run(): Promise<void> {
    let workflow: CompiledWorkflow | undefined;
    try {
      workflow = await this.#open();
      this.#port.postMessage({ type: "ready" });
      await this.#takeFrames(workflow);
    } catch (error) {
      if (workflow === undefined) this.#port.postMessage({ type: "refused", error: toWireError(error) });
      else if (!this.#stop.signal.aborted) this.#enter("failed", toWireError(error).message);
    } finally {
      await this.#feed.close();
      await workflow?.close();
    }
  }

  receive(request: ThreadRequest): void {
    switch (request.type) {
      case "picture":
        void this.#answer(request.id, () => this.#picture(request.request));
        break;
      case "pause":
        this.#pause();
        this.#port.postMessage({ type: "answer", id: request.id });
        break;
      case "resume":
        this.#endPause();
        this.#port.postMessage({ type: "answer", id: request.id });
        break;
      case "taken":
        this.#untaken -= 1;
        this.#wake();
        break;
      case "view":
        this.#live.setWatched(request.on);
        break;
      case "shown":
        this.#live.shown();
        break;
      case "stop":
        this.#end(new EngineError({ kind: "input", message: "The pipeline was stopped." }));
        break;
    }
  }

  async #open(): Promise<CompiledWorkflow> {
    const { workflow, parameters } = this.#task;
    const compiled = await compileWorkflow(workflow, { models: this.#parts.models, parameters });
    try {
      await this.#feed.open();
    } catch (error) {
      await compiled.close();
      throw error;
    }
    return compiled;
  }

  async #takeFrames(workflow: CompiledWorkflow): Promise<void> {
    const { signal } = this.#stop;
    const { maxFrames = Number.POSITIVE_INFINITY } = this.#task;
    let results = 0;
    while (results < maxFrames && !signal.aborted) {
      // Sources that never wait would otherwise keep messages from being read.
      await setImmediate();
      const wasPaused = this.#paused;
      await this.#untilFree();
      if (signal.aborted) return;
      const droppedBefore = this.#feed.dropped;
      const frame = await this.#feed.next(signal);
      // What passed by during a pause was not wanted.
      if (wasPaused) this.#leftOut -= this.#feed.dropped - droppedBefore;
      if (frame === undefined) return this.#enter("ended", "The source has ended.");
      this.#lostReason = undefined;
      // A frame that was on its way when the pause began.
      if (this.#paused) continue;
      if (!this.#pacer.takes(frame.metadata)) {
        this.#leftOut += 1;
        continue;
      }
      await this.#runFrame(workflow, this.#ring.keep(frame));
      results += 1;
    }
    if (!signal.aborted) this.#enter("ended", `All ${maxFrames} frames are done.`);
  }

  /** Waits while paused, and while the owner is behind; a live source counts what it leaves out meanwhile. */
  async #untilFree(): Promise<void> {
    while (!this.#stop.signal.aborted && (this.#paused || this.#untaken >= MOST_UNTAKEN)) await this.#news.promise;
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }

  #end(reason: unknown): void {
    this.#stop.abort(reason);
    this.#wake();
  }

  async #runFrame(workflow: CompiledWorkflow, kept: KeptFrame): Promise<void> {
    const begun = this.#parts.now();
    const { outputs, images } = await workflow.run(kept.image);
    for (const [name, image] of images) kept.outputs.set(name, image);
    const result: FrameResult = { frame: kept.image.metadata, outputs, latency_ms: this.#parts.now() - begun };
    this.#enter("running");
    this.#untaken += 1;
    this.#port.postMessage({ type: "result", result, framesDropped: this.#feed.dropped + this.#leftOut });
    this.#live.offer(kept, result);
  }

  #enter(state: PipelineState, reason?: string): void {
    const interruptsPause = state === "ended" || state === "failed";
    if (this.#paused && !interruptsPause) return;
    if (state === this.#state && reason === this.#reason) return;
    this.#state = state;
    this.#reason = reason;
    this.#port.postMessage({ type: "state", state, ...(reason === undefined ? {} : { reason }) });
  }

  #pause(): void {
    if (this.#paused) return;
    this.#enter("paused");
    this.#paused = true;
  }

  #endPause(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#lostReason !== undefined) this.#enter("reconnecting", this.#lostReason);
    else this.#enter(this.#ring.find() === undefined ? "starting" : "running");
    this.#wake();
  }

  async #answer(id: number, work: () => Promise<Picture | undefined>): Promise<void> {
    try {
      const picture = await work();
      this.#port.postMessage({ type: "answer", id, ...(picture ? { picture } : {}) }, memoryOf(picture));
    } catch (error) {
      this.#port.postMessage({ type: "no_answer", id, error: toWireError(error) });
    }
  }

  async #picture({ output, frameNumber, maxEdge }: PictureRequest): Promise<Picture | undefined> {
    const kept = this.#ring.find(frameNumber);
    if (kept === undefined) return undefined;
    const image = output === undefined ? kept.image : kept.outputs.get(output);
    if (image !== undefined) return this.#encode(image, maxEdge === undefined ? {} : { maxEdge });
    const names = [...kept.outputs.keys()].join(", ");
    throw new EngineError({
      kind: "input",
      message: `"${output}" is no picture of this workflow; ${names === "" ? "it has none" : `it has ${names}`}.`,
    });
  }

  async #encode(image: ImageValue, options: JpegOptions): Promise<Picture> {
    return toPicture(await this.#parts.encodeJpeg(image, options), image.metadata);
  }
}

/** Runs the first frame of a source through a workflow and reports it with its pictures. */
export async function runOnceThread(task: ThreadTask, port: ThreadPort, parts: ThreadParts): Promise<void> {
  let workflow: CompiledWorkflow | undefined;
  let source: FrameSource | undefined;
  try {
    workflow = await compileWorkflow(task.workflow, { models: parts.models, parameters: task.parameters });
    source = await parts.openSource(task.source, task.sourceId);
    const frame = await source.next(new AbortController().signal);
    if (frame === undefined) {
      throw new EngineError({
        kind: "source",
        reason: "no_video",
        message: `${source.label} ended before its first frame.`,
      });
    }
    const image = new ImageValue(frame);
    const begun = parts.now();
    const { outputs, images } = await workflow.run(image);
    const result: FrameResult = { frame: frame.metadata, outputs, latency_ms: parts.now() - begun };
    const [drawn] = images.values();
    const picture = toPicture(await parts.encodeJpeg(image, {}), frame.metadata);
    const annotated = drawn && toPicture(await parts.encodeJpeg(drawn, {}), frame.metadata);
    port.postMessage(
      { type: "once", result, picture, ...(annotated ? { annotated } : {}) },
      memoryOf(picture, annotated),
    );
  } catch (error) {
    port.postMessage({ type: "refused", error: toWireError(error) });
  } finally {
    await source?.close();
    await workflow?.close();
    port.close();
  }
}
