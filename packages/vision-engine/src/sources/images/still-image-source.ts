// one picture → one frame, or the same again and again
import type { FrameSource } from "../frame-source.ts";
import type { SourceClock } from "../source-clock.ts";
import { loadImage } from "./decode-image.ts";

export interface StillImageOptions {
  readonly path: string;
  readonly label: string;
  readonly sourceId: string;
  readonly clock: SourceClock;
  /** Gives the picture so often, without an end; absent gives it once. */
  readonly imageFps?: number;
  readonly maxPixels?: number;
}

/** Throws `EngineError` kind `source` when the file is no picture that can be read. */
export async function openStillImage(options: StillImageOptions): Promise<FrameSource> {
  const { path, label, sourceId, clock, imageFps } = options;
  const { rgba, width, height } = await loadImage(path, label, options.maxPixels);
  // A copy is given: who gets a frame may draw on it.
  const given = new Uint8ClampedArray(rgba.length);
  let frameNumber = 0;
  let dueAt = clock.now();
  let closed = false;
  return {
    label,
    width,
    height,
    fps: imageFps ?? 0,
    dropped: 0,
    async next(signal) {
      signal.throwIfAborted();
      if (closed || (imageFps === undefined && frameNumber > 0)) return undefined;
      const now = clock.now();
      if (dueAt > now) await clock.sleep(dueAt - now, signal);
      dueAt = Math.max(dueAt, now) + 1000 / (imageFps ?? 1);
      frameNumber += 1;
      given.set(rgba);
      const timestamp = new Date(clock.now()).toISOString();
      const metadata = { source_id: sourceId, frame_number: frameNumber, timestamp, width, height, fps: imageFps ?? 0 };
      return { metadata, rgba: given };
    },
    async close() {
      closed = true;
    },
  };
}
