// views of a camera → for everyone there, the best picture so far
import type { FrameResult } from "@vision-agent/protocol";
import type { FollowedView, SceneTrack } from "./followed-view.ts";

/** One camera is photographed no more often for better pictures. */
const LOOK_EVERY_MS = 1000;
/** A new picture must be better by so much. */
const BETTER = 1.2;
/** Who is cut off by the edge of the picture is worth this share. */
const CUT_OFF = 0.3;
const EDGE_PIXELS = 3;
/** So many pictures are held for each camera. */
const MOST_HELD = 64;

export type TakePicture = (view: FollowedView) => Promise<Uint8Array | undefined>;

interface HeldPicture {
  readonly worth: number;
  readonly picture: Promise<Uint8Array | undefined>;
}

export type VisitPictures = Pick<CameraPictures, keyof CameraPictures>;

/** Of one camera. */
export function createVisitPictures(take: TakePicture): VisitPictures {
  return new CameraPictures(take);
}

class CameraPictures {
  readonly #take: TakePicture;
  /** By visit, the oldest first. */
  readonly #held = new Map<string, HeldPicture>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(take: TakePicture) {
    this.#take = take;
  }

  /** To be called with each view, before its events are asked for. One picture serves all who are better on it. */
  look(view: FollowedView): void {
    const { arrived, there, nowMs } = view;
    const isTime = nowMs - this.#lookedAtMs >= LOOK_EVERY_MS;
    const seen = there.filter(({ lastSeenMs }) => lastSeenMs === nowMs);
    const better = isTime ? seen.filter((track) => this.#isBetter(track, view.result)) : [];
    const shown = new Set([...arrived, ...better]);
    if (shown.size === 0) return;
    this.#lookedAtMs = nowMs;
    const picture = this.#take(view);
    for (const track of shown) this.#hold(track.visitId, { worth: worthOf(track, view.result), picture });
  }

  /** The best so far. Undefined when there is none. */
  best(visitId: string): Promise<Uint8Array | undefined> | undefined {
    return this.#held.get(visitId)?.picture;
  }

  /** Nobody asks for it any more. */
  end(visitId: string): void {
    this.#held.delete(visitId);
  }

  #isBetter(track: SceneTrack, result: FrameResult): boolean {
    const held = this.#held.get(track.visitId);
    return held !== undefined && worthOf(track, result) > held.worth * BETTER;
  }

  #hold(visitId: string, held: HeldPicture): void {
    this.#held.set(visitId, held);
    const [oldest] = this.#held.keys();
    // Its event has the first picture; it keeps that one.
    if (oldest !== undefined && this.#held.size > MOST_HELD) this.#held.delete(oldest);
  }
}

/** How well a picture shows somebody: large, surely recognised, and whole. */
function worthOf({ box, confidence }: SceneTrack, { frame }: FrameResult): number {
  const [left, top, right, bottom] = box;
  const share = ((right - left) * (bottom - top)) / (frame.width * frame.height);
  const isWhole =
    left > EDGE_PIXELS && top > EDGE_PIXELS && right < frame.width - EDGE_PIXELS && bottom < frame.height - EDGE_PIXELS;
  return Math.sqrt(Math.max(0, share)) * confidence * (isWhole ? 1 : CUT_OFF);
}
