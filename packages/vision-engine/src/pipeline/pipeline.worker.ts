// The thread of one pipeline: the real parts, tied together.
import { parentPort, workerData } from "node:worker_threads";
import { encodeJpeg } from "../frames/jpeg.ts";
import { createModelRegistry } from "../models/model-registry.ts";
import { openSource } from "../sources/open-source.ts";
import { systemClock } from "../sources/source-clock.ts";
import { runOnceThread, runPipelineThread, type ThreadParts } from "./pipeline-thread.ts";
import { standardBackOffMs } from "./source-feed.ts";
import type { ThreadPort, ThreadTask } from "./thread-messages.ts";

const task = workerData as ThreadTask;
let firstOpenedAt: number | undefined;

const parts: ThreadParts = {
  // One beginning for all openings: a scene goes on where it would be, it does not begin anew.
  openSource: (address, sourceId) => {
    firstOpenedAt ??= systemClock.now();
    return openSource(address, { sourceId, clock: systemClock, openedAt: firstOpenedAt });
  },
  models: createModelRegistry(),
  encodeJpeg,
  now: () => performance.now(),
  sleep: systemClock.sleep,
  backOffMs: standardBackOffMs,
};

const run = task.kind === "once" ? runOnceThread : runPipelineThread;
await run(task, parentPort as unknown as ThreadPort, parts);
