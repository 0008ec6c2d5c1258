// frame that is about to be overwritten → picture that several may hold for a while
import type { Frame } from "./frame.ts";
import { ImageValue } from "./image-value.ts";

/** A frame in memory that is used again when nobody holds it any more. */
export interface PooledFrame {
  readonly image: ImageValue;
  hold(): void;
  /** Who never lets go leaves the memory to the garbage collector. */
  letGo(): void;
}

export interface FramePool {
  /** Copies a frame; the caller holds the copy. */
  copy(frame: Frame): PooledFrame;
}

/** Pieces of memory that wait to be used again: every new frame takes one, and every frame that leaves gives one back. */
const MOST_FREE = 4;

export function createFramePool(): FramePool {
  const free: Uint8ClampedArray[] = [];
  return {
    copy({ rgba: pixels, metadata, truth, motion }) {
      const last = free.pop();
      const rgba = last?.length === pixels.length ? last : new Uint8ClampedArray(pixels.length);
      rgba.set(pixels);
      const image = ImageValue.ofFrame({ metadata, truth, motion, rgba });
      let holders = 1;
      return {
        image,
        hold() {
          holders += 1;
        },
        letGo() {
          holders -= 1;
          if (holders === 0 && free.length < MOST_FREE) free.push(rgba);
        },
      };
    },
  };
}
