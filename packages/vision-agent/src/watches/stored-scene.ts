// a stored period, read once → views of its cameras, for every watch and every change that is tried on it
import { createFollower } from "../scene/follow-camera.ts";
import type { FollowedView } from "../scene/followed-view.ts";
import { type TracedInput, tracedInputs } from "../scene/replay-trace.ts";
import type { SceneInterest } from "../scene/scene-interest.ts";
import type { SceneTrace } from "../store/scene-trace.ts";
import type { TracedFrame } from "../store/trace-line.ts";
import { Turn } from "../store/turn.ts";

export interface StoredView {
  readonly frame: TracedFrame;
  readonly view: FollowedView;
}

const VIEWS_AT_ONCE = 50;
/** More would fill the memory: they are followed again each time. */
const MOST_KEPT_INPUTS = 6000;
const MOST_KEPT = 3;

export class StoredScene {
  /** By camera, in the order of time. */
  readonly #inputs: ReadonlyMap<string, readonly TracedInput[]>;
  readonly #kept = new Map<string, readonly (readonly StoredView[])[]>();

  constructor(inputs: ReadonlyMap<string, readonly TracedInput[]>) {
    this.#inputs = inputs;
  }

  /** From a time on, some at a time. What was followed for the same wish is not followed again. */
  async *views(
    camera: string,
    interests: readonly SceneInterest[],
    fromMs: number,
  ): AsyncGenerator<readonly StoredView[]> {
    const key = JSON.stringify([camera, fromMs, interests]);
    const kept = this.#kept.get(key);
    if (kept) {
      // Set anew, so that the map is ordered by when each was last used.
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      yield* kept;
      return;
    }
    const inputs = from(this.#inputs.get(camera) ?? [], fromMs);
    const follow = createFollower(interests);
    const all: (readonly StoredView[])[] = [];
    const turn = new Turn();
    for (let at = 0; at < inputs.length; at += VIEWS_AT_ONCE) {
      const some: StoredView[] = [];
      for (const input of inputs.slice(at, at + VIEWS_AT_ONCE)) {
        const view = follow(input);
        if (view !== undefined && !("states" in input)) some.push({ frame: input.frame, view });
        if (turn.isOver) await turn.next();
      }
      if (inputs.length <= MOST_KEPT_INPUTS) all.push(some);
      yield some;
    }
    if (inputs.length > MOST_KEPT_INPUTS) return;
    this.#kept.set(key, all);
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
  }
}

/** Cameras with the time from which on each is needed. `change` stands in for what was found in a frame. */
export async function readScene(
  trace: Pick<SceneTrace, "frames" | "states">,
  cameras: ReadonlyMap<string, number>,
  { toMs, change }: { readonly toMs: number; readonly change?: (frame: TracedFrame) => TracedFrame },
): Promise<StoredScene> {
  const inputs = new Map<string, TracedInput[]>();
  for (const [camera, fromMs] of cameras) {
    const read: TracedInput[] = [];
    const changed = change ? withFrames(trace, change) : trace;
    for await (const some of tracedInputs(changed, { camera, fromMs, toMs })) read.push(...some);
    inputs.set(camera, read);
  }
  return new StoredScene(inputs);
}

function withFrames(
  trace: Pick<SceneTrace, "frames" | "states">,
  change: (frame: TracedFrame) => TracedFrame,
): Pick<SceneTrace, "frames" | "states"> {
  return {
    states: (period) => trace.states(period),
    async *frames(period) {
      for await (const frames of trace.frames(period)) yield frames.map(change);
    },
  };
}

/** Also how the pipelines were when the time came. */
function from(inputs: readonly TracedInput[], fromMs: number): readonly TracedInput[] {
  const first = inputs.findIndex((input) => !("states" in input) && input.frame.atMs >= fromMs);
  const before = inputs.slice(0, Math.max(0, first)).findLast((input) => "states" in input);
  return first === -1 ? [] : [...(before ? [before] : []), ...inputs.slice(first)];
}
