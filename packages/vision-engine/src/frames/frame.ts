import type { FrameMetadata } from "@vision-agent/protocol";
import type { Detections } from "./detections.ts";
import type { Motion } from "./motion.ts";

/** One picture: pixels with where and when. */
export interface Frame {
  readonly metadata: FrameMetadata;
  /** RGBA, 8 bits, rows from the top without padding. Valid until the source's next frame is taken. */
  readonly rgba: Uint8ClampedArray;
  /** What is really in the picture; only simulated sources know it. */
  readonly truth?: Detections | undefined;
  /** What moved since the frame before; absent when nobody looked. */
  readonly motion?: Motion | undefined;
}
