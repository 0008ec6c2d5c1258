// sources → frames → workflow → results, in the thread of its camera
import { setImmediate } from "node:timers/promises";
import type { FrameResult, OutputValue, PipelineState } from "@vision-agent/protocol";
import { inputError } from "../errors.ts";
import type { PooledFrame } from "../frames/frame-pool.ts";
import { createFrameRing, type FrameRing, type FrameRingLimits, type KeptFrame } from "../frames/frame-ring.ts";
import type { ImageValue } from "../frames/image-value.ts";
import type { JpegOptions } from "../frames/jpeg.ts";
import { boxAt } from "../geometry/boxes.ts";
import { colourOfBox } from "../pixels/box-colour.ts";
import type { CompiledWorkflow } from "../workflow/workflow.ts";
import type { Picture, PictureRequest } from "./pipeline.ts";
import { SourceSet } from "./source-set.ts";
import {
  memoryOf,
  type ThreadParts,
  type ThreadPort,
  type ThreadRequest,
  type ThreadTask,
  toWireError,
} from "./thread-messages.ts";

/** How far back pictures can still be asked for. */
const KEPT: FrameRingLimits = { frames: 32, bytes: 96 * 1024 * 1024 };

/** Results on their way to an owner that is busy; with more the next frame waits, so that they do not pile up. */
const MOST_UNTAKEN = 64;

/** Longest side of the pictures that are left when the sources have ended. */
const LAST_EDGE = 640;

/** How much longer a run waits for the frames of other live sources, in milliseconds. */
const COLLECT_MS = 20;

/** Runs until the sources end, something fails or `stop` comes. */
export async function runPipelineThread(task: ThreadTask, port: ThreadPort, parts: ThreadParts): Promise<void> {
  const thread = new PipelineThread(task, port, parts);
  port.on("message", (request) => thread.receive(request));
  await thread.run();
  port.postMessage({ type: "over" });
}

class PipelineThread {
  readonly #task: ThreadTask;
  readonly #port: ThreadPort;
  readonly #parts: ThreadParts;
  readonly #stop = new AbortController();
  readonly #sources: SourceSet<PooledFrame>;
  readonly #live: LiveEncoder;
  readonly #rings = new Map<string, FrameRing>();
  /** The last frame of each source whose result has been given. */
  readonly #given = new Map<string, KeptFrame>();
  #untaken = 0;
  #paused = false;
  /** Runs begun and not ended, and the end of the last of them. */
  #inFlight = 0;
  #lastRun: Promise<void> = Promise.resolve();
  /** Resolves when something happened that the next frame may have waited for. */
  #news = Promise.withResolvers<void>();
  /** Sources that are tried again, with the reason. */
  readonly #lost = new Map<string, string>();
  #state: PipelineState = "starting";
  #reason: string | undefined;

  constructor(task: ThreadTask, port: ThreadPort, parts: ThreadParts) {
    this.#task = task;
    this.#port = port;
    this.#parts = parts;
    this.#sources = new SourceSet({
      createFeed: ({ sourceId, ...source }) =>
        parts.createFeed(
          { sourceId, ...source },
          {
            maxFps: task.maxFps,
            onLost: (reason) => this.#loses(sourceId, reason),
            onHealth: (health) => port.postMessage({ type: "health", sourceId, health }),
          },
        ),
      sleep: parts.sleep,
      wait: task.timing === "replay" ? "each" : "any",
      collectMs: COLLECT_MS,
      signal: this.#stop.signal,
    });
    this.#live = createLiveEncoder({
      encode: (kept) => this.#encode(kept.image, {}),
      onPicture: (picture, result) => port.postMessage({ type: "live", result, picture }, memoryOf(picture)),
      onError: (error) => this.#fail(error),
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
      await this.#sources.close();
      await workflow?.close();
      await this.#parts.close();
    }
  }

  receive(request: ThreadRequest): void {
    switch (request.type) {
      case "picture":
        void this.#answer(request.id, () => this.#picture(request.request));
        break;
      case "add_source":
        void this.#answer(request.id, () => this.#sources.add(request.source));
        break;
      case "remove_source":
        void this.#answer(request.id, () => this.#removeSource(request.sourceId));
        break;
      case "push":
        this.#parts.push(request);
        break;
      case "pause":
        void this.#answer(request.id, () => this.#pause());
        break;
      case "resume":
        void this.#answer(request.id, () => this.#endPause());
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
      case "picture_allowed":
        // Heard by who asked, where the sinks are made.
        break;
      case "stop":
        this.#end(inputError("The pipeline was stopped."));
        break;
    }
  }

  async #open(): Promise<CompiledWorkflow> {
    const compiled = await this.#parts.compile(this.#task.workflow, this.#task.parameters);
    try {
      await Promise.all(this.#task.sources.map((source) => this.#sources.add(source)));
    } catch (error) {
      await compiled.close();
      throw error;
    }
    return compiled;
  }

  async #takeFrames(workflow: CompiledWorkflow): Promise<void> {
    const { signal } = this.#stop;
    const { maxFrames = Number.POSITIVE_INFINITY } = this.#task;
    let taken = 0;
    while (taken < maxFrames && !signal.aborted) {
      // Sources that never wait would otherwise keep messages from being read.
      await setImmediate();
      await this.#untilFree();
      if (signal.aborted) return;
      const frames = await this.#sources.collect();
      if (frames === undefined) {
        return await this.#finish("The source has ended.");
      }
      // A frame that was on its way when the pause began.
      if (this.#paused) continue;
      this.#begin(workflow, frames);
      taken += frames.length;
    }
    await this.#finish(`All ${maxFrames} frames are done.`);
  }

  async #finish(reason: string): Promise<void> {
    await this.#lastRun;
    if (this.#stop.signal.aborted) return;
    const images = [...this.#given.values()].flatMap(({ image, outputs }) => [[undefined, image] as const, ...outputs]);
    const pictures = await Promise.all(
      images.map(async ([output, image]) => ({ output, picture: await this.#encode(image, { maxEdge: LAST_EDGE }) })),
    );
    const memory = memoryOf(...pictures.map(({ picture }) => picture));
    this.#port.postMessage({ type: "last", pictures }, memory);
    this.#enter("ended", reason);
  }

  /** Waits while paused, while the owner is behind, and while enough frames are inside the workflow. */
  async #untilFree(): Promise<void> {
    const { overlap, isLoaded } = this.#parts;
    const isFull = () => this.#inFlight >= overlap || (this.#inFlight > 0 && isLoaded?.() === true);
    const isBusy = () => this.#paused || this.#untaken >= MOST_UNTAKEN || isFull();
    while (!this.#stop.signal.aborted && isBusy()) await this.#news.promise;
  }

  /** Starts one run; the next may start before it has ended. Results go out in the order of frames. */
  #begin(workflow: CompiledWorkflow, frames: readonly PooledFrame[]): void {
    const kept = frames.map((frame) => this.#keep(frame));
    const before = this.#lastRun;
    this.#inFlight += 1;
    this.#lastRun = this.#runFrames(workflow, kept)
      .then(async (results) => {
        await before;
        for (const [at, result] of results.entries()) this.#give(kept[at]!, result);
      })
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#inFlight -= 1;
        this.#wake();
      });
  }

  #keep(frame: PooledFrame): KeptFrame {
    const { source_id } = frame.image.metadata;
    this.#lost.delete(source_id);
    const ring = this.#rings.get(source_id) ?? createFrameRing({ ...KEPT, atLeast: this.#parts.overlap + 2 });
    this.#rings.set(source_id, ring);
    return ring.keep(frame);
  }

  async #runFrames(workflow: CompiledWorkflow, kept: readonly KeptFrame[]): Promise<readonly FrameResult[]> {
    const begun = this.#parts.now();
    const isReplay = this.#task.timing === "replay";
    const images = kept.map(({ image }) => image);
    const runs = await workflow.runImages(images, isReplay ? { nowMs: latestOf(images) } : {});
    // A replay gives the same bytes each time: how long it took is not part of it.
    const latency = isReplay ? 0 : this.#parts.now() - begun;
    return runs.map(({ outputs, images }, at) => {
      for (const [name, image] of images) kept[at]!.outputs.set(name, image);
      const { image } = kept[at]!;
      const { metadata: frame, motion } = image;
      const weak = this.#parts.weakOf?.(frame);
      return {
        ...{ frame, outputs: withColours(outputs, image), latency_ms: latency },
        ...(motion && { moving: motion.moving }),
        ...(weak && { weak }),
      };
    });
  }

  #give(kept: KeptFrame, result: FrameResult): void {
    if (this.#stop.signal.aborted) return;
    this.#enter("running");
    this.#given.set(result.frame.source_id, kept);
    this.#untaken += 1;
    this.#port.postMessage({ type: "result", result, drops: this.#sources.drops });
    this.#live.offer(kept, result);
  }

  async #removeSource(sourceId: string): Promise<void> {
    if (await this.#sources.remove(sourceId)) {
      this.#rings.delete(sourceId);
      this.#given.delete(sourceId);
      return;
    }
    const names = this.#sources.ids.join(", ");
    const message = `The pipeline has no source "${sourceId}"; it has ${names === "" ? "none" : names}.`;
    throw inputError(message);
  }

  #loses(sourceId: string, reason: string): void {
    this.#lost.set(sourceId, reason);
    // As long as another camera gives frames the pipeline runs.
    if (this.#sources.ids.every((id) => this.#lost.has(id))) this.#enter("reconnecting", reason);
  }

  #enter(state: PipelineState, reason?: string): void {
    const interruptsPause = state === "ended" || state === "failed";
    if (this.#paused && !interruptsPause) return;
    if (state === this.#state && reason === this.#reason) return;
    this.#state = state;
    this.#reason = reason;
    this.#port.postMessage({ type: "state", state, reason });
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#enter("failed", toWireError(error).message);
    this.#end(error);
  }

  #end(reason: unknown): void {
    this.#stop.abort(reason);
    // Sources that are being opened need not come any more.
    void this.#sources.close();
    this.#wake();
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }

  async #pause(): Promise<void> {
    if (this.#paused) return;
    this.#enter("paused");
    this.#paused = true;
    this.#sources.pause();
  }

  async #endPause(): Promise<void> {
    if (!this.#paused) return;
    this.#paused = false;
    this.#sources.resume();
    const [reason] = this.#lost.values();
    if (reason !== undefined) this.#enter("reconnecting", reason);
    else this.#enter(this.#rings.size === 0 ? "starting" : "running");
    this.#wake();
  }

  async #answer(id: number, work: () => Promise<unknown>): Promise<void> {
    try {
      const picture = (await work()) as Picture | undefined;
      this.#port.postMessage({ type: "answer", id, picture }, memoryOf(picture));
    } catch (error) {
      this.#port.postMessage({ type: "no_answer", id, error: toWireError(error) });
    }
  }

  async #picture({ output, frameNumber, sourceId, maxEdge }: PictureRequest): Promise<Picture | undefined> {
    const camera = sourceId ?? this.#task.sources[0]!.sourceId;
    // The newest frame may still be inside the workflow: what is drawn on it does not exist yet.
    const isLastGiven = output !== undefined && frameNumber === undefined;
    const kept = isLastGiven ? this.#given.get(camera) : this.#rings.get(camera)?.find(frameNumber);
    if (kept === undefined) return undefined;
    const image = output === undefined ? kept.image : kept.outputs.get(output);
    if (image !== undefined) return this.#encode(image, maxEdge === undefined ? {} : { maxEdge });
    const names = [...kept.outputs.keys()].join(", ");
    throw inputError(
      `"${output}" is no picture of this workflow; ${names === "" ? "it has none" : `it has ${names}`}.`,
    );
  }

  async #encode(image: ImageValue, options: JpegOptions): Promise<Picture> {
    const { width, height } = image;
    const frame = image.metadata;
    return { ...(await image.lendPixels((rgba) => this.#parts.encodeJpeg({ rgba, width, height }, options))), frame };
  }
}

/** Followed things get their colour while their pixels are at hand. */
function withColours(outputs: FrameResult["outputs"], image: ImageValue): FrameResult["outputs"] {
  const { width, height, rgba } = image;
  const coloured = Object.entries(outputs).map(([name, output]): [string, OutputValue] => {
    if (output.kind !== "detections") return [name, output];
    const { detections } = output;
    const isOfFrame = detections.image.width === width && detections.image.height === height;
    if (detections.tracker_id === null || !isOfFrame) return [name, output];
    const colour = detections.class_name.map(
      (className, row) => colourOfBox({ rgba, width, height }, boxAt(detections.xyxy, row), className) ?? null,
    );
    return [name, { kind: "detections", detections: { ...detections, colour } }];
  });
  return Object.fromEntries(coloured);
}

/** When the last of these was taken, in milliseconds since 1970. */
function latestOf(images: readonly ImageValue[]): number {
  return Math.max(...images.map(({ metadata }) => Date.parse(metadata.timestamp)));
}

export interface LiveEncoderOptions {
  readonly encode: (kept: KeptFrame) => Promise<Picture>;
  readonly onPicture: (picture: Picture, result: FrameResult) => void;
  readonly onError: (error: unknown) => void;
}

/** Encodes one picture at a time, and the next only when the last has been shown. What comes meanwhile is left out. */
export interface LiveEncoder {
  offer(kept: KeptFrame, result: FrameResult): void;
  /** The last picture has been shown. */
  shown(): void;
  setWatched(watched: boolean): void;
}

export function createLiveEncoder({ encode, onPicture, onError }: LiveEncoderOptions): LiveEncoder {
  let watched = false;
  let busy = false;
  return {
    offer(kept, result) {
      if (!watched || busy) return;
      busy = true;
      encode(kept).then(
        (picture) => onPicture(picture, result),
        (error: unknown) => {
          busy = false;
          onError(error);
        },
      );
    },
    shown() {
      busy = false;
    },
    setWatched(value) {
      watched = value;
    },
  };
}
