// thread → pipeline as its owner sees it
import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";
import { type DropCounts, NO_DROPS } from "../sources/frame-source.ts";
import type { CameraHealthChange } from "../sources/health-monitor.ts";
import type { TaskLine, TaskListener } from "./camera-threads.ts";
import type {
  LiveFrame,
  Picture,
  PictureRequest,
  Pipeline,
  PipelineFigures,
  PipelineOptions,
  PipelineSource,
  PushedPixels,
} from "./pipeline.ts";
import type { LastPicture, ThreadReport, ThreadRequest } from "./thread-messages.ts";

export interface ThreadPipelineOptions extends Pick<PipelineOptions, "sourceId" | "onResult" | "onState" | "onHealth"> {
  /** Runs the task in its thread. */
  readonly open: (listener: TaskListener) => TaskLine;
  readonly now: () => number;
}

const KEPT_RESULTS = 256;
const FPS_WINDOW_MS = 3000;
const FINAL: readonly PipelineState[] = ["ended", "stopped", "failed"];

type Answer = { readonly settle: (picture?: Picture) => void; readonly refuse: (error: EngineError) => void };

export class ThreadPipeline implements Pipeline {
  readonly ended: Promise<PipelineFigures>;
  /** Resolves when the source is open and the workflow compiled; rejects with what kept it from that. */
  readonly ready: Promise<void>;
  readonly #options: ThreadPipelineOptions;
  readonly #line: TaskLine;
  readonly #rate: RateMeter;
  readonly #results: FrameResult[] = [];
  readonly #viewers = new Set<(frame: LiveFrame) => void>();
  readonly #waiting = new Map<number, Answer>();
  readonly #start = Promise.withResolvers<void>();
  readonly #exit = Promise.withResolvers<void>();
  #state: PipelineState = "starting";
  #reason: string | undefined;
  #framesProcessed = 0;
  #drops: DropCounts = NO_DROPS;
  /** How many of the last results have not been consumed. */
  #unread = 0;
  #resultsLost = 0;
  readonly #health = new Map<string, CameraHealthChange>();
  #last: readonly LastPicture[] = [];
  #lastId = 0;
  /** From here on the owner has the pipeline, and is told of its states. */
  #started = false;
  #gone = false;
  #stopping: Promise<void> | undefined;

  constructor(options: ThreadPipelineOptions) {
    this.#options = options;
    this.#rate = createRateMeter({ windowMs: FPS_WINDOW_MS, now: options.now });
    this.ready = this.#start.promise;
    this.ended = this.#exit.promise.then(() => this.figures());
    this.#line = options.open({
      onReport: (report) => this.#receive(report),
      onBroken: (error) => this.#fail(error),
    });
    void this.#line.gone.then(() => this.#leave());
  }

  figures(): PipelineFigures {
    return {
      state: this.#state,
      reason: this.#reason,
      fps: FINAL.includes(this.#state) ? 0 : this.#rate.rate(),
      framesProcessed: this.#framesProcessed,
      framesDropped: Object.values(this.#drops).reduce((sum, count) => sum + count, 0),
      drops: this.#drops,
      resultsLost: this.#resultsLost,
      health: Object.fromEntries(this.#health),
    };
  }

  latest(count: number): readonly FrameResult[] {
    return count <= 0 ? [] : this.#results.slice(-count);
  }

  consume(count = KEPT_RESULTS): readonly FrameResult[] {
    const from = this.#results.length - this.#unread;
    const taken = this.#results.slice(from, from + Math.max(0, count));
    this.#unread -= taken.length;
    return taken;
  }

  picture(request: PictureRequest = {}): Promise<Picture | undefined> {
    if (this.#gone) return Promise.resolve(this.#lastPicture(request));
    return this.#ask((id) => ({ type: "picture", id, request }));
  }

  view(onFrame: (frame: LiveFrame) => void): () => void {
    // Wrapped, so that the same function can look twice and leave twice.
    const viewer = (frame: LiveFrame): void => onFrame(frame);
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) this.#post({ type: "view", on: true });
    return () => {
      if (this.#viewers.delete(viewer) && this.#viewers.size === 0) this.#post({ type: "view", on: false });
    };
  }

  async addSource(source: PipelineSource): Promise<void> {
    await this.#ask((id) => ({ type: "add_source", id, source }));
  }

  async removeSource(sourceId: string): Promise<void> {
    await this.#ask((id) => ({ type: "remove_source", id, sourceId }));
    this.#health.delete(sourceId);
  }

  push({ width, height, rgba: pixels, timestamp }: PushedPixels, sourceId = this.#options.sourceId): void {
    const rgba = new Uint8ClampedArray(new SharedArrayBuffer(pixels.length));
    rgba.set(pixels);
    const takenAt = timestamp === undefined ? Date.now() : Date.parse(timestamp);
    this.#post({ type: "push", sourceId, width, height, rgba, takenAt });
  }

  async pause(): Promise<void> {
    await this.#ask((id) => ({ type: "pause", id }));
  }

  async resume(): Promise<void> {
    await this.#ask((id) => ({ type: "resume", id }));
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#askToLeave();
    return this.#stopping;
  }

  async #askToLeave(): Promise<void> {
    this.#enter("stopped");
    await this.#line.end();
  }

  #receive(report: ThreadReport): void {
    switch (report.type) {
      case "ready":
        this.#started = true;
        this.#start.resolve();
        break;
      case "refused":
        this.#start.reject(new EngineError(report.error));
        break;
      case "state":
        this.#enter(report.state, report.reason);
        break;
      case "result":
        this.#keep(report.result, report.drops);
        break;
      case "health":
        this.#noteHealth(report.sourceId, report.health);
        break;
      case "live":
        for (const viewer of this.#viewers) viewer({ picture: report.picture, result: report.result });
        this.#post({ type: "shown" });
        break;
      case "last":
        this.#last = report.pictures;
        break;
      case "answer":
        this.#take(report.id)?.settle(report.picture);
        break;
      case "no_answer":
        this.#take(report.id)?.refuse(new EngineError(report.error));
        break;
      case "once":
      case "may_send":
      case "sink_failed":
      case "over":
        // Heard where threads are opened.
        break;
    }
  }

  #lastPicture({ output, frameNumber, sourceId = this.#options.sourceId }: PictureRequest): Picture | undefined {
    const found = this.#last.find(
      ({ output: name, picture: { frame } }) =>
        name === output &&
        frame.source_id === sourceId &&
        (frameNumber === undefined || frameNumber === frame.frame_number),
    );
    return found?.picture;
  }

  #noteHealth(sourceId: string, health: CameraHealthChange): void {
    if (health.state === "ok") this.#health.delete(sourceId);
    else this.#health.set(sourceId, health);
    this.#options.onHealth?.(sourceId, health);
  }

  #keep(result: FrameResult, drops: DropCounts): void {
    this.#framesProcessed += 1;
    this.#drops = drops;
    this.#rate.mark();
    this.#results.push(result);
    this.#unread += 1;
    if (this.#results.length > KEPT_RESULTS) this.#results.shift();
    if (this.#unread > KEPT_RESULTS) {
      this.#unread = KEPT_RESULTS;
      this.#resultsLost += 1;
    }
    if (this.#stopping === undefined) this.#options.onResult?.(result);
    this.#post({ type: "taken" });
  }

  #enter(state: PipelineState, reason?: string): void {
    // The first end wins: what a leaving thread still says changes nothing.
    if (FINAL.includes(this.#state)) return;
    this.#state = state;
    this.#reason = reason;
    // Until it has started, its owner hears only what the start waits for.
    if (this.#started || state === "starting") this.#options.onState?.(state, reason);
  }

  #fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#enter("failed", `The pipeline's thread broke: ${text}`);
    this.#start.reject(
      new EngineError({ kind: "internal", message: `The pipeline's thread broke: ${text}`, cause: error }),
    );
  }

  #leave(): void {
    this.#gone = true;
    this.#fail("it left without a word");
    for (const answer of this.#waiting.values()) answer.settle();
    this.#waiting.clear();
    this.#viewers.clear();
    this.#exit.resolve();
  }

  /** Asks the thread; a thread that is gone answers nothing. */
  #ask(toRequest: (id: number) => ThreadRequest): Promise<Picture | undefined> {
    if (this.#gone) return Promise.resolve(undefined);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Picture | undefined>();
    this.#waiting.set(id, { settle: resolve, refuse: reject });
    this.#post(toRequest(id));
    return promise;
  }

  #take(id: number): Answer | undefined {
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    return answer;
  }

  #post(request: ThreadRequest): void {
    this.#line.post(request);
  }
}

/** How often something happens. */
export interface RateMeter {
  mark(): void;
  /** Per second, over the window or over the time since the first mark, which is where counting begins, when that is shorter. */
  rate(): number;
}

export function createRateMeter({ windowMs, now }: { windowMs: number; now: () => number }): RateMeter {
  const marks: number[] = [];
  let begun: number | undefined;

  return {
    mark() {
      const time = now();
      if (begun === undefined) begun = time;
      else marks.push(time);
      dropBefore(marks, time - windowMs);
    },
    rate() {
      if (begun === undefined) return 0;
      const time = now();
      dropBefore(marks, time - windowMs);
      const spanMs = Math.min(windowMs, time - begun);
      return spanMs <= 0 ? 0 : (marks.length * 1000) / spanMs;
    },
  };
}

function dropBefore(marks: number[], time: number): void {
  const keep = marks.findIndex((mark) => mark > time);
  marks.splice(0, keep === -1 ? marks.length : keep);
}
