// frames that were run → the last of them, for those who ask for a picture
import type { PooledFrame } from "./frame-pool.ts";
import type { ImageValue } from "./image-value.ts";

/** One kept frame. */
export interface KeptFrame {
  /** The picture as the camera saw it. */
  readonly image: ImageValue;
  /** Pictures that the workflow gave out for it, by output name. */
  readonly outputs: Map<string, ImageValue>;
}

/** The last pictures of a source. */
export interface FrameRing {
  /** Takes over a frame from who holds it; the oldest one goes. */
  keep(frame: PooledFrame): KeptFrame;
  /** The newest with this number, or the newest of all; absent when it is gone. */
  find(frameNumber?: number): KeptFrame | undefined;
}

export interface FrameRingLimits {
  /** Most frames kept. */
  readonly frames: number;
  /** Most memory for pixels; large pictures are kept for a shorter while. */
  readonly bytes: number;
  /** Fewest frames kept, however large. Default 2. */
  readonly atLeast?: number;
}

export function createFrameRing(limits: FrameRingLimits): FrameRing {
  /** Oldest first. */
  const kept: { readonly pooled: PooledFrame; readonly frame: KeptFrame }[] = [];

  return {
    keep(pooled) {
      const { image } = pooled;
      const bytes = 4 * image.width * image.height;
      const most = Math.max(limits.atLeast ?? 2, Math.min(limits.frames, Math.floor(limits.bytes / bytes)));
      for (const old of kept.splice(0, Math.max(0, kept.length + 1 - most))) old.pooled.letGo();
      const frame: KeptFrame = { image, outputs: new Map() };
      kept.push({ pooled, frame });
      return frame;
    },
    find(frameNumber) {
      if (frameNumber === undefined) return kept.at(-1)?.frame;
      return kept.findLast(({ frame }) => frame.image.metadata.frame_number === frameNumber)?.frame;
    },
  };
}
