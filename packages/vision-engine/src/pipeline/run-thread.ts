// tasks of a thread → the real parts, tied together and shared

import { homedir } from "node:os";
import { join } from "node:path";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Effects } from "../blocks/effects.ts";
import { createEffects, type OpenEffects } from "../effects/create-effects.ts";
import { sourceError } from "../errors.ts";
import type { Frame, Motion } from "../frames/frame.ts";
import { encodeJpeg } from "../frames/jpeg.ts";
import { type InferenceLink, yieldToOthers } from "../models/inference-threads/inference-messages.ts";
import { createRemoteRuntime } from "../models/inference-threads/remote-runtime.ts";
import type { ModelRegistry } from "../models/model.ts";
import { createModelRegistry } from "../models/model-registry.ts";
import { openPpOcr } from "../models/ocr/pp-ocr.ts";
import type { InferenceRuntime } from "../models/runtime/tensor-session.ts";
import type { FetchProgress } from "../models/store/download-file.ts";
import { createModelStore, type ModelStore } from "../models/store/model-store.ts";
import { fetchTarballWithNpm } from "../models/store/npm-tarball.ts";
import { ROBOFLOW_URL } from "../models/store/roboflow-api.ts";
import { createStoredModels } from "../models/store/stored-models.ts";
import { importTransformers } from "../models/zero-shot/transformers.ts";
import { createTransformersModels } from "../models/zero-shot/transformers-models.ts";
import { createMotionGate } from "../pixels/frame-difference.ts";
import { type BufferStrategy, type FrameSource, type SourceClock, systemClock } from "../sources/frame-source.ts";
import { maskSource } from "../sources/mask-source.ts";
import { openSource } from "../sources/open-source.ts";
import { openPieces, type VideoPiece } from "../sources/piece-source.ts";
import { createPushSource, type PushSource } from "../sources/push-source.ts";
import { parseSourceAddress } from "../sources/source-address.ts";
import { compileWorkflow } from "../workflow/workflow.ts";
import { gateModels } from "./gated-models.ts";
import type { EngineSettings, PipelineSource } from "./pipeline.ts";
import { runPipelineThread } from "./pipeline-thread.ts";
import { runOnceThread } from "./run-once-thread.ts";
import { SharedCamera } from "./shared-camera.ts";
import { shareModels } from "./shared-models.ts";
import { createSourceFeed, standardBackOffMs } from "./source-set.ts";
import type {
  ThreadOrder,
  ThreadParts,
  ThreadPort,
  ThreadRequest,
  ThreadSetup,
  ThreadTask,
} from "./thread-messages.ts";
import { noteWeakLooks } from "./weak-looks.ts";

/** Serves its owner until it is told to leave. */
export function runThread(): void {
  yieldToOthers();
  const host = createHost(workerData as ThreadSetup);
  serveThread(parentPort!, host);
}

/** What the tasks of a thread have in common. */
export interface ThreadHost {
  readonly createParts: (task: ThreadTask, port: ThreadPort) => ThreadParts;
  readonly close: () => Promise<void>;
}

export function serveThread(owner: MessagePort, { createParts, close }: ThreadHost): void {
  owner.on("message", (order: ThreadOrder) => {
    switch (order.type) {
      case "run": {
        const port = order.port as unknown as ThreadPort;
        const run = order.task.kind === "once" ? runOnceThread : runPipelineThread;
        void run(order.task, port, createParts(order.task, port));
        break;
      }
      case "ping":
        owner.postMessage("here");
        break;
      case "leave":
        void close().finally(() => owner.close());
        break;
    }
  });
}

const PHASES: Readonly<Record<FetchProgress["phase"], string>> = {
  waiting: "Waiting for another program that fetches",
  fetching: "Fetching",
  checking: "Checking",
  converting: "Converting",
};

/** When a replay begins: recordings carry no date of their own. */
const REPLAY_BEGINS = 0;

function createHost(setup: ThreadSetup): ThreadHost {
  const { settings, inference } = setup;
  const runtime = inference && createRemoteRuntime(inference);
  const store = createStore(settings);
  const starting = new Set<(reason: string) => void>();
  const cameras = new Map<string, SharedCamera>();
  const stored = createModels(store, runtime, ({ phase, name, bytesDone, bytesTotal }) => {
    const share = bytesTotal === undefined ? "" : ` (${Math.round((100 * bytesDone) / bytesTotal)} %)`;
    for (const tell of starting) tell(`${PHASES[phase]} ${name}${share}.`);
  });
  const weakLooks = noteWeakLooks(stored);
  const models = shareModels(gateModels(weakLooks.models));

  /** The camera that others look at already, or a new one. */
  function cameraOf(source: PipelineSource, create: (onClosed: () => void) => SharedCamera): SharedCamera {
    const key = JSON.stringify(source);
    const camera = cameras.get(key) ?? create(() => cameras.delete(key));
    cameras.set(key, camera);
    return camera;
  }

  function createParts(task: ThreadTask, port: ThreadPort): ThreadParts {
    const isReplay = task.timing === "replay";
    const openedAt = isReplay ? REPLAY_BEGINS : systemClock.now();
    const pushed = createPushSources({ now: systemClock.now, buffer: task.buffer });
    const effects = openEffects(setup, task, port);
    // What the start waits for.
    const tell = (reason: string): void => port.postMessage({ type: "state", state: "starting", reason });
    return {
      createFeed: (source, guest) =>
        cameraOf(source, (onClosed) => createCamera(source, { task, openedAt, pushed, onClosed })).join(guest),
      decodePicture,
      async compile(spec, parameters) {
        starting.add(tell);
        try {
          return await compileWorkflow(spec, {
            models,
            parameters,
            effects,
            fetchWorkflow: (workspace, id) => store.savedWorkflow(workspace, id),
            // Blocks are told the time of the frame that they run; until the first it is that of the beginning.
            ...(isReplay && { now: () => openedAt, repeatable: true }),
          });
        } finally {
          starting.delete(tell);
        }
      },
      encodeJpeg,
      push: pushed.push,
      weakOf: weakLooks.of,
      overlap: 1 + (inference?.ports.length ?? 0),
      ...(inference && { isLoaded: () => loadOf(inference) >= 2 * inference.ports.length }),
      now: () => performance.now(),
      sleep: systemClock.sleep,
      close: () => effects.close(),
    };
  }

  return {
    createParts,
    async close() {
      await runtime?.close();
    },
  };
}

/** Requests that run or wait, of all pipelines. */
function loadOf({ load }: InferenceLink): number {
  return load.reduce((sum, _, thread) => sum + Atomics.load(load, thread), 0);
}

interface CameraParts {
  readonly task: ThreadTask;
  /** One beginning for all openings: a scene goes on where it would be, it does not begin anew. */
  readonly openedAt: number;
  readonly pushed: PushSources;
  readonly onClosed: () => void;
}

function createCamera(source: PipelineSource, { task, openedAt, pushed, onClosed }: CameraParts): SharedCamera {
  const { sourceId, source: address, masks = [], pieces, recordTo } = source;
  const { timing, buffer, motionGate } = task;
  const isReplay = timing === "replay";
  const isLive = isPushAddress(address) || parseSourceAddress(address).kind !== "path";
  const replayed = isReplay ? createReplayClock(openedAt) : undefined;
  const clock = replayed ?? systemClock;

  async function open(signal: AbortSignal): Promise<FrameSource> {
    if (isPushAddress(address)) return maskSource(pushed.open(address, sourceId), masks);
    // For one look nobody waits until somebody puts a picture into an empty folder.
    const options = { sourceId, masks, clock, signal, openedAt, buffer, followFolder: task.kind !== "once" };
    if (isReplay) {
      const replay = { ...options, pace: "as_fast_as_possible", followFolder: false } as const;
      if (pieces === undefined) return openSource(address, replay);
      const open = ({ path, startMs }: VideoPiece, until: AbortSignal): Promise<FrameSource> =>
        openSource(path, { ...replay, openedAt: startMs, signal: until });
      return openPieces({ pieces, open, signal });
    }
    return openSource(address, recordTo === undefined ? options : { ...options, recordTo });
  }

  const looksForMotion = motionGate === "on" || (motionGate === "auto" && !isReplay && isLive);
  return new SharedCamera({
    createFeed: (onLost) =>
      createSourceFeed({
        open,
        sleep: clock.sleep,
        backOffMs: standardBackOffMs,
        onLost,
        reopens: isLive,
        ...(replayed && { onFrame: replayed.follow }),
      }),
    motion: looksForMotion ? createMotionEye() : undefined,
    wallClock: clock.now,
    now: () => performance.now(),
    onClosed,
  });
}

function openEffects(
  { settings, asksForPictures }: ThreadSetup,
  { timing, sources }: ThreadTask,
  port: ThreadPort,
): OpenEffects {
  const { roboflowKey, roboflowUrl = ROBOFLOW_URL } = settings;
  return createEffects({
    // A replay tells nobody: what it shows has happened long ago.
    sinksDisabled: timing === "replay",
    filesFolder: settings.sinkFolder,
    publicAddressesOnly: settings.publicSinksOnly,
    mailCa: settings.mailCa,
    s3Endpoint: settings.s3Endpoint,
    ...(roboflowKey !== undefined && { roboflow: { apiUrl: roboflowUrl, apiKey: roboflowKey } }),
    onFailure: (message) => port.postMessage({ type: "sink_failed", message }),
    ...(asksForPictures && { allowPicture: askOwner(port, sources[0]!.sourceId) }),
  });
}

/** The question goes to the thread that opened this one. */
function askOwner(port: ThreadPort, camera: string): NonNullable<Effects["allowPicture"]> {
  const waiting = new Map<number, (allowed: boolean) => void>();
  let lastId = 0;
  port.on("message", (request) => {
    if (request.type !== "picture_allowed") return;
    waiting.get(request.id)?.(request.allowed);
    waiting.delete(request.id);
  });
  return (picture) =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      port.postMessage({ type: "may_send", id: lastId, picture: { camera, ...picture } });
    });
}

async function decodePicture(bytes: Uint8Array, sourceId: string): Promise<Frame> {
  // Loaded on demand: a thread on a camera decodes no files.
  const { decodeImage } = await import("../sources/image-sources.ts");
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

type PushRequest = Extract<ThreadRequest, { type: "push" }>;

export interface PushSources {
  /** Throws `EngineError` kind `source` when the address does not say how large the frames are. */
  open(address: string, sourceId: string): FrameSource;
  /** Frames for a source that is not there, or of another size, are left out. */
  push(request: PushRequest): void;
}

export function isPushAddress(address: string): boolean {
  return /^push:/i.test(address);
}

export function createPushSources(options: {
  readonly now: () => number;
  readonly buffer: Partial<BufferStrategy>;
}): PushSources {
  const sources = new Map<string, PushSource>();
  return {
    open(address, sourceId) {
      const { width, height, fps } = readSize(address);
      const source = createPushSource({ ...options, width, height, fps, sourceId });
      sources.set(sourceId, source);
      return source;
    },
    push({ sourceId, width, height, rgba, takenAt }) {
      const source = sources.get(sourceId);
      if (source === undefined || source.width !== width || source.height !== height) return;
      // With the strategy WAIT the promise is for who can wait; a message cannot.
      void source.push(rgba, takenAt);
    },
  };
}

function readSize(address: string): { readonly width: number; readonly height: number; readonly fps: number } {
  const query = new URLSearchParams(address.split("?")[1] ?? "");
  const read = (name: string): number => Number(query.get(name) ?? 0);
  const [width, height, fps] = [read("width"), read("height"), read("fps")];
  const isSize = (value: number): boolean => Number.isInteger(value) && value > 0;
  if (isSize(width) && isSize(height) && fps >= 0) return { width, height, fps };
  throw sourceError("bad_option", "A source of your own frames needs their size: push://?width=640&height=480.");
}

/** Stands still between frames; who sleeps moves it and waits for nothing. */
interface ReplayClock extends SourceClock {
  /** A frame was given: it is at least as late as that. Pictures without a rate lie one second apart. */
  follow(frame: Frame): void;
}

const PICTURE_MS = 1000;

function createReplayClock(beginMs: number): ReplayClock {
  let nowMs = beginMs;
  return {
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      nowMs += ms;
    },
    follow({ metadata: { timestamp, fps } }) {
      nowMs = Math.max(nowMs, Date.parse(timestamp) + (fps > 0 ? 0 : PICTURE_MS));
    },
  };
}
