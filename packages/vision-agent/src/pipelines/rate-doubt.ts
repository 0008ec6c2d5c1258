// how fast pictures come → whether crossings can be counted on
import type { PipelineStatus } from "@vision-agent/protocol";

/** Slower, and somebody who walks by is on the other side before they are known again. */
const LEAST_FPS = 3;
/** Before, the rate says nothing yet. */
const LEAST_FRAMES = 15;

/** Undefined when there are enough pictures, or nobody knows (0). */
export function rateDoubt(camera: string, fps: number): string | undefined {
  if (fps <= 0 || fps >= LEAST_FPS) return undefined;
  const rate = Number(fps.toFixed(1));
  return `${camera} gives ${rate} ${rate === 1 ? "picture" : "pictures"} a second: crossings may be missed; ${LEAST_FPS} or more are needed.`;
}

/** Of a pipeline that runs. */
export function runningRateDoubt(camera: string, status: PipelineStatus | undefined): string | undefined {
  const isKnown = status?.status === "running" && status.frames_processed >= LEAST_FRAMES;
  return isKnown ? rateDoubt(camera, status.fps) : undefined;
}
