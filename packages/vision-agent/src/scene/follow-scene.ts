// results of a camera's pipelines → who is there, since when, in which zone, and who crossed a line
import type { FrameResult } from "@vision-agent/protocol";
import { areasOf, FollowStep } from "./follow-areas.ts";
import {
  type FollowedView,
  GONE_AFTER_MS,
  isThere,
  type SceneTrack,
  SEEN_BEFORE_THERE,
  tracksIn,
} from "./followed-view.ts";
import { type ClaimContext, type ClassOwner, claimClasses, keyOf, recognize, trackedIn } from "./recognize-tracks.ts";
import type { LineCounter, SceneInterest } from "./scene-interest.ts";

/** A count that does not last is not told; longer than somebody who left still counts as there. */
const COUNT_STEADY_MS = GONE_AFTER_MS + 1000;
/** Twice as long as it takes to find somebody whom the detector does not miss. */
const SETTLED_AFTER_RESULTS = 2 * SEEN_BEFORE_THERE;
const SETTLED_AFTER_MS = 2 * GONE_AFTER_MS;
const MOST_TRACKS = 512;
const MOST_CROSSINGS_A_FRAME = 20;

/** What is remembered of one camera between results; bounded. */
export interface SceneMemory {
  readonly tracks: ReadonlyMap<string, SceneTrack>;
  readonly owners: ReadonlyMap<string, ClassOwner>;
  readonly counts: ReadonlyMap<string, SteadyCount>;
  /** Last value of each counting output. */
  readonly counters: ReadonlyMap<string, number>;
  /** Keys of the areas that were followed. */
  readonly areas: ReadonlySet<string>;
  /** Absent when nobody looks: who is there must be found out first. */
  readonly looked?: { readonly sinceMs: number; readonly results: number } | undefined;
}

interface SteadyCount {
  readonly count: number;
  readonly sinceMs: number;
  /** What the last steady one was. */
  readonly told: number | undefined;
}

export const EMPTY_SCENE: SceneMemory = {
  tracks: new Map(),
  owners: new Map(),
  counts: new Map(),
  counters: new Map(),
  areas: new Set(),
};

export interface FollowContext extends Omit<ClaimContext, "nowMs">, Pick<FollowedView, "camera" | "pipelineName"> {
  readonly interests: readonly SceneInterest[];
  /** Of the pipeline that gave the result. */
  readonly counters: readonly LineCounter[];
  /** Never less than before for one camera. Default: when the picture was taken. */
  readonly nowMs?: number;
}

/** Pure: the same results give the same views. */
export function followScene(
  memory: SceneMemory,
  result: FrameResult,
  context: FollowContext,
): { readonly memory: SceneMemory; readonly view: FollowedView } {
  const { camera, pipelineId, pipelineName, pipelines, nowMs = Date.parse(result.frame.timestamp) } = context;
  const boxes = trackedIn(result);
  const owners = claimClasses(memory.owners, boxes ?? [], { ...context, nowMs });
  const tracks = new Map(memory.tracks);
  const step = new FollowStep(memory.areas, areasOf(context.interests, result), nowMs);
  const shown = new Set((boxes ?? []).map(({ trackerId }) => keyOf({ pipelineId, trackerId })));
  const seen = (boxes ?? [])
    .filter(({ className }) => owners.get(className)?.pipelineId === pipelineId)
    .map((box) => step.move(recognize(tracks, box, { pipelineId, nowMs, shown, frame: result.frame })));
  // Set anew, so that the map is ordered by when each was last seen.
  for (const track of seen) tracks.set(keyOf(track), track);
  const unseen = [...tracks].filter(([, { lastSeenMs }]) => nowMs - lastSeenMs > GONE_AFTER_MS);
  for (const [key, track] of unseen) {
    tracks.delete(key);
    step.leave(track);
  }
  for (const [key, track] of tracks) if (isThere(track)) tracks.set(key, step.wait(track));
  for (const key of [...tracks.keys()].slice(0, Math.max(0, tracks.size - MOST_TRACKS))) tracks.delete(key);
  const there = [...tracks.values()].filter(isThere);
  const counted = countAreas(memory.counts, there, { interests: context.interests, nowMs });
  const looked = { sinceMs: memory.looked?.sinceMs ?? nowMs, results: (memory.looked?.results ?? 0) + 1 };
  const { counters, crossings } = boxes
    ? { counters: memory.counters, crossings: step.crossings }
    : readCounters(memory.counters, result, context.counters);
  return {
    memory: { tracks, owners, counts: counted.counts, counters, areas: step.areaKeys, looked },
    view: {
      ...{
        camera,
        pipelineId,
        ...(pipelineName !== undefined && { pipelineName }),
        pipelines,
        result,
        nowMs,
        lookedSinceMs: looked.sinceMs,
        isSettled: looked.results >= SETTLED_AFTER_RESULTS && nowMs - looked.sinceMs >= SETTLED_AFTER_MS,
        there,
        crossings,
      },
      arrived: seen.filter((track) => track.seen === SEEN_BEFORE_THERE),
      gone: unseen.map(([, track]) => track).filter(isThere),
      entered: step.entered,
      exited: step.exited,
      stayed: step.stayed,
      counts: counted.changes,
    },
  };
}

function countAreas(
  before: SceneMemory["counts"],
  there: readonly SceneTrack[],
  { interests, nowMs }: { readonly interests: readonly SceneInterest[]; readonly nowMs: number },
): { readonly counts: SceneMemory["counts"]; readonly changes: FollowedView["counts"] } {
  const counts = new Map<string, SteadyCount>();
  const changes: FollowedView["counts"][number][] = [];
  for (const { area, classes } of interests.filter((interest) => interest.counts)) {
    const key = [area.key, ...classes].join(" ");
    if (counts.has(key)) continue;
    const count = tracksIn({ there }, area, classes).length;
    const known = before.get(key);
    const sinceMs = known?.count === count ? known.sinceMs : nowMs;
    const isSteady = nowMs - sinceMs >= COUNT_STEADY_MS;
    const told = known?.told;
    // The first steady count is where counting starts.
    if (isSteady && told !== undefined && told !== count) changes.push({ area, classes, count, before: told });
    counts.set(key, { count, sinceMs, told: isSteady ? count : told });
  }
  return { counts, changes };
}

/** Where a workflow counts crossings but gives no tracks, its own counter has to be believed. */
function readCounters(
  before: SceneMemory["counters"],
  { outputs }: FrameResult,
  lines: readonly LineCounter[],
): Pick<SceneMemory, "counters"> & Pick<FollowedView, "crossings"> {
  const counters = new Map(before);
  const crossings = lines.flatMap(({ area, direction, output }) => {
    const counted = outputs[output];
    if (counted?.kind !== "value" || typeof counted.value !== "number") return [];
    counters.set(output, counted.value);
    // The first value, and a count that began anew, are where counting starts.
    const risen = counted.value - (before.get(output) ?? counted.value);
    return Array.from({ length: Math.max(0, Math.min(risen, MOST_CROSSINGS_A_FRAME)) }, () => ({ area, direction }));
  });
  return { counters, crossings };
}
