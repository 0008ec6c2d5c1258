import type { Worker } from "node:worker_threads";

/** Native code that is cut off in its work can end the whole process: a thread that was told to goes by itself if it can. */
export async function endThread(worker: Worker, order: object, gone: Promise<unknown>, graceMs: number): Promise<void> {
  worker.postMessage(order);
  const limit = setTimeout(() => void worker.terminate(), graceMs);
  await gone;
  clearTimeout(limit);
}
