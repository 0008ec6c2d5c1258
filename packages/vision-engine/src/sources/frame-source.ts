import { setTimeout as wait } from "node:timers/promises";
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

/** What happens to a new frame when the buffer is full, as InferencePipeline names it. */
export type FillingStrategy = "WAIT" | "DROP_OLDEST" | "DROP_LATEST" | "ADAPTIVE_DROP_OLDEST" | "ADAPTIVE_DROP_LATEST";

/** Which frame of the buffer is given: `LAZY` the oldest, `EAGER` the newest, leaving out the others. */
export type ConsumptionStrategy = "LAZY" | "EAGER";

/** How frames wait for who takes them. */
export interface BufferStrategy {
  readonly filling: FillingStrategy;
  readonly consumption: ConsumptionStrategy;
  /** Most frames that wait. More smooth out a consumer that is slow at times and cost memory and delay. */
  readonly size: number;
}

/** Files lose nothing; live sources give what is newest. */
export function bufferStrategy(live: boolean, wanted: Partial<BufferStrategy> = {}): BufferStrategy {
  const standard: BufferStrategy = live
    ? { filling: "DROP_OLDEST", consumption: "EAGER", size: 2 }
    : { filling: "WAIT", consumption: "LAZY", size: 4 };
  return { ...standard, ...wanted };
}

/**
 * Why a frame was not given.
 * `buffer_full` no memory was free · `not_taken_in_time` a newer one was there when somebody asked · `consumer_behind`
 * left out in time because the consumer is slower (adaptive strategies) · `rate_limit` more than `maxFps` ·
 * `decode_error` damaged or unreadable.
 */
export type DropReason = "buffer_full" | "not_taken_in_time" | "consumer_behind" | "rate_limit" | "decode_error";

/** Frames left out so far, by reason. */
export type DropCounts = Readonly<Record<DropReason, number>>;

export const NO_DROPS: DropCounts = {
  buffer_full: 0,
  not_taken_in_time: 0,
  consumer_behind: 0,
  rate_limit: 0,
  decode_error: 0,
};

export interface DropCounter {
  readonly counts: DropCounts;
  readonly total: number;
  add(reason: DropReason, frames?: number): void;
}

export function createDropCounter(): DropCounter {
  const counts: Record<DropReason, number> = { ...NO_DROPS };
  return {
    get counts() {
      return { ...counts };
    },
    get total() {
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    add(reason, frames = 1) {
      counts[reason] += frames;
    },
  };
}

/** Time as sources see it; tests hand in their own. */
export interface SourceClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of the system. */
export const systemClock: SourceClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await wait(ms, undefined, { signal }).catch(() => {
      throw signal?.reason;
    });
  },
};
