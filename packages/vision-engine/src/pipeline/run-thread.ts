import { parentPort, workerData } from "node:worker_threads";
import { yieldToOthers } from "../models/inference-threads/thread-priority.ts";
import { createParts } from "./create-parts.ts";
import { runPipelineThread } from "./pipeline-thread.ts";
import { runOnceThread } from "./run-once-thread.ts";
import type { ThreadPort, ThreadTask } from "./thread-messages.ts";

/** Does what this thread was started for. */
export async function runThread(): Promise<void> {
  const task = workerData as ThreadTask;
  yieldToOthers();
  const run = task.kind === "once" ? runOnceThread : runPipelineThread;
  const port = parentPort as unknown as ThreadPort;
  const parts = createParts(task, (reason) => port.postMessage({ type: "state", state: "starting", reason }));
  await run(task, port, parts);
}
