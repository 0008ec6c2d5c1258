import type { FrameMetadata } from "@vision-agent/protocol";

/** Lets through at most so many frames per second of the source's own time. */
export interface FramePacer {
  takes(frame: FrameMetadata): boolean;
}

/** How early a frame may come, as a part of the interval and in milliseconds, so that jitter costs no frames. */
const EARLY = { part: 0.25, ms: 10 };

export function createFramePacer(maxFps: number): FramePacer {
  // Without a limit there is no interval, and every frame is taken.
  if (maxFps === Number.POSITIVE_INFINITY) return { takes: () => true };
  const interval = 1000 / maxFps;
  const early = Math.min(EARLY.part * interval, EARLY.ms);
  let due = Number.NEGATIVE_INFINITY;
  return {
    takes({ timestamp }) {
      const at = Date.parse(timestamp);
      const clockWentBack = due - at > 2 * interval;
      if (at < due - early && !clockWentBack) return false;
      // Behind by more than one interval: begin anew instead of catching up.
      due = Math.abs(at - due) > interval ? at + interval : due + interval;
      return true;
    },
  };
}
