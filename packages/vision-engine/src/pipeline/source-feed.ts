// source that may be lost → frames without an end of their own
import { EngineError } from "../errors.ts";
import type { Frame } from "../frames/frame.ts";
import type { FrameSource } from "../sources/frame-source.ts";

export interface SourceFeedOptions {
  readonly open: () => Promise<FrameSource>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Wait before the attempt of this number, counted from 0. */
  readonly backOffMs: (attempt: number) => number;
  /** The source is gone and is tried again. Must not throw. */
  readonly onLost: (reason: string) => void;
}

export interface SourceFeed {
  /** Opens the source, once and without trying again. */
  open(): Promise<void>;
  /** The next frame, from the source opened anew when it was lost; absent when it has ended. */
  next(signal: AbortSignal): Promise<Frame | undefined>;
  /** Frames that were there but never asked for, over all openings. */
  readonly dropped: number;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Half a second, doubled each time, at most ten. */
export function standardBackOffMs(attempt: number): number {
  return Math.min(10_000, 500 * 2 ** attempt);
}

export function createSourceFeed({ open, sleep, backOffMs, onLost }: SourceFeedOptions): SourceFeed {
  let source: FrameSource | undefined;
  let droppedBefore = 0;
  let attempt = 0;

  async function close(): Promise<void> {
    const closing = source;
    source = undefined;
    droppedBefore += closing?.dropped ?? 0;
    await closing?.close();
  }

  return {
    get dropped() {
      return droppedBefore + (source?.dropped ?? 0);
    },
    async open() {
      source = await open();
    },
    async next(signal) {
      for (;;) {
        try {
          source ??= await open();
          const frame = await source.next(signal);
          attempt = 0;
          return frame;
        } catch (error) {
          const lost = error instanceof EngineError && error.kind === "source";
          if (signal.aborted || !lost) throw error;
          onLost(error.message);
          await close();
          await sleep(backOffMs(attempt), signal);
          attempt += 1;
        }
      }
    },
    close,
  };
}
