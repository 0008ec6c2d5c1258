// pipelines → one follower for each camera → events with their pictures, and views for whoever waits for something
import type { Clock } from "@vision-agent/agent-core";
import type { FrameResult, PipelineStatus, SceneEventKind } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { detectionsIn } from "../pipelines/summarize-results.ts";
import type { OpenSceneEventLog, SceneEventDraft } from "../store/open-scene-event-log.ts";
import { CAMERA_KINDS, type CameraConditions, detectCameraEvents, toldBefore } from "./detect-camera-events.ts";
import { detectSceneEvents, type EventNaming } from "./detect-scene-events.ts";
import { takeEventPicture } from "./event-picture.ts";
import { FollowedCamera, type SeenStates } from "./follow-camera.ts";
import type { FollowedView } from "./followed-view.ts";
import { type LineCounter, narrownessOf, readShapes, type SceneInterest } from "./scene-interest.ts";
import { createVisitPictures, type TakePicture, type VisitPictures } from "./visit-pictures.ts";

/** Pictures of moments must not fill the disk: one in so long for each kind of event on each camera. */
const PICTURE_EVERY_MS = 10_000;

export interface SceneOptions {
  readonly pipelines: Pick<PipelineRegistry, "onResult" | "onChange" | "definition" | "picture">;
  readonly log: Pick<OpenSceneEventLog, "add" | "endVisits" | "list">;
  readonly clock: Clock;
}

export type SceneFollower = Pick<Cameras, keyof Cameras>;

export function openScene(options: SceneOptions): SceneFollower {
  return new Cameras(options);
}

/** One pipeline that looks at a camera. */
interface Feed {
  readonly alertOn: readonly SceneEventKind[];
  readonly interests: readonly Omit<SceneInterest, "classes">[];
  readonly counters: readonly LineCounter[];
  readonly narrowness: number;
  /** What it has shown: its lines are there for no other classes. */
  readonly classes: Set<string>;
}

interface CameraScene {
  readonly followed: FollowedCamera<Feed>;
  readonly pictures: VisitPictures;
}

/** What is in front of every camera: the only one who decides who is there and who crossed. */
class Cameras {
  readonly #options: SceneOptions;
  readonly #cameras = new Map<string, CameraScene>();
  readonly #asked = new Set<{ readonly camera: string; readonly interest: SceneInterest }>();
  readonly #listeners = new Set<(view: FollowedView) => void>();
  readonly #lastPictureMs = new Map<string, number>();
  readonly #leave: readonly (() => void)[];
  #conditions: CameraConditions = new Map();
  #statuses: readonly PipelineStatus[] = [];
  /** Cameras of which it was looked up what people know since before the start. */
  readonly #recalled = new Set<string>();

  constructor(options: SceneOptions) {
    this.#options = options;
    this.#leave = [
      options.pipelines.onResult((status, result) => this.#takeResult(status, result)),
      options.pipelines.onChange((statuses) => this.#takeStates(statuses)),
    ];
  }

  /** Follows a line or zone for somebody until the returned function is called, which may be done twice. */
  follow(camera: string, interest: SceneInterest): () => void {
    const asked = { camera, interest };
    this.#asked.add(asked);
    return () => void this.#asked.delete(asked);
  }

  /** Called after each result, once its events are on their way. Must not throw. Returns the way to stop. */
  onView(listener: (view: FollowedView) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Listens to no pipeline any more. May be called twice. */
  close(): void {
    for (const leave of this.#leave) leave();
  }

  #takeResult(status: PipelineStatus, result: FrameResult): void {
    const { pipeline_id: pipelineId, video_reference: camera } = status;
    const scene = this.#cameras.get(camera) ?? this.#toScene(camera);
    this.#cameras.set(camera, scene);
    const feed = scene.followed.look(pipelineId, () => this.#toFeed(status, result));
    for (const name of classesIn(result)) feed.classes.add(name);
    const view = scene.followed.follow(result, {
      camera,
      pipelineId,
      pipelineName: status.name,
      interests: [...interestsOf(scene), ...this.#askedOn(camera)],
      counters: feed.counters,
    });
    scene.pictures.look(view);
    for (const event of detectSceneEvents(view, namingIn(scene, pipelineId))) {
      const take = () => takeEventPicture(this.#options, { pipelineId, result });
      this.#options.log.add(event, this.#pictureFor(event, scene, take));
    }
    for (const listener of this.#listeners) listener(view);
  }

  /** Of the last event about the camera itself. */
  #lastKind(camera: string): SceneEventKind | undefined {
    const last = CAMERA_KINDS.flatMap((kind) => this.#options.log.list({ camera, kind, limit: 1 }));
    return last.toSorted((one, other) => other.timestamp.localeCompare(one.timestamp))[0]?.kind;
  }

  #takeStates(statuses: readonly PipelineStatus[]): void {
    const { clock } = this.#options;
    const moment = { timestamp: new Date(clock.now()).toISOString(), nowMs: clock.monotonic() };
    const before = new Map(this.#conditions);
    for (const { video_reference: camera } of statuses) {
      if (this.#recalled.has(camera)) continue;
      this.#recalled.add(camera);
      if (!before.has(camera)) before.set(camera, toldBefore(this.#lastKind(camera), moment.nowMs));
    }
    const { cameras, events } = detectCameraEvents(before, statuses, moment);
    this.#conditions = cameras;
    for (const event of events)
      this.#options.log.add(
        event,
        takeEventPicture(this.#options, { pipelineId: event.pipeline_id, result: undefined }),
      );
    this.#statuses = statuses;
    for (const [camera, { followed }] of this.#cameras) {
      if (followed.takeStates(this.#statesOf(camera))) continue;
      this.#cameras.delete(camera);
      this.#options.log.endVisits(camera);
    }
  }

  #toFeed({ pipeline_id, shapes }: PipelineStatus, { frame }: FrameResult): Feed {
    const { spec, alertOn } = this.#options.pipelines.definition(pipeline_id);
    return { alertOn, ...readShapes(shapes, spec, frame), narrowness: narrownessOf(spec), classes: new Set() };
  }

  #statesOf(camera: string): SeenStates["states"] {
    return this.#statuses
      .filter(({ video_reference }) => video_reference === camera)
      .map(({ pipeline_id, status }) => ({ pipelineId: pipeline_id, status }));
  }

  #askedOn(camera: string): readonly SceneInterest[] {
    return [...this.#asked].filter((asked) => asked.camera === camera).map(({ interest }) => interest);
  }

  #toScene(camera: string): CameraScene {
    const followed = new FollowedCamera<Feed>();
    followed.takeStates(this.#statesOf(camera));
    const take: TakePicture = ({ pipelineId, result }) => takeEventPicture(this.#options, { pipelineId, result });
    return { followed, pictures: createVisitPictures(take) };
  }

  /** All of a visit shares the best picture of it. What somebody wants to be told of shows its very frame, now and then. */
  #pictureFor(
    { kind, camera, pipeline_id, visit_id }: SceneEventDraft,
    { followed: { feeds }, pictures }: CameraScene,
    take: () => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined> {
    const best = visit_id === undefined ? undefined : pictures.best(visit_id);
    if (visit_id !== undefined && kind === "left") pictures.end(visit_id);
    if (best && (kind === "appeared" || kind === "left")) return best;
    if (visit_id !== undefined && best === undefined) return take();
    const isTold = feeds.get(pipeline_id)?.alertOn.includes(kind) === true;
    const isDue = (visit_id === undefined || isTold) && this.#isTimeFor(`${camera} ${kind}`);
    return isDue ? take() : Promise.resolve(undefined);
  }

  #isTimeFor(what: string): boolean {
    const nowMs = this.#options.clock.monotonic();
    const last = this.#lastPictureMs.get(what) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - last < PICTURE_EVERY_MS) return false;
    this.#lastPictureMs.set(what, nowMs);
    return true;
  }
}

function interestsOf({ followed: { feeds } }: CameraScene): readonly SceneInterest[] {
  return [...feeds.values()]
    .filter(({ classes }) => classes.size > 0)
    .flatMap(({ interests, classes }) => interests.map((interest) => ({ ...interest, classes: [...classes] })));
}

/** A line or zone has the name of the workflow it is in; besides, the one that was asked to tell comes first. */
function namingIn({ followed: { feeds } }: CameraScene, pipelineId: string): EventNaming {
  return (kind, { className, area }) => {
    const candidates = [...feeds].filter(
      ([, { classes, interests }]) =>
        (className === undefined || classes.has(className)) &&
        (area === undefined || interests.some((interest) => interest.area.key === area.key)),
    );
    const told = candidates.find(([, { alertOn }]) => alertOn.includes(kind));
    const [first] = area === undefined ? [] : candidates;
    return (told ?? first)?.[0] ?? pipelineId;
  };
}

function classesIn(result: FrameResult): readonly string[] {
  return detectionsIn(result).flatMap(({ tracker_id, class_name }) => (tracker_id ? class_name : []));
}
