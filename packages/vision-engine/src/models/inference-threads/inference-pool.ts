// pipelines → threads that run models for all of them
import "../../native-libraries.ts";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import { endThread } from "../../end-thread.ts";
import type { InferenceLink, InferenceOrder, InferenceThreadData } from "./inference-messages.ts";

export interface InferencePoolOptions {
  /** Threads, each with its own copy of every open model and one core to run it on. Default: 2, on large machines half the cores and at most 4. */
  readonly threads?: number;
  /** Module that a thread runs; tests hand in their own. */
  readonly module?: URL;
}

/** Threads that are started with the first client and end with `close`. One that broke is replaced for the next client. */
export interface InferencePool {
  readonly threads: number;
  /** A line to every thread; its ports are moved to the client's own thread. */
  connect(): InferenceLink;
  /** May be called twice. */
  close(): Promise<void>;
}

/** A run that takes longer than this is cut off. */
const LEAVE_LIMIT_MS = 5000;

const STANDARD_MODULE = new URL(`./inference.worker${extname(import.meta.filename)}`, import.meta.url);

export function createInferencePool(options: InferencePoolOptions = {}): InferencePool {
  const { threads = standardThreads(availableParallelism()), module = STANDARD_MODULE } = options;
  const load = new Int32Array(new SharedArrayBuffer(4 * threads));
  const workers = new Map<number, Worker>();

  function start(index: number): Worker {
    const workerData: InferenceThreadData = { load, index };
    const worker = new Worker(module, { workerData, name: `inference ${index + 1}` });
    worker.unref();
    // Its clients hear of it, for their lines are closed; unheard, an error would end the process.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      if (workers.get(index) !== worker) return;
      workers.delete(index);
      Atomics.store(load, index, 0);
    });
    workers.set(index, worker);
    return worker;
  }

  return {
    threads,
    connect() {
      const ports = Array.from({ length: threads }, (_, index) => {
        const worker = workers.get(index) ?? start(index);
        const { port1, port2 } = new MessageChannel();
        worker.postMessage({ type: "welcome", port: port1 } satisfies InferenceOrder, [port1]);
        return port2;
      });
      return { ports, load };
    },
    async close() {
      const leaving = [...workers.values()];
      workers.clear();
      const order: InferenceOrder = { type: "leave" };
      await Promise.all(leaving.map((worker) => endThread(worker, order, once(worker, "exit"), LEAVE_LIMIT_MS)));
      load.fill(0);
    },
  };
}

/** Two frames at a time even on two cores, where decoding takes little; more only where there are cores to spare. */
function standardThreads(cores: number): number {
  return Math.min(4, Math.max(Math.min(2, cores), Math.floor(cores / 2)));
}
