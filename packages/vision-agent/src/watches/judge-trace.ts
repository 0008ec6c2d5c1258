// a watch and a stored period → when it would have fired
// `judgeTrace` runs the follower and the judges of live watching over the trace; times, cooldown and mute come after it.
import { isMoment, type Watch, type WatchCondition } from "@vision-agent/protocol";
import { createFollower, timeOfInput } from "../scene/follow-camera.ts";
import type { FollowedView } from "../scene/followed-view.ts";
import { tracedInputs } from "../scene/replay-trace.ts";
import { mergeByTime } from "../store/merge-by-time.ts";
import type { SceneTrace } from "../store/scene-trace.ts";
import type { TracedFrame } from "../store/trace-line.ts";
import { camerasOf, interestsOn, partsOf } from "./condition-interests.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { type ConditionChange, type JudgedWatch, judgeWatch, type WatchMemories } from "./evaluate-condition.ts";

/** What of a watch decides what it sees. */
export type TracedWatch = JudgedWatch & Pick<Watch, "cameras">;

export interface JudgeTraceOptions {
  readonly trace: Pick<SceneTrace, "frames" | "states">;
  readonly placeOf: PlaceFinder;
  /** Milliseconds since 1970; from, and until before. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** One view of a camera, and what became of the condition in it. */
export interface JudgedMoment {
  readonly atMs: number;
  readonly frame: TracedFrame;
  readonly view: FollowedView;
  readonly changes: readonly ConditionChange[];
}

const SETTLE_SECONDS = 30;
const LONGEST_RUN_UP_SECONDS = 3600;

/** In the order of time. Begins before the period, for as long as the condition may take, and tells of the period only. */
export async function* judgeTrace(watch: TracedWatch, options: JudgeTraceOptions): AsyncGenerator<JudgedMoment> {
  const { trace, placeOf, fromMs, toMs } = options;
  const cameras = camerasOf(watch);
  const followers = new Map(cameras.map((camera) => [camera, createFollower(interestsOn(watch, camera, placeOf))]));
  const memories: WatchMemories = new Map();
  const begin = fromMs - runUpSeconds(watch.condition) * 1000;
  const inputs = cameras.map((camera) => tracedInputs(trace, { camera, fromMs: begin, toMs }));
  for await (const input of mergeByTime(inputs, timeOfInput)) {
    const view = followers.get(input.camera)?.(input);
    if (view === undefined || "states" in input) continue;
    const changes = judgeWatch(watch, memories, view, placeOf);
    const { frame } = input;
    if (frame.atMs >= fromMs) yield { atMs: frame.atMs, frame, view, changes };
  }
}

/** How long before a moment the condition may begin to become true. */
function runUpSeconds(condition: WatchCondition): number {
  const longest = partsOf(condition).map(({ condition: one }) => {
    if (one.kind === "stays") return one.seconds;
    return "for_seconds" in one ? one.for_seconds : 0;
  });
  const within = condition.kind === "sequence" ? condition.within_seconds * condition.steps.length : 0;
  // A state that was told before must not be told again as new.
  const told = isMoment(condition) ? 0 : SETTLE_SECONDS;
  return Math.min(LONGEST_RUN_UP_SECONDS, SETTLE_SECONDS + told + Math.max(within, ...longest));
}
