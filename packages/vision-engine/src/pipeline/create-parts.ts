// task of a thread → the real parts, tied together
import { homedir } from "node:os";
import { join } from "node:path";
import { createEffects } from "../effects/create-effects.ts";
import type { Frame } from "../frames/frame.ts";
import { encodeJpeg } from "../frames/jpeg.ts";
import type { Motion } from "../frames/motion.ts";
import { createRemoteRuntime } from "../models/inference-threads/remote-runtime.ts";
import type { ModelRegistry } from "../models/model.ts";
import { createModelRegistry } from "../models/model-registry.ts";
import { openPpOcr } from "../models/ocr/open-pp-ocr.ts";
import type { InferenceRuntime } from "../models/runtime/tensor-session.ts";
import type { FetchProgress } from "../models/store/fetch-progress.ts";
import { createModelStore, type ModelStore } from "../models/store/model-store.ts";
import { fetchTarballWithNpm } from "../models/store/npm-tarball.ts";
import { createStoredModels } from "../models/store/stored-models.ts";
import { importTransformers } from "../models/zero-shot/transformers.ts";
import { createTransformersModels } from "../models/zero-shot/transformers-models.ts";
import { createMotionGate } from "../pixels/frame-difference.ts";
import { type OpenSourceOptions, openSource } from "../sources/open-source.ts";
import { parseSourceAddress } from "../sources/source-address.ts";
import { type SourceClock, systemClock } from "../sources/source-clock.ts";
import { compileWorkflow } from "../workflow/workflow.ts";
import type { EngineSettings } from "./engine-settings.ts";
import { gateModels } from "./gated-models.ts";
import { createPushSources, isPushAddress } from "./push-sources.ts";
import { createReplayClock } from "./replay-clock.ts";
import { createSourceFeed, standardBackOffMs } from "./source-feed.ts";
import type { ThreadTask } from "./thread-messages.ts";
import type { ThreadParts } from "./thread-parts.ts";

const PHASES: Readonly<Record<FetchProgress["phase"], string>> = {
  waiting: "Waiting for another program that fetches",
  fetching: "Fetching",
  checking: "Checking",
  converting: "Converting",
};

/** When a replay begins: recordings carry no date of their own. */
const REPLAY_BEGINS = 0;

/** `onWait` is told in a sentence what the start waits for. */
export function createParts(task: ThreadTask, onWait: (reason: string) => void): ThreadParts {
  const { timing, settings, inference, buffer, motionGate } = task;
  const isReplay = timing === "replay";
  const openedAt = isReplay ? REPLAY_BEGINS : systemClock.now();
  const pushed = createPushSources({ now: systemClock.now, buffer });
  const live = new Map<string, boolean>();
  const clocks = new Map<string, SourceClock>();
  const runtime = inference && createRemoteRuntime(inference);
  const store = createStore(settings);
  // A replay tells nobody: what it shows has happened long ago.
  const effects = createEffects({
    sinksDisabled: isReplay,
    filesFolder: settings.sinkFolder,
  });
  const models = createModels(store, runtime, ({ phase, name, bytesDone, bytesTotal }) => {
    const share = bytesTotal === undefined ? "" : ` (${Math.round((100 * bytesDone) / bytesTotal)} %)`;
    onWait(`${PHASES[phase]} ${name}${share}.`);
  });

  async function open(address: string, wanted: Pick<OpenSourceOptions, "sourceId" | "clock" | "signal">) {
    if (isPushAddress(address)) return pushed.open(address, wanted.sourceId);
    // One beginning for all openings: a scene goes on where it would be, it does not begin anew.
    const options = { ...wanted, openedAt, buffer };
    return openSource(address, isReplay ? { ...options, pace: "as_fast_as_possible", followFolder: false } : options);
  }

  return {
    createFeed(sourceId, address, onLost) {
      const isLive = isPushAddress(address) || parseSourceAddress(address).kind !== "path";
      live.set(sourceId, isLive);
      const replayed = isReplay ? createReplayClock(openedAt) : undefined;
      const clock = replayed ?? systemClock;
      clocks.set(sourceId, clock);
      return createSourceFeed({
        open: (signal) => open(address, { sourceId, clock, signal }),
        sleep: clock.sleep,
        backOffMs: standardBackOffMs,
        onLost,
        reopens: isLive,
        ...(replayed && { onFrame: replayed.follow }),
      });
    },
    decodePicture,
    compile: (spec, parameters) =>
      compileWorkflow(spec, {
        models: motionGate === "off" ? models : gateModels(models),
        parameters,
        effects,
        fetchWorkflow: (workspace, id) => store.savedWorkflow(workspace, id),
        // Blocks are told the time of the frame that they run; until the first it is that of the beginning.
        ...(isReplay && { now: () => openedAt, repeatable: true }),
      }),
    encodeJpeg,
    push: pushed.push,
    motion(sourceId) {
      const isWanted = motionGate === "on" || (motionGate === "auto" && !isReplay && live.get(sourceId) === true);
      return isWanted ? createMotionEye() : undefined;
    },
    overlap: 1 + (inference?.ports.length ?? 0),
    wallClock: (sourceId) => (clocks.get(sourceId) ?? systemClock).now(),
    now: () => performance.now(),
    sleep: systemClock.sleep,
    async close() {
      await effects.close();
      await runtime?.close();
    },
  };
}

async function decodePicture(bytes: Uint8Array, sourceId: string): Promise<Frame> {
  // Loaded on demand: a thread on a camera decodes no files.
  const { decodeImage } = await import("../sources/images/decode-image.ts");
  const { rgba, width, height } = await decodeImage(bytes, sourceId);
  const timestamp = new Date(systemClock.now()).toISOString();
  return { metadata: { source_id: sourceId, frame_number: 1, timestamp, width, height, fps: 0 }, rgba };
}

/** Copies what the gate says: it uses its memory again for the next frame. */
function createMotionEye(): (frame: Frame) => Motion {
  const gate = createMotionGate();
  return ({ rgba, metadata: { width, height } }) => {
    const { moving, regions } = gate.see(rgba, width, height);
    return { moving, regions: regions.map((region) => ({ ...region })) };
  };
}

function createStore({ modelFolder, localModelFolder, roboflowKey, roboflowUrl }: EngineSettings): ModelStore {
  return createModelStore({
    folder: modelFolder ?? join(homedir(), ".cache/vision-agent/models"),
    fetchTarball: fetchTarballWithNpm,
    local: localModelFolder,
    ...(roboflowKey === undefined ? {} : { roboflow: { key: roboflowKey, url: roboflowUrl } }),
  });
}

function createModels(
  store: ModelStore,
  runtime: InferenceRuntime | undefined,
  onProgress: (progress: FetchProgress) => void,
): ModelRegistry {
  if (runtime === undefined) return createModelRegistry();
  const stored = createStoredModels({ store, runtime, openTextReader: openPpOcr, onProgress });
  return createModelRegistry([createTransformersModels(importTransformers), stored]);
}
