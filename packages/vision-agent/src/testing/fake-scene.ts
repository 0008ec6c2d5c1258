// things at places → results and views of a camera, for tests
import type { FrameResult } from "@vision-agent/protocol";
import { EMPTY_SCENE, type FollowContext, followScene, type SceneMemory } from "../scene/follow-scene.ts";
import type { FollowedView } from "../scene/followed-view.ts";
import type { SceneFollower } from "../scene/open-scene.ts";

/** Where nothing ever happens. */
export const QUIET_SCENE: Pick<SceneFollower, "follow" | "onView"> = {
  follow: () => () => undefined,
  onView: () => () => undefined,
};

/** Its box is 20 by 20 pixels, with the centre at this place. */
export interface FakeThing {
  readonly id: number;
  readonly className: string;
  readonly x: number;
  readonly y: number;
}

export function thing(id: number, className: string, x: number, y = 100): FakeThing {
  return { id, className, x, y };
}

/** A picture of 1000 by 1000 pixels, so many milliseconds after the first of January 2026. */
export function sceneResult(
  ms: number,
  things: readonly FakeThing[],
  options: { readonly counts?: Readonly<Record<string, number>>; readonly untracked?: boolean } = {},
): FrameResult {
  const [width, height] = [1000, 1000];
  const detections = {
    image: { width, height },
    xyxy: things.flatMap(({ x, y }) => [x - 10, y - 10, x + 10, y + 10]),
    confidence: things.map(() => 0.9),
    class_id: things.map(() => 0),
    class_name: things.map(({ className }) => className),
    tracker_id: options.untracked ? null : things.map(({ id }) => id),
  };
  const values = Object.entries(options.counts ?? {}).map(([name, value]) => [name, { kind: "value", value }] as const);
  return {
    frame: {
      source_id: "street",
      frame_number: ms / 100 + 1,
      timestamp: new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
      width,
      height,
      fps: 10,
    },
    outputs: { tracked_detections: { kind: "detections", detections }, ...Object.fromEntries(values) },
    latency_ms: 1,
  };
}

/** The views of a camera that has been looked at for long, on which one pipeline runs, or those that each result is said to come from. */
export function viewsOf(
  results: readonly (FrameResult | readonly [pipelineId: string, result: FrameResult])[],
  context: Partial<FollowContext> = {},
): readonly FollowedView[] {
  let memory: SceneMemory = { ...EMPTY_SCENE, looked: { sinceMs: 0, results: 100 } };
  return results.map((given) => {
    const [pipelineId, result] = "frame" in given ? ["pipe_1", given] : given;
    const step = followScene(memory, result, {
      camera: "street",
      pipelineId,
      pipelines: new Set(["pipe_1", "pipe_2"]),
      interests: [],
      counters: [],
      ...context,
    });
    memory = step.memory;
    return step.view;
  });
}
