import type { Frame } from "../frames/frame.ts";
import type { DropCounts } from "./drop-counts.ts";

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
  /** Frames that were there but were never given, all reasons together. */
  readonly dropped: number;
  /** The same by reason; absent when all were missed because nobody asked in time. */
  readonly drops?: DropCounts;
  /** What comes from now on is not wanted, and not counted as dropped; a file waits. May be called twice. */
  pause?(): void;
  /** Goes on: live sources with what comes next, a file where it stopped. May be called twice. */
  resume?(): void;
  /** May be called twice. */
  close(): Promise<void>;
}
