// the cameras that a person wants recorded → where their streams are copied to, and clips of events
import { systemClock } from "@vision-agent/agent-core";
import type { CameraRecording, SceneEvent } from "@vision-agent/protocol";
import { joinPieces } from "@vision-agent/vision-engine";
import { z } from "zod";
import type { AppContext } from "./open-app-context.ts";
import type { StateSection } from "./pipelines/active-state.ts";
import type { StopList } from "./stop-list.ts";
import { createRecordings, type Recordings } from "./store/recordings.ts";
import { sourceKey } from "./workspace/camera-address.ts";
import type { RegisteredCamera } from "./workspace/camera-registry.ts";
import { nodeFiles } from "./workspace/node-files.ts";

const PRUNE_EVERY_MS = 30_000;
const BEFORE_MS = 10_000;
const AFTER_MS = 20_000;

/** Another camera under the same name is not recorded. */
export const recordedCameraSchema = z.object({ camera: z.string(), source: z.string() });
type RecordedCamera = z.infer<typeof recordedCameraSchema>;

export interface OpenRecordings extends Pick<Recordings, "forget" | "piecesIn"> {
  /** Where the stream of a camera is copied to; undefined when it is not recorded. */
  recordTo(camera: string): string | undefined;
  status(camera: RegisteredCamera): Promise<CameraRecording>;
  /** Kept before it resolves, and in force. Rejects with `StoreError`. */
  set(camera: RegisteredCamera, isOn: boolean): Promise<CameraRecording>;
  /** A camera has another name: it is recorded on, once it is opened anew. Rejects with `StoreError`. */
  renameCamera(from: string, to: string): Promise<void>;
  /** An MP4 from before until after it; undefined when nothing was recorded then. */
  clipOf(event: Pick<SceneEvent, "camera" | "timestamp">, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

export interface OpenRecordingsOptions {
  readonly store: StateSection<RecordedCamera>;
  /** Opens a camera anew. */
  readonly reopen: (camera: string) => Promise<void>;
}

export async function openRecordings(
  { workspace, config, cameras, masks, names, onNotice }: AppContext,
  { store, reopen }: OpenRecordingsOptions,
  stops: StopList,
): Promise<OpenRecordings> {
  const { keepHours, maxMegabytes } = config.recording;
  const recordings = createRecordings({
    files: nodeFiles,
    folder: workspace.path("recordings"),
    keepHours,
    maxBytes: maxMegabytes * 1e6,
    clock: systemClock,
    names,
    onProblem: onNotice,
  });
  let wanted: readonly RecordedCamera[] = await store.load();
  const isCalled = (name: string, { camera }: RecordedCamera): boolean => camera.toLowerCase() === name.toLowerCase();
  const isWanted = ({ name, address }: RegisteredCamera): boolean =>
    wanted.some((one) => isCalled(name, one) && one.source === sourceKey(address));
  const reasonAgainst = (camera: RegisteredCamera): string | undefined => {
    if (!/^(?:rtsps?|https?):/i.test(camera.address))
      return "Only the streams of RTSP and HTTP cameras can be copied; a file is its own footage.";
    if (masks.of(camera).length > 0) return "It has masks, and they cannot be painted into a copy of its stream.";
    return undefined;
  };
  const status: OpenRecordings["status"] = async (camera) => {
    const reason = reasonAgainst(camera);
    const pieces = await recordings.piecesIn({ camera: camera.name, fromMs: 0, toMs: Number.POSITIVE_INFINITY });
    const [first] = pieces;
    return {
      camera: camera.name,
      on: isWanted(camera),
      ...(reason !== undefined && { reason }),
      bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(first && { since: new Date(first.fromMs).toISOString() }),
    };
  };
  for (const camera of cameras.list().filter(isWanted)) await recordings.open(camera.name);
  await recordings.prune();
  const timer = setInterval(() => void recordings.prune(), PRUNE_EVERY_MS);
  stops.add(() => clearInterval(timer));
  return {
    forget: (target, how) => recordings.forget(target, how),
    piecesIn: (period) => recordings.piecesIn(period),
    recordTo(name) {
      const camera = cameras.find(name);
      return camera && isWanted(camera) ? recordings.folderOf(camera.name) : undefined;
    },
    status,
    async set(camera, isOn) {
      const others = wanted.filter((one) => !isCalled(camera.name, one));
      if (isOn) await recordings.open(camera.name);
      const next = isOn ? [...others, { camera: camera.name, source: sourceKey(camera.address) }] : others;
      await store.save(next);
      wanted = next;
      await reopen(camera.name);
      return status(camera);
    },
    async renameCamera(from, to) {
      if (!wanted.some((one) => isCalled(from, one))) return;
      await recordings.open(to);
      const next = wanted.map((one) => (isCalled(from, one) ? { ...one, camera: to } : one));
      await store.save(next);
      wanted = next;
    },
    async clipOf({ camera, timestamp }, signal) {
      const at = Date.parse(timestamp);
      const pieces = await recordings.piecesIn({ camera, fromMs: at - BEFORE_MS, toMs: at + AFTER_MS });
      if (pieces.length === 0) return undefined;
      return joinPieces(
        pieces.map(({ path }) => path),
        { signal },
      );
    },
  };
}
