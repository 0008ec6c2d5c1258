// frames that the caller has → a source like any other

import { inputError } from "../errors.ts";
import type { PixelSize } from "../frames/frame.ts";
import { bufferedSource, FrameBuffer } from "./frame-buffer.ts";
import { type BufferStrategy, bufferStrategy, type FrameSource } from "./frame-source.ts";

export interface PushSourceOptions extends PixelSize {
  /** Becomes `source_id` of the frames. */
  readonly sourceId: string;
  /** Frames per second as declared. Default 0, unknown. */
  readonly fps?: number;
  /** Default: as a live source, the newest frame and at most two waiting. */
  readonly buffer?: Partial<BufferStrategy>;
  /** Milliseconds since 1970: the date of frames that come without one. */
  readonly now: () => number;
  /** Memory for frames, for example shared with other threads. */
  readonly allocate?: (bytes: number) => Uint8ClampedArray;
}

export interface PushSource extends FrameSource {
  /**
   * Gives a frame in; its pixels are copied before this returns. Resolves when there is room for another one:
   * at once, unless the buffer strategy is `WAIT`. Throws `EngineError` kind `input` when the size is wrong.
   */
  push(rgba: Uint8ClampedArray | Uint8Array, takenAt?: number): Promise<void>;
  /** No more frames will come. May be called twice. */
  end(): void;
}

/** A source without an address. */
export function createPushSource(options: PushSourceOptions): PushSource {
  const { width, height, sourceId, fps = 0, now } = options;
  let frameNumber = 0;
  let room = Promise.withResolvers<void>();
  const buffer = new FrameBuffer({
    ...bufferStrategy(true, options.buffer),
    frameBytes: width * height * 4,
    allocate: options.allocate ?? ((bytes) => new Uint8ClampedArray(bytes)),
    now,
    onRoom: () => {
      room.resolve();
      room = Promise.withResolvers<void>();
    },
  });
  const close = async (): Promise<void> => {
    buffer.close();
    room.resolve();
  };
  const source = bufferedSource(`push:${sourceId}`, buffer, { source_id: sourceId, width, height, fps }, close);
  return Object.assign(source, {
    async push(rgba: Uint8ClampedArray | Uint8Array, takenAt = now()): Promise<void> {
      if (rgba.length !== buffer.filling.length) {
        const message = `A frame of ${width} × ${height} has ${buffer.filling.length} bytes of RGBA, not ${rgba.length}.`;
        throw inputError(message);
      }
      buffer.filling.set(rgba);
      frameNumber += 1;
      buffer.commit({ frameNumber, takenAt });
      if (buffer.full) await room.promise;
    },
    end: () => buffer.end(),
  });
}
