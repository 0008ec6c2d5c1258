// source that may be lost → frames without an end of their own
import { EngineError } from "../errors.ts";
import type { Frame } from "../frames/frame.ts";
import type { DropCounts, DropReason } from "../sources/drop-counts.ts";
import type { FrameSource } from "../sources/frame-source.ts";

export interface SourceFeedOptions {
  /** The signal ends the opening when nobody wants the source any more. */
  readonly open: (signal: AbortSignal) => Promise<FrameSource>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Wait before the attempt of this number, counted from 0. */
  readonly backOffMs: (attempt: number) => number;
  /** The source is gone and is tried again. Must not throw. */
  readonly onLost: (reason: string) => void;
  /** Each frame as it is given. Must not throw. */
  readonly onFrame?: (frame: Frame) => void;
  /** Whether a lost source is opened anew; a file would begin from its first frame. Default true. */
  readonly reopens?: boolean;
}

export interface SourceFeed {
  /** Opens the source, once and without trying again. */
  open(): Promise<void>;
  /** The next frame, from the source opened anew when it was lost; absent when it has ended. */
  next(signal: AbortSignal): Promise<Frame | undefined>;
  /** Frames that were there but never given, over all openings, by reason. */
  readonly drops: DropCounts;
  /** What comes meanwhile is not wanted; a file waits. Both may be called twice. */
  pause(): void;
  resume(): void;
  /** May be called twice. */
  close(): Promise<void>;
}

export const NO_DROPS: DropCounts = {
  buffer_full: 0,
  not_taken_in_time: 0,
  consumer_behind: 0,
  rate_limit: 0,
  decode_error: 0,
};

/** Half a second, doubled each time, at most ten. */
export function standardBackOffMs(attempt: number): number {
  return Math.min(10_000, 500 * 2 ** attempt);
}

export function createSourceFeed(options: SourceFeedOptions): SourceFeed {
  const { open, sleep, backOffMs, onLost, onFrame, reopens = true } = options;
  let source: FrameSource | undefined;
  let before: DropCounts = NO_DROPS;
  let attempt = 0;
  let paused = false;
  const closing = new AbortController();

  async function letGo(): Promise<void> {
    const leaving = source;
    source = undefined;
    before = sumOf(before, leaving === undefined ? NO_DROPS : dropsOf(leaving));
    await leaving?.close();
  }

  async function take(signal: AbortSignal): Promise<Frame | undefined> {
    source ??= await open(AbortSignal.any([signal, closing.signal]));
    if (paused) source.pause?.();
    const frame = await source.next(signal);
    attempt = 0;
    if (frame !== undefined) onFrame?.(frame);
    return frame;
  }

  return {
    get drops() {
      return source === undefined ? before : sumOf(before, dropsOf(source));
    },
    pause() {
      paused = true;
      source?.pause?.();
    },
    resume() {
      paused = false;
      source?.resume?.();
    },
    async open() {
      source = await open(closing.signal);
    },
    async next(signal) {
      for (;;) {
        try {
          return await take(signal);
        } catch (error) {
          const lost = error instanceof EngineError && error.kind === "source";
          if (signal.aborted || !lost || !reopens) throw error;
          onLost(error.message);
          await letGo();
          await sleep(backOffMs(attempt), signal);
          attempt += 1;
        }
      }
    },
    async close() {
      closing.abort(new EngineError({ kind: "input", message: "The source was closed." }));
      await letGo();
    },
  };
}

function dropsOf({ drops, dropped }: FrameSource): DropCounts {
  return drops ?? { ...NO_DROPS, not_taken_in_time: dropped };
}

export function sumOf(one: DropCounts, other: DropCounts): DropCounts {
  const reasons = Object.keys(one) as DropReason[];
  return Object.fromEntries(reasons.map((reason) => [reason, one[reason] + other[reason]])) as DropCounts;
}
