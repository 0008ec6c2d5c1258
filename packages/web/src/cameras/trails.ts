// boxes of each frame → where every track went during the last second
import type { FrameMetadata } from "@vision-agent/protocol";
import type { DetectedBox } from "./frame-reading.ts";

/** Where one track stood, oldest first, in pixels of the frame. */
export interface Trail {
  readonly className: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const TRAIL_MS = 1000;

interface Footprint {
  readonly atMs: number;
  readonly point: readonly [x: number, y: number];
}

export function createTrails() {
  const footprints = new Map<number, { className: string; steps: Footprint[] }>();
  let lastMs = 0;

  const step = (id: number, box: DetectedBox, atMs: number): void => {
    const track = footprints.get(id) ?? { className: box.class_name, steps: [] };
    // Nothing jumps farther than twice its size between two frames: that is another thing under the same number.
    if (isJump(track.steps.at(-1), box)) track.steps = [];
    track.steps.push({ atMs, point: footOf(box) });
    footprints.set(id, track);
  };

  return {
    /** Takes the boxes of the next frame and returns the trails up to it. */
    extend(frame: Pick<FrameMetadata, "timestamp">, boxes: readonly DetectedBox[]): readonly Trail[] {
      const nowMs = Date.parse(frame.timestamp);
      // A source that was opened again starts its own time.
      if (nowMs < lastMs) footprints.clear();
      lastMs = nowMs;
      for (const box of boxes) if (box.tracker_id !== null) step(box.tracker_id, box, nowMs);
      for (const [id, track] of footprints) {
        track.steps = track.steps.filter(({ atMs }) => nowMs - atMs <= TRAIL_MS);
        if (track.steps.length === 0) footprints.delete(id);
      }
      return [...footprints.values()].map(({ className, steps }) => ({
        className,
        points: steps.map(({ point }) => point),
      }));
    },
  };
}

function isJump(last: Footprint | undefined, box: DetectedBox): boolean {
  if (last === undefined) return false;
  const [left, top, right, bottom] = box.xyxy;
  const [x, y] = footOf(box);
  return Math.hypot(x - last.point[0], y - last.point[1]) > 2 * Math.hypot(right - left, bottom - top);
}

function footOf({ xyxy: [left, , right, bottom] }: DetectedBox): readonly [number, number] {
  return [(left + right) / 2, bottom];
}
