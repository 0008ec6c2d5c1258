// frames of one source → which are taken, what moved in them, and how the camera is
import type { FrameMetadata } from "@vision-agent/protocol";
import type { Frame, Motion } from "../frames/frame.ts";
import { type CameraHealthChange, createHealthMonitor } from "../sources/health-monitor.ts";

export interface SourceWatchOptions {
  /** Most frames per second that are run. */
  readonly maxFps: number;
  /** Says what moved; absent when nobody wants to know. */
  readonly motion: ((frame: Frame) => Motion) | undefined;
}

export interface SourceWatch {
  /** Looks at the camera's health, now and then; tells when it has changed. */
  see(frame: Frame): CameraHealthChange | undefined;
  /** The source gives no frames at this time, in milliseconds. Tells when that has been so for long. */
  miss(nowMs: number): CameraHealthChange | undefined;
  /** Whether a frame is run, or left out because there are more than wanted. */
  takes(frame: FrameMetadata): boolean;
  /** What moved since the last frame that was run; absent when nobody wants to know. */
  motionIn(frame: Frame): Motion | undefined;
}

export function createSourceWatch({ maxFps, motion }: SourceWatchOptions): SourceWatch {
  const pacer = createFramePacer(maxFps);
  const health = createHealthMonitor();
  return {
    see: (frame) => health.see(frame, Date.parse(frame.metadata.timestamp)),
    miss: (nowMs) => health.see(undefined, nowMs),
    takes: (frame) => pacer.takes(frame),
    motionIn: (frame) => motion?.(frame),
  };
}

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
