// frames of one source → which are taken, what moved in them, and how the camera is
import type { FrameMetadata } from "@vision-agent/protocol";
import type { Frame } from "../frames/frame.ts";
import type { Motion } from "../frames/motion.ts";
import { type CameraHealthChange, createHealthMonitor } from "../sources/health/health-monitor.ts";
import { createFramePacer } from "./frame-pacer.ts";

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
