import type { Frame } from "../frames/frame.ts";

/** Cameras, files and scenes alike: bytes in, frames out. */
export interface FrameSource {
  /** The address without credentials. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** Declared frames per second; 0 when unknown. */
  readonly fps: number;
  /**
   * The next frame in its own time: live sources wait for it, and leave out what was missed meanwhile.
   * `undefined` means the source has ended. Throws `EngineError` kind `source` when it is lost; the caller opens it anew.
   */
  next(signal: AbortSignal): Promise<Frame | undefined>;
  /** Frames that were there but were never asked for. */
  readonly dropped: number;
  /** May be called twice. */
  close(): Promise<void>;
}
