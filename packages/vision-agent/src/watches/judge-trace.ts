// a watch and a stored period → when it would have fired
// `judgeTrace` runs the follower and the judges of live watching over the trace; times, cooldown and mute come after it.
import { isMoment, type Watch } from "@vision-agent/protocol";
import { mergeByTime } from "../store/merge-by-time.ts";
import { camerasOf, interestsOn, partsOf } from "./condition-interests.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { type ConditionChange, type JudgedWatch, judgeWatch, type WatchMemories } from "./evaluate-condition.ts";
import type { StoredScene, StoredView } from "./stored-scene.ts";

/** What of a watch decides what it sees. */
export type TracedWatch = JudgedWatch & Pick<Watch, "cameras">;

export interface JudgeTraceOptions {
  /** From as long before `fromMs` on as `runUpMs` says. */
  readonly scene: StoredScene;
  readonly placeOf: PlaceFinder;
  /** Milliseconds since 1970. */
  readonly fromMs: number;
}

/** One view of a camera, and what became of the condition in it. */
export interface JudgedMoment extends StoredView {
  readonly atMs: number;
  readonly changes: readonly ConditionChange[];
}

const SETTLE_SECONDS = 30;
const LONGEST_RUN_UP_SECONDS = 3600;

/** In the order of time. Begins before that time, for as long as the condition may take. */
export async function* judgeTrace(watch: TracedWatch, options: JudgeTraceOptions): AsyncGenerator<JudgedMoment> {
  const { scene, placeOf, fromMs } = options;
  const begin = fromMs - runUpMs(watch);
  const memories: WatchMemories = new Map();
  const views = camerasOf(watch).map((camera) => scene.views(camera, interestsOn(watch, camera, placeOf), begin));
  for await (const { frame, view } of mergeByTime(views, (one) => one.frame.atMs)) {
    yield { atMs: frame.atMs, frame, view, changes: judgeWatch(watch, memories, view, placeOf) };
  }
}

/** How long before a moment the condition may begin to become true. */
export function runUpMs({ condition, again_seconds }: Pick<TracedWatch, "condition" | "again_seconds">): number {
  // It is told again so long after the first time, whenever that was.
  if (again_seconds !== undefined) return LONGEST_RUN_UP_SECONDS * 1000;
  const longest = partsOf(condition).map(({ condition: one }) => {
    if (one.kind === "stays") return one.seconds;
    return "for_seconds" in one ? one.for_seconds : 0;
  });
  const within = condition.kind === "sequence" ? condition.within_seconds * condition.steps.length : 0;
  // A state that was told before must not be told again as new.
  const told = isMoment(condition) ? 0 : SETTLE_SECONDS;
  return 1000 * Math.min(LONGEST_RUN_UP_SECONDS, SETTLE_SECONDS + told + Math.max(within, ...longest));
}
