// tasks → threads: one for each live camera, however many tasks look at it
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import "../native-libraries.ts";
import { endThread } from "../end-thread.ts";
import type { InferencePool } from "../models/inference-threads/inference-pool.ts";
import type { EngineSettings, SinkHooks } from "./pipeline.ts";
import type { ThreadOrder, ThreadReport, ThreadRequest, ThreadSetup, ThreadTask } from "./thread-messages.ts";

/** How threads are made; tests hand in their own. */
export interface ThreadOptions {
  /** Module that the thread runs. */
  readonly module: URL;
  /** Time in milliseconds that a stopped task or thread has to leave by itself. */
  readonly graceMs: number;
  readonly settings: EngineSettings;
  /** Threads that run models for all pipelines; absent runs no models but `sim/truth`. */
  readonly inference?: InferencePool;
  readonly sinks?: SinkHooks;
}

/** A task that runs in a thread. The listeners must not throw. */
export interface TaskLine {
  post(request: ThreadRequest): void;
  /** Asks the task to leave and waits until it has, the last one of a thread with its thread. May be called twice. */
  end(): Promise<void>;
  /** Resolves when the task has ended, whatever ended it. */
  readonly gone: Promise<void>;
}

export interface TaskListener {
  readonly onReport: (report: ThreadReport) => void;
  /** The thread broke. */
  readonly onBroken: (error: unknown) => void;
}

/**
 * What a frame leaves behind is garbage at once: a small nursery, swept often, is all that a thread needs.
 * V8's own limit lets it grow to four times that, in each thread, in the course of minutes.
 */
const YOUNG_GENERATION_MB = 24;

/** Files begin anew for each task, and frames of the owner belong to one; everything else goes on by itself. */
const LIVE = /^(?!file:|push:)(?:[a-z][a-z0-9+.-]+:\/\/|webcam:|\/dev\/video)/i;

/** Threads of one engine. */
export class CameraThreads {
  readonly #options: ThreadOptions;
  readonly #shared = new Map<string, CameraThread>();

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Runs a task in the thread that reads its camera already, else in a new one. */
  open(task: ThreadTask, listener: TaskListener): TaskLine {
    const key = keyOf(task);
    const known = key === undefined ? undefined : this.#shared.get(key);
    if (known !== undefined) return known.run(task, listener);
    const thread = new CameraThread(this.#options, task.sources[0]!.sourceId, () => {
      if (key !== undefined && this.#shared.get(key) === thread) this.#shared.delete(key);
    });
    if (key !== undefined) this.#shared.set(key, thread);
    return thread.run(task, listener);
  }
}

/** Tasks with the same key see the same frames; absent for those that share with nobody. */
function keyOf({ sources, timing, picture, buffer, motionGate }: ThreadTask): string | undefined {
  const [first, ...more] = sources;
  if (more.length > 0 || timing === "replay" || picture !== undefined || !LIVE.test(first!.source)) return undefined;
  const { source, sourceId, masks = [], recordTo } = first!;
  return JSON.stringify([source, sourceId, masks, buffer, motionGate, recordTo]);
}

interface RunningTask {
  readonly listener: TaskListener;
  readonly port: MessagePort;
  readonly gone: PromiseWithResolvers<void>;
}

class CameraThread {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  readonly #tasks = new Set<RunningTask>();
  readonly #exit = Promise.withResolvers<void>();
  /** Told when nobody may join any more. */
  readonly #onLeaving: () => void;

  constructor(options: ThreadOptions, name: string, onLeaving: () => void) {
    const { module, settings, inference, sinks = {} } = options;
    this.#options = options;
    this.#onLeaving = onLeaving;
    const link = inference?.connect();
    const setup: ThreadSetup = { settings, asksForPictures: sinks.allowPicture !== undefined, inference: link };
    this.#worker = new Worker(module, {
      workerData: setup,
      name,
      transferList: [...(link?.ports ?? [])],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on("error", (error) => {
      onLeaving();
      for (const { listener } of this.#tasks) listener.onBroken(error);
    });
    this.#worker.on("exit", () => {
      onLeaving();
      this.#exit.resolve();
      for (const task of this.#tasks) void this.#drop(task);
    });
  }

  run(task: ThreadTask, listener: TaskListener): TaskLine {
    const { port1: port, port2 } = new MessageChannel();
    const running: RunningTask = { listener, port, gone: Promise.withResolvers<void>() };
    this.#tasks.add(running);
    const { sourceId } = task.sources[0]!;
    port.on("message", (report: ThreadReport) => this.#receive(running, report, sourceId));
    try {
      this.#worker.postMessage({ type: "run", task, port: port2 } satisfies ThreadOrder, [port2]);
    } catch (error) {
      void this.#drop(running);
      throw error;
    }
    let ending: Promise<void> | undefined;
    return {
      gone: running.gone.promise,
      post: (request) => port.postMessage(request),
      end: () => {
        ending ??= this.#end(running);
        return ending;
      },
    };
  }

  #receive(task: RunningTask, report: ThreadReport, sourceId: string): void {
    const { sinks = {} } = this.#options;
    if (report.type === "over") void this.#drop(task);
    else if (report.type === "sink_failed") sinks.onSinkFailure?.(sourceId, report.message);
    else if (report.type === "may_send") void answerQuestion(task.port, report, sinks);
    else task.listener.onReport(report);
  }

  async #end(task: RunningTask): Promise<void> {
    task.port.postMessage({ type: "stop" } satisfies ThreadRequest);
    const limit = setTimeout(() => void this.#giveUp(task), this.#options.graceMs);
    await task.gone.promise;
    clearTimeout(limit);
  }

  /** A task that is slow to leave is left behind; one that blocks its thread would stop the others for good. */
  async #giveUp(task: RunningTask): Promise<void> {
    if (this.#tasks.size > 1 && !(await this.#answers())) await this.#worker.terminate();
    await this.#drop(task);
  }

  async #answers(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answer = (): void => resolve(true);
    this.#worker.once("message", answer);
    this.#worker.postMessage({ type: "ping" } satisfies ThreadOrder);
    const limit = setTimeout(() => resolve(false), this.#options.graceMs);
    const answered = await promise;
    clearTimeout(limit);
    this.#worker.off("message", answer);
    return answered;
  }

  /** The last task takes its thread along. */
  async #drop(task: RunningTask): Promise<void> {
    if (!this.#tasks.delete(task)) return;
    // An open line would keep the thread alive.
    task.port.close();
    if (this.#tasks.size === 0) {
      this.#onLeaving();
      const order: ThreadOrder = { type: "leave" };
      await endThread(this.#worker, order, this.#exit.promise, this.#options.graceMs);
    }
    task.gone.resolve();
  }
}

type PictureQuestion = Extract<ThreadReport, { type: "may_send" }>;

/** Who cannot be asked has not allowed it. */
async function answerQuestion(port: MessagePort, { id, picture }: PictureQuestion, sinks: SinkHooks): Promise<void> {
  const sourceId = picture.camera ?? picture.sink;
  const allowed = await Promise.resolve(sinks.allowPicture?.(picture)).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    sinks.onSinkFailure?.(sourceId, `Whether a picture may leave could not be asked: ${reason}`);
    return false;
  });
  port.postMessage({ type: "picture_allowed", id, allowed: allowed === true } satisfies ThreadRequest);
}
