// boxes of a result → which pipeline speaks for a class, and who was there before
import type { Colour, FrameResult } from "@vision-agent/protocol";
import { anchorPoint, type BoxXyxy, containsPoint, type Polygon } from "@vision-agent/vision-engine";
import { detectionsIn } from "../pipelines/summarize-results.ts";
import { GONE_AFTER_MS, type SceneTrack } from "./followed-view.ts";

/** The pipeline that speaks for a class. */
export interface ClassOwner {
  readonly pipelineId: string;
  readonly seenMs: number;
}

interface TrackedBox extends Pick<SceneTrack, "trackerId" | "className" | "box" | "confidence"> {
  /** In this result. */
  readonly colour?: Colour | undefined;
}

/** The same boxes often come out of several steps: the longest list speaks for all. Undefined where nothing is tracked. */
export function trackedIn(result: FrameResult): readonly TrackedBox[] | undefined {
  const tracked = detectionsIn(result).filter(({ tracker_id }) => tracker_id !== null);
  const [longest] = tracked.toSorted((one, other) => other.class_name.length - one.class_name.length);
  return longest?.tracker_id?.map((trackerId, row) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = longest.xyxy.slice(row * 4, row * 4 + 4);
    const box = [left, top, right, bottom] as const;
    const colour = longest.colour?.[row] ?? undefined;
    return {
      ...{ trackerId, className: longest.class_name[row] ?? "thing", box, confidence: longest.confidence[row] ?? 0 },
      ...(colour && { colour }),
    };
  });
}

export interface ClaimContext {
  /** The pipeline that gave the boxes. */
  readonly pipelineId: string;
  /** Those that look at the camera now. */
  readonly pipelines: ReadonlySet<string>;
  /** By pipeline: how much it leaves out of what its detector finds, as `narrownessOf` says. Default: all alike. */
  readonly narrowness?: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/**
 * Several pipelines may look at one camera, with the same model or with others. A class belongs to the one that leaves
 * out least of it, among equals to the first that shows it, for as long as that one runs and goes on seeing such things:
 * then another may take over. So nobody appears twice, and nobody is missed because a filtered pipeline came first.
 */
export function claimClasses(
  owners: ReadonlyMap<string, ClassOwner>,
  boxes: readonly TrackedBox[],
  { nowMs, pipelineId, pipelines, narrowness }: ClaimContext,
): ReadonlyMap<string, ClassOwner> {
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

export interface SeenIn {
  readonly pipelineId: string;
  readonly nowMs: number;
  /** Keys of all that the same result shows. */
  readonly shown: ReadonlySet<string>;
  readonly frame: Pick<FrameResult["frame"], "width" | "height">;
}

/** Known by its number; else by its place, when another pipeline saw it last or the tracker has lost it a moment ago. */
export function recognize(tracks: Map<string, SceneTrack>, box: TrackedBox, seenIn: SeenIn): SceneTrack {
  const { pipelineId, nowMs } = seenIn;
  const known =
    tracks.get(keyOf({ pipelineId, trackerId: box.trackerId })) ??
    [...tracks.values()].findLast(
      (track) =>
        track.pipelineId !== pipelineId &&
        track.className === box.className &&
        containsPoint(cornersOf(track.box), anchorPoint(box.box, "CENTER")),
    ) ??
    nearestLost([...tracks.values()], box, seenIn);
  if (known) tracks.delete(keyOf(known));
  const { colour, ...seen } = box;
  return {
    lines: known?.lines ?? new Map(),
    stays: known?.stays ?? new Map(),
    ...seen,
    colours: withColour(known?.colours ?? new Map(), colour),
    pipelineId,
    // Numbers of trackers begin anew after a restart.
    visitId: known?.visitId ?? `visit_${nowMs.toString(36)}_${pipelineId.slice(-6)}_${box.trackerId}`,
    confidence: Math.max(box.confidence, known?.confidence ?? 0),
    seen: (known?.seen ?? 0) + 1,
    lastSeenMs: nowMs,
  };
}

function withColour(colours: SceneTrack["colours"], colour: Colour | undefined): SceneTrack["colours"] {
  return colour === undefined ? colours : new Map(colours).set(colour, (colours.get(colour) ?? 0) + 1);
}

/** So far a thing may have gone since it was lost, in its own lengths: at once, and for each second. */
const STRIDE = { atOnce: 0.2, aSecond: 0.5 };

/** A tracker that loses somebody gives a new number afterwards: that is no new visit. */
function nearestLost(
  tracks: readonly SceneTrack[],
  box: TrackedBox,
  { pipelineId, nowMs, shown, frame }: SeenIn,
): SceneTrack | undefined {
  // At the edge people come; who is found inside was there before.
  if (isAtEdge(box.box, frame)) return undefined;
  const reachable = tracks.flatMap((track) => {
    if (track.pipelineId !== pipelineId || track.className !== box.className || shown.has(keyOf(track))) return [];
    const distance = distanceBetween(track.box, box.box);
    const stride = STRIDE.atOnce + (STRIDE.aSecond * (nowMs - track.lastSeenMs)) / 1000;
    return distance <= stride * lengthOf(track.box) && isAlikeInSize(track.box, box.box) ? [{ track, distance }] : [];
  });
  return reachable.sort((one, other) => one.distance - other.distance)[0]?.track;
}

function distanceBetween(one: BoxXyxy, other: BoxXyxy): number {
  const [[x1, y1], [x2, y2]] = [anchorPoint(one, "CENTER"), anchorPoint(other, "CENTER")];
  return Math.hypot(x1 - x2, y1 - y2);
}

function lengthOf([left, top, right, bottom]: BoxXyxy): number {
  return Math.max(right - left, bottom - top);
}

const EDGE = 0.02;

function isAtEdge([left, top, right, bottom]: BoxXyxy, { width, height }: SeenIn["frame"]): boolean {
  const [x, y] = [EDGE * width, EDGE * height];
  return left < x || top < y || right > width - x || bottom > height - y;
}

function isAlikeInSize(one: BoxXyxy, other: BoxXyxy): boolean {
  const ratio = lengthOf(one) / lengthOf(other);
  return ratio > 0.5 && ratio < 2;
}

export function keyOf({ pipelineId, trackerId }: Pick<SceneTrack, "pipelineId" | "trackerId">): string {
  return `${pipelineId} ${trackerId}`;
}

function cornersOf([left, top, right, bottom]: BoxXyxy): Polygon {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}
