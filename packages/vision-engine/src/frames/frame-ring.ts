// frame that is about to be overwritten → picture that stays for a while
import type { Frame } from "./frame.ts";
import { ImageValue } from "./image-value.ts";

/** One kept frame. */
export interface KeptFrame {
  /** The picture as the camera saw it, in memory of the ring's own. */
  readonly image: ImageValue;
  /** Pictures that the workflow gave out for it, by output name. */
  readonly outputs: Map<string, ImageValue>;
}

/** The last pictures of a source. Their memory is taken once and used again and again. */
export interface FrameRing {
  /** Copies a frame in; the oldest one goes. */
  keep(frame: Frame): KeptFrame;
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
  const kept: { readonly rgba: Uint8ClampedArray; readonly frame: KeptFrame }[] = [];

  return {
    keep({ rgba: pixels, ...frame }) {
      const most = Math.max(limits.atLeast ?? 2, Math.min(limits.frames, Math.floor(limits.bytes / pixels.length)));
      const leaving = kept.splice(0, Math.max(0, kept.length + 1 - most));
      const free = leaving.find(({ rgba }) => rgba.length === pixels.length);
      const rgba = free?.rgba ?? new Uint8ClampedArray(pixels.length);
      rgba.set(pixels);
      const image = ImageValue.ofFrame({ ...frame, rgba });
      const entry: KeptFrame = { image, outputs: new Map() };
      kept.push({ rgba, frame: entry });
      return entry;
    },
    find(frameNumber) {
      if (frameNumber === undefined) return kept.at(-1)?.frame;
      return kept.findLast(({ frame }) => frame.image.metadata.frame_number === frameNumber)?.frame;
    },
  };
}
