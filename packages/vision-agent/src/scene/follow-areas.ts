// a thing at a new place → what that means at each line and zone
import type { FrameResult } from "@vision-agent/protocol";
import {
  anchorPoint,
  type BoxXyxy,
  containsPoint,
  crossingOf,
  distanceToLine,
  type Polygon,
  sideOfLine,
} from "@vision-agent/vision-engine";
import {
  type AreaVisit,
  type FollowedView,
  isThere,
  type LinePass,
  type SceneStay,
  type SceneTrack,
  SEEN_BEFORE_THERE,
} from "./followed-view.ts";
import { isWanted, type SceneArea, type SceneInterest } from "./scene-interest.ts";

/** Results that must show a thing outside of a zone before it has left it: boxes tremble. */
const OUTSIDE_BEFORE_LEFT = 2;

interface FollowedArea {
  readonly area: SceneArea;
  readonly interests: readonly SceneInterest[];
  readonly pixels: Polygon;
}

export function areasOf(interests: readonly SceneInterest[], { frame }: FrameResult): readonly FollowedArea[] {
  return [...Map.groupBy(interests, ({ area }) => area.key).values()].map((asked) => {
    const { area } = asked[0]!;
    return { area, interests: asked, pixels: area.points.map(([x, y]) => [x * frame.width, y * frame.height]) };
  });
}

/** One result on its way through lines and zones: collects what happens there. */
export class FollowStep {
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

/** So far from a line a thing of this size no longer stands on it: half of its mean side. */
function clearanceOf([left, top, right, bottom]: BoxXyxy): number {
  return (right - left + bottom - top) / 4;
}
