// A pipeline thread on fake sources: the address says what happens.
import { parentPort } from "node:worker_threads";
import { EngineError } from "../../errors.ts";
import type { Frame } from "../../frames/frame.ts";
import { encodeJpeg } from "../../frames/jpeg.ts";
import { type FrameSource, systemClock } from "../../sources/frame-source.ts";
import { frameOf, frameSourceOf, modelRegistryOf, truthModel } from "../../testing/index.ts";
import { compileWorkflow } from "../../workflow/workflow.ts";
import { createPushSources, isPushAddress, serveThread } from "../run-thread.ts";
import { SharedCamera } from "../shared-camera.ts";
import { createSourceFeed } from "../source-set.ts";
import type { ThreadParts } from "../thread-messages.ts";

let openings = 0;

const pushed = createPushSources({ now: systemClock.now, buffer: {} });

function* walk(sourceId: string, count: number): Generator<Frame> {
  for (let i = 1; i <= count; i++) {
    const top = 4 + (i % 20);
    yield frameOf({ sourceId, frameNumber: i, objects: [{ box: [10, top, 30, top + 20] }] });
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

async function openSource(sourceId: string, address: string): Promise<FrameSource> {
  openings += 1;
  if (isPushAddress(address)) return pushed.open(address, sourceId);
  const lost = new EngineError({ kind: "source", reason: "timeout", message: "The camera does not answer." });
  switch (address) {
    case "fake://short":
      return frameSourceOf(walk(sourceId, 5));
    case "fake://endless":
      return paced(frameSourceOf(walk(sourceId, 1e6)));
    case "fake://greedy":
      return frameSourceOf(walk(sourceId, 1e6));
    case "fake://lost-once":
      if (openings === 2) throw lost;
      return frameSourceOf(openings === 1 ? [...walk(sourceId, 2), lost] : walk(sourceId, 3));
    case "fake://breaks":
      return frameSourceOf([...walk(sourceId, 1), new Error("a wheel came off")]);
    case "fake://crashes":
      setTimeout(() => {
        throw new Error("out of memory");
      }, 20);
      return paced(frameSourceOf(walk(sourceId, 1e6)));
    case "fake://blocks":
      return {
        ...frameSourceOf([]),
        next: async () => {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
          return undefined;
        },
      };
    case "fake://deaf":
      return { ...frameSourceOf([]), next: () => new Promise(() => setInterval(() => undefined, 1000)) };
    default:
      throw new EngineError({ kind: "source", reason: "unknown_scene", message: `There is no scene ${address}.` });
  }
}

const stuck = { ...truthModel("fake/stuck"), detect: () => new Promise<never>(() => undefined) };
const models = modelRegistryOf([truthModel(), stuck]);

const parts: ThreadParts = {
  createFeed: ({ sourceId, source: address }, guest) =>
    new SharedCamera({
      createFeed: (onLost) =>
        createSourceFeed({
          open: () => openSource(sourceId, address),
          sleep: systemClock.sleep,
          backOffMs: () => 10,
          onLost,
        }),
      wallClock: systemClock.now,
      now: () => performance.now(),
    }).join(guest),
  compile: (spec, parameters) => compileWorkflow(spec, { models, parameters }),
  decodePicture: async (_bytes, sourceId) => frameOf({ sourceId }),
  encodeJpeg,
  push: pushed.push,
  overlap: 2,
  now: () => performance.now(),
  sleep: systemClock.sleep,
  close: async () => undefined,
};
serveThread(parentPort!, { createParts: () => parts, close: async () => undefined });
