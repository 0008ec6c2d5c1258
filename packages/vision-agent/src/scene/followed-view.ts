// what a camera shows after one result: who is there, and what has changed with it
import type { Colour, FrameResult } from "@vision-agent/protocol";
import type { BoxXyxy, Point } from "@vision-agent/vision-engine";
import { isWanted, type SceneArea } from "./scene-interest.ts";

/** Results that must show a thing before it counts as there: a flicker is no visit. */
export const SEEN_BEFORE_THERE = 3;
/** Unseen for so long, it has left. */
export const GONE_AFTER_MS = 2000;

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
  /** How often it was seen in which colour. */
  readonly colours: ReadonlyMap<Colour, number>;
  readonly seen: number;
  readonly lastSeenMs: number;
  /** By line. */
  readonly lines: ReadonlyMap<string, LinePass>;
  /** By zone. */
  readonly stays: ReadonlyMap<string, SceneStay>;
}

/** A thing at a line. */
export interface LinePass {
  /** The last place that was on a side of it. */
  readonly place: Point;
  /** The way it was counted since it was last clear of the line: who stands on it and sways is counted once. */
  readonly counted?: "in" | "out" | undefined;
}

export interface SceneStay {
  readonly sinceMs: number;
  /** How often in a row it was seen outside. */
  readonly outside: number;
  /** Durations that were told, in seconds. */
  readonly told: readonly number[];
}

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
  /** When the picture was taken; goes on where a clock is set back. */
  readonly nowMs: number;
  /** The camera has been looked at without a break since then. */
  readonly lookedSinceMs: number;
  /** The camera has been looked at for long enough to say who is not there. */
  readonly isSettled: boolean;
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

/** Who is in an area of a view, by classes; none named means all. */
export function tracksIn(
  { there }: Pick<FollowedView, "there">,
  area: SceneArea,
  classes: readonly string[],
): readonly SceneTrack[] {
  return there.filter(({ stays, className }) => stays.has(area.key) && isWanted(classes, className));
}

/** The one it was seen in most often, whatever a shadow made of it; undefined where nobody told. */
export function colourOf({ colours }: Pick<SceneTrack, "colours">): Colour | undefined {
  return [...colours].reduce<readonly [Colour | undefined, number]>(
    (most, one) => (one[1] > most[1] ? one : most),
    [undefined, 0],
  )[0];
}

export function isThere({ seen }: SceneTrack): boolean {
  return seen >= SEEN_BEFORE_THERE;
}
