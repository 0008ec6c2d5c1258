// what a camera's pipelines give, and whether they look → views; the same live, on the trace and on clips
import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import { EMPTY_SCENE, type FollowContext, followScene, type SceneMemory } from "./follow-scene.ts";
import type { FollowedView } from "./followed-view.ts";
import type { SceneInterest } from "./scene-interest.ts";

/** A result of one of a camera's pipelines. */
export interface SeenResult {
  readonly camera: string;
  readonly pipelineId: string;
  readonly pipelineName?: string | undefined;
  /** As of `narrownessOf`. Default 0. */
  readonly narrowness?: number | undefined;
  readonly result: FrameResult;
}

/** How all pipelines of a camera are from a time on. */
export interface SeenStates {
  readonly camera: string;
  readonly atMs: number;
  readonly states: readonly PipelineLook[];
}

export type SceneInput = SeenResult | SeenStates;

/** Milliseconds since 1970. */
export function timeOfInput(input: SceneInput): number {
  return "states" in input ? input.atMs : Date.parse(input.result.frame.timestamp);
}

interface PipelineLook {
  readonly pipelineId: string;
  readonly status: PipelineState;
}

/** Results come from these. */
const LOOKING: readonly PipelineState[] = ["starting", "running"];
/** These see nothing any more. */
const OVER: readonly PipelineState[] = ["ended", "stopped"];

export class FollowedCamera<F extends { readonly narrowness: number } = { readonly narrowness: number }> {
  readonly #feeds = new Map<string, F>();
  /** Also those that have given nothing yet. */
  #looking: ReadonlySet<string> = new Set();
  #narrowness: ReadonlyMap<string, number> = new Map();
  #memory: SceneMemory = EMPTY_SCENE;
  readonly #time = new CameraTime();

  /** Pipelines that look at it now and have given a result. */
  get feeds(): ReadonlyMap<string, F> {
    return this.#feeds;
  }

  /** The pipeline looks at the camera; `open` makes its feed when it did not look before. */
  look(pipelineId: string, open: () => F): F {
    // After an outage or a pause it has to be found out again who is there.
    if (this.#feeds.size === 0) this.#memory = { ...this.#memory, looked: undefined };
    const known = this.#feeds.get(pipelineId);
    if (known) return known;
    const feed = open();
    this.#feeds.set(pipelineId, feed);
    this.#looking = new Set([...this.#looking, pipelineId]);
    this.#narrowness = new Map([...this.#feeds].map(([id, { narrowness }]) => [id, narrowness]));
    return feed;
  }

  follow(result: FrameResult, context: Omit<FollowContext, "pipelines" | "narrowness" | "nowMs">): FollowedView {
    const { memory, view } = followScene(this.#memory, result, {
      ...context,
      nowMs: this.#time.at(context.pipelineId, Date.parse(result.frame.timestamp)),
      pipelines: this.#looking,
      narrowness: this.#narrowness,
    });
    this.#memory = memory;
    return view;
  }

  /** False when nobody looks at the camera any more: what was there is forgotten. */
  takeStates(states: readonly PipelineLook[]): boolean {
    this.#looking = new Set(states.flatMap((one) => (LOOKING.includes(one.status) ? one.pipelineId : [])));
    for (const id of this.#feeds.keys()) {
      if (this.#looking.has(id)) continue;
      this.#feeds.delete(id);
      this.#time.leave(id);
    }
    const isWatched = states.some(({ status }) => !OVER.includes(status));
    if (!isWatched) this.#memory = EMPTY_SCENE;
    return isWatched;
  }
}

/** Pictures of one pipeline come in order: earlier by more than this, the clock was set back. */
const OUT_OF_ORDER_MS = 1000;
/** Pipelines of one camera may be so far apart. */
const SLOWEST_PIPELINE_MS = 60_000;

/** The time of a camera: that of its pictures, but it never goes back. */
class CameraTime {
  readonly #pipelines = new Map<string, { readonly pictureMs: number; readonly setBackMs: number }>();
  #nowMs = Number.NEGATIVE_INFINITY;

  at(pipelineId: string, pictureMs: number): number {
    const known = this.#pipelines.get(pipelineId);
    const earliest = known ? known.pictureMs - OUT_OF_ORDER_MS : this.#nowMs - SLOWEST_PIPELINE_MS;
    const setBackMs = pictureMs < earliest ? this.#nowMs - pictureMs : (known?.setBackMs ?? 0);
    this.#pipelines.set(pipelineId, { pictureMs, setBackMs });
    this.#nowMs = Math.max(this.#nowMs, pictureMs + setBackMs);
    return this.#nowMs;
  }

  leave(pipelineId: string): void {
    this.#pipelines.delete(pipelineId);
  }
}

/** For one camera, from inputs in the order of time. Undefined for states. */
export function createFollower(interests: readonly SceneInterest[]): (input: SceneInput) => FollowedView | undefined {
  const followed = new FollowedCamera();
  return (input) => {
    if ("states" in input) {
      followed.takeStates(input.states);
      return undefined;
    }
    const { camera, pipelineId, pipelineName, narrowness = 0, result } = input;
    followed.look(pipelineId, () => ({ narrowness }));
    const named = pipelineName === undefined ? {} : { pipelineName };
    return followed.follow(result, { camera, pipelineId, ...named, interests, counters: [] });
  };
}
