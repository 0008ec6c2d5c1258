// pipelines → scene events with their pictures → the log
import type { Clock } from "@vision-agent/agent-core";
import type { FrameResult, PipelineStatus } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { type CamerasDown, detectCameraEvents } from "./detect-camera-events.ts";
import {
  detectSceneEvents,
  EMPTY_SCENE,
  type SceneContext,
  type SceneEventDraft,
  type SceneMemory,
} from "./detect-scene-events.ts";
import { takeEventPicture } from "./event-picture.ts";
import type { OpenSceneEventLog } from "./open-scene-event-log.ts";
import { readCountedLines } from "./scene-plan.ts";

/** Things that come and go on a busy street must not fill the disk: one picture in so long for each camera. */
const ORDINARY_PICTURE_EVERY_MS = 2000;
const ORDINARY: readonly SceneEventDraft["kind"][] = ["appeared", "left"];

export interface RecorderOptions {
  readonly pipelines: Pick<PipelineRegistry, "onResult" | "onChange" | "definition" | "picture">;
  readonly log: Pick<OpenSceneEventLog, "add">;
  readonly clock: Clock;
}

/** Turns what pipelines see into events until the returned function is called, which may be done twice. */
export function recordSceneEvents(options: RecorderOptions): () => void {
  const recorder = new Recorder(options);
  const { pipelines } = options;
  const leave = [
    pipelines.onResult((status, result) => recorder.takeResult(status, result)),
    pipelines.onChange((statuses) => recorder.takeStates(statuses)),
  ];
  return () => {
    for (const stop of leave) stop();
  };
}

interface Scene {
  readonly context: SceneContext;
  memory: SceneMemory;
}

class Recorder {
  readonly #options: RecorderOptions;
  readonly #scenes = new Map<string, Scene>();
  readonly #lastOrdinaryPictureMs = new Map<string, number>();
  #down: CamerasDown = new Set();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  takeResult(status: PipelineStatus, result: FrameResult): void {
    const scene = this.#sceneOf(status);
    const { memory, events } = detectSceneEvents(scene.memory, result, scene.context);
    scene.memory = memory;
    for (const event of events) this.#record(event, result);
  }

  takeStates(statuses: readonly PipelineStatus[]): void {
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    const { down, events } = detectCameraEvents(this.#down, statuses, timestamp);
    this.#down = down;
    for (const event of events) this.#record(event, undefined);
    const known = new Set(statuses.map(({ pipeline_id }) => pipeline_id));
    for (const id of this.#scenes.keys()) if (!known.has(id)) this.#scenes.delete(id);
  }

  #sceneOf({ pipeline_id, video_reference }: PipelineStatus): Scene {
    const known = this.#scenes.get(pipeline_id);
    if (known) return known;
    const { spec } = this.#options.pipelines.definition(pipeline_id);
    const context = { camera: video_reference, pipelineId: pipeline_id, lines: readCountedLines(spec) };
    const scene = { context, memory: EMPTY_SCENE };
    this.#scenes.set(pipeline_id, scene);
    return scene;
  }

  #record(event: SceneEventDraft, result: FrameResult | undefined): void {
    const picture = this.#wantsPicture(event)
      ? takeEventPicture(this.#options, { pipelineId: event.pipeline_id, result })
      : Promise.resolve(undefined);
    this.#options.log.add(event, picture);
  }

  #wantsPicture({ kind, camera }: SceneEventDraft): boolean {
    if (!ORDINARY.includes(kind)) return true;
    const nowMs = this.#options.clock.monotonic();
    const last = this.#lastOrdinaryPictureMs.get(camera) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - last < ORDINARY_PICTURE_EVERY_MS) return false;
    this.#lastOrdinaryPictureMs.set(camera, nowMs);
    return true;
  }
}
