// results of a camera's pipelines → who is there, since when, in which zone, and who crossed a line
import type { FrameResult } from "@vision-agent/protocol";
import {
  anchorPoint,
  type BoxXyxy,
  containsPoint,
  crossingOf,
  distanceToLine,
  type Point,
  type Polygon,
  sideOfLine,
} from "@vision-agent/vision-engine";
import { detectionsIn } from "../pipelines/summarize-results.ts";
import { isWanted, type LineCounter, type SceneArea, type SceneInterest } from "./scene-interest.ts";

/** Results that must show a thing before it counts as there: a flicker is no visit. */
export const SEEN_BEFORE_THERE = 3;
/** Unseen for so long, it has left. */
export const GONE_AFTER_MS = 2000;
/** Results that must show a thing outside of a zone before it has left it: boxes tremble. */
const OUTSIDE_BEFORE_LEFT = 2;
/** A count that does not last is not told; longer than somebody who left still counts as there. */
const COUNT_STEADY_MS = GONE_AFTER_MS + 1000;
const MOST_TRACKS = 512;
const MOST_CROSSINGS_A_FRAME = 20;

/** One thing in front of a camera. */
export interface SceneTrack {
  /** The pipeline that sees it, and the number it has there. */
  readonly pipelineId: string;
  readonly trackerId: number;
  /** The same from appearing to leaving, whichever pipeline sees it. */
  readonly visitId: string;
  readonly className: string;
  /** In pixels of the frame. */
  readonly box: BoxXyxy;
  /** The highest so far. */
  readonly confidence: number;
  readonly seen: number;
  readonly lastSeenMs: number;
  /** By line. */
  readonly lines: ReadonlyMap<string, LinePass>;
  /** By zone. */
  readonly stays: ReadonlyMap<string, SceneStay>;
}

/** A thing at a line. */
interface LinePass {
  /** The last place that was on a side of it. */
  readonly place: Point;
  /** The way it was counted since it was last clear of the line: who stands on it and sways is counted once. */
  readonly counted?: "in" | "out" | undefined;
}

interface SceneStay {
  readonly sinceMs: number;
  /** How often in a row it was seen outside. */
  readonly outside: number;
  /** Durations that were told, in seconds. */
  readonly told: readonly number[];
}

/** What is remembered of one camera between results; bounded. */
export interface SceneMemory {
  readonly tracks: ReadonlyMap<string, SceneTrack>;
  readonly owners: ReadonlyMap<string, ClassOwner>;
  readonly counts: ReadonlyMap<string, SteadyCount>;
  /** Last value of each counting output. */
  readonly counters: ReadonlyMap<string, number>;
  /** Keys of the areas that were followed. */
  readonly areas: ReadonlySet<string>;
}

interface ClassOwner {
  readonly pipelineId: string;
  readonly seenMs: number;
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

export interface AreaVisit {
  readonly area: SceneArea;
  readonly track: SceneTrack;
  readonly sinceMs: number;
}

/** A camera after one result: what is so, and what has changed with it. */
export interface FollowedView {
  readonly camera: string;
  /** The pipeline that gave the result. */
  readonly pipelineId: string;
  readonly pipelineName?: string;
  /** Every pipeline that looks at this camera now. */
  readonly pipelines: ReadonlySet<string>;
  readonly result: FrameResult;
  readonly nowMs: number;
  /** Everyone there, also who is hidden for a moment. */
  readonly there: readonly SceneTrack[];
  readonly arrived: readonly SceneTrack[];
  readonly gone: readonly SceneTrack[];
  /** Without a track where only a counter told of it. */
  readonly crossings: readonly {
    readonly area: SceneArea;
    readonly direction: "in" | "out";
    readonly track?: SceneTrack;
  }[];
  readonly entered: readonly AreaVisit[];
  readonly exited: readonly AreaVisit[];
  readonly stayed: readonly (AreaVisit & { readonly seconds: number })[];
  readonly counts: readonly {
    readonly area: SceneArea;
    readonly classes: readonly string[];
    readonly count: number;
    readonly before: number;
  }[];
}

export interface FollowContext extends Pick<FollowedView, "camera" | "pipelineId" | "pipelineName" | "pipelines"> {
  readonly interests: readonly SceneInterest[];
  /** Of the pipeline that gave the result. */
  readonly counters: readonly LineCounter[];
  /** By pipeline: how much it leaves out of what its detector finds, as `narrownessOf` says. Default: all alike. */
  readonly narrowness?: ReadonlyMap<string, number>;
}

/** Pure: the same results give the same views. */
export function followScene(
  memory: SceneMemory,
  result: FrameResult,
  context: FollowContext,
): { readonly memory: SceneMemory; readonly view: FollowedView } {
  const { camera, pipelineId, pipelineName, pipelines } = context;
  const nowMs = Date.parse(result.frame.timestamp);
  const boxes = trackedIn(result);
  const owners = claimClasses(memory.owners, boxes ?? [], { ...context, nowMs });
  const tracks = new Map(memory.tracks);
  const step = new FollowStep(memory.areas, areasOf(context.interests, result), nowMs);
  const seen = (boxes ?? [])
    .filter(({ className }) => owners.get(className)?.pipelineId === pipelineId)
    .map((box) => step.move(recognize(tracks, box, { pipelineId, nowMs })));
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
  const { counters, crossings } = boxes
    ? { counters: memory.counters, crossings: step.crossings }
    : readCounters(memory.counters, result, context.counters);
  return {
    memory: { tracks, owners, counts: counted.counts, counters, areas: step.areaKeys },
    view: {
      ...{
        camera,
        pipelineId,
        ...(pipelineName !== undefined && { pipelineName }),
        pipelines,
        result,
        nowMs,
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

/** Who is in an area of a view, by classes; none named means all. */
export function tracksIn(
  { there }: Pick<FollowedView, "there">,
  area: SceneArea,
  classes: readonly string[],
): readonly SceneTrack[] {
  return there.filter(({ stays, className }) => stays.has(area.key) && isWanted(classes, className));
}

type TrackedBox = Pick<SceneTrack, "trackerId" | "className" | "box" | "confidence">;

/** The same boxes often come out of several steps: the longest list speaks for all. Undefined where nothing is tracked. */
function trackedIn(result: FrameResult): readonly TrackedBox[] | undefined {
  const tracked = detectionsIn(result).filter(({ tracker_id }) => tracker_id !== null);
  const [longest] = tracked.toSorted((one, other) => other.class_name.length - one.class_name.length);
  return longest?.tracker_id?.map((trackerId, row) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = longest.xyxy.slice(row * 4, row * 4 + 4);
    const box = [left, top, right, bottom] as const;
    return { trackerId, className: longest.class_name[row] ?? "thing", box, confidence: longest.confidence[row] ?? 0 };
  });
}

/**
 * Several pipelines may look at one camera, with the same model or with others. A class belongs to the one that leaves
 * out least of it, among equals to the first that shows it, for as long as that one runs and goes on seeing such things:
 * then another may take over. So nobody appears twice, and nobody is missed because a filtered pipeline came first.
 */
function claimClasses(
  owners: SceneMemory["owners"],
  boxes: readonly TrackedBox[],
  { nowMs, pipelineId, pipelines, narrowness }: FollowContext & Pick<FollowedView, "nowMs">,
): SceneMemory["owners"] {
  const claimed = new Map(owners);
  const narrownessOf = (id: string): number => narrowness?.get(id) ?? 0;
  for (const { className } of boxes) {
    const owner = claimed.get(className);
    const isTaken =
      owner !== undefined &&
      pipelines.has(owner.pipelineId) &&
      nowMs - owner.seenMs <= GONE_AFTER_MS &&
      narrownessOf(owner.pipelineId) <= narrownessOf(pipelineId);
    if (!isTaken || owner.pipelineId === pipelineId) claimed.set(className, { pipelineId, seenMs: nowMs });
  }
  return claimed;
}

/** Known by its number, or by its place when it was another pipeline that saw it last. */
function recognize(
  tracks: Map<string, SceneTrack>,
  box: TrackedBox,
  { pipelineId, nowMs }: { readonly pipelineId: string; readonly nowMs: number },
): SceneTrack {
  const known =
    tracks.get(keyOf({ pipelineId, trackerId: box.trackerId })) ??
    [...tracks.values()].findLast(
      (track) =>
        track.pipelineId !== pipelineId &&
        track.className === box.className &&
        containsPoint(cornersOf(track.box), anchorPoint(box.box, "CENTER")),
    );
  if (known) tracks.delete(keyOf(known));
  return {
    lines: known?.lines ?? new Map(),
    stays: known?.stays ?? new Map(),
    ...box,
    pipelineId,
    // Numbers of trackers begin anew after a restart.
    visitId: known?.visitId ?? `visit_${nowMs.toString(36)}_${pipelineId.slice(-6)}_${box.trackerId}`,
    confidence: Math.max(box.confidence, known?.confidence ?? 0),
    seen: (known?.seen ?? 0) + 1,
    lastSeenMs: nowMs,
  };
}

interface FollowedArea {
  readonly area: SceneArea;
  readonly interests: readonly SceneInterest[];
  readonly pixels: Polygon;
}

function areasOf(interests: readonly SceneInterest[], { frame }: FrameResult): readonly FollowedArea[] {
  return [...Map.groupBy(interests, ({ area }) => area.key).values()].map((asked) => {
    const { area } = asked[0]!;
    return { area, interests: asked, pixels: area.points.map(([x, y]) => [x * frame.width, y * frame.height]) };
  });
}

/** One result on its way through lines and zones: collects what happens there. */
class FollowStep {
  readonly areaKeys: ReadonlySet<string>;
  readonly crossings: FollowedView["crossings"][number][] = [];
  readonly entered: AreaVisit[] = [];
  readonly exited: AreaVisit[] = [];
  readonly stayed: FollowedView["stayed"][number][] = [];
  readonly #known: ReadonlySet<string>;
  readonly #areas: readonly FollowedArea[];
  readonly #nowMs: number;

  constructor(known: ReadonlySet<string>, areas: readonly FollowedArea[], nowMs: number) {
    this.#known = known;
    this.#areas = areas;
    this.#nowMs = nowMs;
    this.areaKeys = new Set(areas.map(({ area }) => area.key));
  }

  /** A thing is seen at a new place. */
  move(track: SceneTrack): SceneTrack {
    const areas = this.#areas.filter(({ interests }) =>
      interests.some(({ classes }) => isWanted(classes, track.className)),
    );
    const lines = new Map<string, LinePass>();
    const stays = new Map<string, SceneStay>();
    for (const followed of areas) {
      const { key, kind } = followed.area;
      if (kind === "line") {
        const pass = this.#cross(track, followed);
        if (pass) lines.set(key, pass);
      } else if (isThere(track)) {
        const stay = this.#visit(track, followed);
        if (stay) stays.set(key, stay);
      }
    }
    return { ...track, lines, stays };
  }

  /** Time passes for somebody who is there, seen or hidden. */
  wait(track: SceneTrack): SceneTrack {
    const stays = new Map(track.stays);
    for (const { area, interests } of this.#areas) {
      const stay = stays.get(area.key);
      if (stay === undefined) continue;
      const due = interests.flatMap(({ staySeconds, classes }) =>
        staySeconds !== undefined &&
        isWanted(classes, track.className) &&
        !stay.told.includes(staySeconds) &&
        this.#nowMs - stay.sinceMs >= staySeconds * 1000
          ? [staySeconds]
          : [],
      );
      if (due.length === 0) continue;
      stays.set(area.key, { ...stay, told: [...stay.told, ...due] });
      for (const seconds of new Set(due)) this.stayed.push({ area, track, sinceMs: stay.sinceMs, seconds });
    }
    return { ...track, stays };
  }

  /** It has been unseen for long. */
  leave(track: SceneTrack): void {
    for (const { area } of this.#areas) {
      const stay = track.stays.get(area.key);
      if (stay) this.exited.push({ area, track, sinceMs: stay.sinceMs });
    }
  }

  /**
   * Compares with the last place that had a side, as the engine's line counter does, but counts once until the thing is
   * clear of the line; who is then back where it came from has also gone back.
   */
  #cross(track: SceneTrack, { area, pixels: [start, end] }: FollowedArea): LinePass | undefined {
    const before = track.lines.get(area.key);
    const place = anchorPoint(track.box, "CENTER");
    const side = start && end && sideOfLine({ start, end }, place);
    if (start === undefined || end === undefined || side === undefined) return before;
    const direction = before && crossingOf({ start, end }, before.place, place);
    let counted = before?.counted;
    if (direction && counted === undefined) {
      this.crossings.push({ area, direction, track });
      counted = direction;
    }
    if (distanceToLine({ start, end }, place) < clearanceOf(track.box)) return { place, counted };
    const went = side === "left" ? "in" : "out";
    if (counted !== undefined && counted !== went) this.crossings.push({ area, direction: went, track });
    return { place };
  }

  #visit(track: SceneTrack, { area, pixels }: FollowedArea): SceneStay | undefined {
    const stay = track.stays.get(area.key);
    const isIn = area.kind === "picture" || containsPoint(pixels, anchorPoint(track.box, "BOTTOM_CENTER"));
    if (stay) {
      const outside = isIn ? 0 : stay.outside + 1;
      if (outside < OUTSIDE_BEFORE_LEFT) return { ...stay, outside };
      this.exited.push({ area, track, sinceMs: stay.sinceMs });
      return undefined;
    }
    if (!isIn) return undefined;
    // Who was inside before anybody asked did not enter now.
    if (this.#known.has(area.key) || track.seen === SEEN_BEFORE_THERE) {
      this.entered.push({ area, track, sinceMs: this.#nowMs });
    }
    return { sinceMs: this.#nowMs, outside: 0, told: [] };
  }
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

function isThere({ seen }: SceneTrack): boolean {
  return seen >= SEEN_BEFORE_THERE;
}

function keyOf({ pipelineId, trackerId }: Pick<SceneTrack, "pipelineId" | "trackerId">): string {
  return `${pipelineId} ${trackerId}`;
}

/** So far from a line a thing of this size no longer stands on it: half of its mean side. */
function clearanceOf([left, top, right, bottom]: BoxXyxy): number {
  return (right - left + bottom - top) / 4;
}

function cornersOf([left, top, right, bottom]: BoxXyxy): Polygon {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}
