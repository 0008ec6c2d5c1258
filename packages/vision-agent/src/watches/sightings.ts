// results of one pipeline → who is in view, and since when
import type { FrameResult } from "@vision-agent/protocol";

/** Results that must show a thing before it counts as there: a flicker is no visit. */
const SEEN_BEFORE_THERE = 3;
/** Unseen for so long, it has left. */
const GONE_AFTER_MS = 2000;
const MOST_TRACKS = 512;

export type Place = readonly [x: number, y: number];

/** One tracked thing. Places are fractions of the picture. */
export interface Visitor {
  readonly trackerId: number;
  readonly className: string;
  /** Left, top, right, bottom in pixels of the frame. */
  readonly box: readonly [number, number, number, number];
  readonly centre: Place;
  /** Where it stands: the middle of the lower edge. */
  readonly foot: Place;
  /** The centre at the sight before. */
  readonly before: Place | undefined;
  readonly seen: number;
  readonly lastSeenMs: number;
}

export interface Sightings {
  readonly visitors: ReadonlyMap<number, Visitor>;
}

export const NOBODY: Sightings = { visitors: new Map() };

export interface View {
  readonly sightings: Sightings;
  /** In this very picture, whether they count as there yet or not. */
  readonly inPicture: readonly Visitor[];
  /** Counted as there with this picture. */
  readonly arrived: readonly Visitor[];
  /** Were there and have been unseen for two seconds. */
  readonly gone: readonly Visitor[];
  /** Everyone there, also who is hidden for a moment. */
  readonly there: readonly Visitor[];
}

/** Pure. `classes` empty follows everything; names are compared without case. */
export function followSightings(before: Sightings, result: FrameResult, classes: readonly string[]): View {
  const nowMs = Date.parse(result.frame.timestamp);
  const visitors = new Map(before.visitors);
  const inPicture = toVisitors(before, result, classes);
  for (const visitor of inPicture) {
    // Set anew, so that the map is ordered by last sight.
    visitors.delete(visitor.trackerId);
    visitors.set(visitor.trackerId, visitor);
  }
  const unseen = [...visitors.values()].filter(({ lastSeenMs }) => nowMs - lastSeenMs > GONE_AFTER_MS);
  for (const { trackerId } of unseen) visitors.delete(trackerId);
  for (const id of [...visitors.keys()].slice(0, Math.max(0, visitors.size - MOST_TRACKS))) visitors.delete(id);
  return {
    sightings: { visitors },
    inPicture,
    arrived: inPicture.filter(({ seen }) => seen === SEEN_BEFORE_THERE),
    gone: unseen.filter(isThere),
    there: [...visitors.values()].filter(isThere),
  };
}

function isThere({ seen }: Visitor): boolean {
  return seen >= SEEN_BEFORE_THERE;
}

function toVisitors(
  { visitors }: Sightings,
  { frame, outputs }: FrameResult,
  classes: readonly string[],
): readonly Visitor[] {
  const wanted = new Set(classes.map((name) => name.toLowerCase()));
  for (const output of Object.values(outputs)) {
    if (output.kind !== "detections" || !output.detections.tracker_id) continue;
    const { tracker_id, class_name, xyxy } = output.detections;
    return tracker_id.flatMap((trackerId, row): readonly Visitor[] => {
      const className = class_name[row] ?? "thing";
      if (wanted.size > 0 && !wanted.has(className.toLowerCase())) return [];
      const [left = 0, top = 0, right = 0, bottom = 0] = xyxy.slice(row * 4, row * 4 + 4);
      const known = visitors.get(trackerId);
      return [
        {
          trackerId,
          className,
          box: [left, top, right, bottom],
          centre: [(left + right) / 2 / frame.width, (top + bottom) / 2 / frame.height],
          foot: [(left + right) / 2 / frame.width, bottom / frame.height],
          before: known?.centre,
          seen: (known?.seen ?? 0) + 1,
          lastSeenMs: Date.parse(frame.timestamp),
        },
      ];
    });
  }
  return [];
}
