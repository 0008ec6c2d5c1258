// A pipeline thread on fake sources: the address says what happens.
import { parentPort, workerData } from "node:worker_threads";
import { EngineError } from "../../errors.ts";
import type { Frame } from "../../frames/frame.ts";
import { encodeJpeg } from "../../frames/jpeg.ts";
import { systemClock } from "../../sources/source-clock.ts";
import type { FrameSource } from "../../sources/frame-source.ts";
import { frameOf, frameSourceOf, modelRegistryOf, truthModel } from "../../testing.ts";
import { runOnceThread, runPipelineThread, type ThreadParts } from "../pipeline-thread.ts";
import type { ThreadPort, ThreadTask } from "../thread-messages.ts";

const task = workerData as ThreadTask;
let openings = 0;

function* walk(count: number): Generator<Frame> {
  for (let i = 1; i <= count; i++) {
    const top = 4 + (i % 20);
    yield frameOf({ sourceId: task.sourceId, frameNumber: i, objects: [{ box: [10, top, 30, top + 20] }] });
  }
}

/** One frame every few milliseconds, so that a test can act meanwhile. */
function paced(source: FrameSource): FrameSource {
  return {
    ...source,
    async next(signal) {
      await systemClock.sleep(5, signal);
      return source.next(signal);
    },
  };
}

async function openSource(address: string): Promise<FrameSource> {
  openings += 1;
  const lost = new EngineError({ kind: "source", reason: "timeout", message: "The camera does not answer." });
  switch (address) {
    case "fake://short":
      return frameSourceOf(walk(5));
    case "fake://endless":
      return paced(frameSourceOf(walk(1e6)));
    case "fake://greedy":
      return frameSourceOf(walk(1e6));
    case "fake://lost-once":
      if (openings === 2) throw lost;
      return frameSourceOf(openings === 1 ? [...walk(2), lost] : walk(3));
    case "fake://breaks":
      return frameSourceOf([...walk(1), new Error("a wheel came off")]);
    case "fake://crashes":
      setTimeout(() => {
        throw new Error("out of memory");
      }, 20);
      return paced(frameSourceOf(walk(1e6)));
    case "fake://deaf":
      return { ...frameSourceOf([]), next: () => new Promise(() => setInterval(() => undefined, 1000)) };
    default:
      throw new EngineError({ kind: "source", reason: "unknown_scene", message: `There is no scene ${address}.` });
  }
}

const parts: ThreadParts = {
  openSource,
  models: modelRegistryOf([truthModel()]),
  encodeJpeg,
  now: () => performance.now(),
  sleep: systemClock.sleep,
  backOffMs: () => 10,
};
const run = task.kind === "once" ? runOnceThread : runPipelineThread;
await run(task, parentPort as unknown as ThreadPort, parts);
