/**
 * Why a frame was not given.
 * `buffer_full` no memory was free · `not_taken_in_time` a newer one was there when somebody asked · `consumer_behind`
 * left out in time because the consumer is slower (adaptive strategies) · `rate_limit` more than `maxFps` ·
 * `decode_error` damaged or unreadable.
 */
export type DropReason = "buffer_full" | "not_taken_in_time" | "consumer_behind" | "rate_limit" | "decode_error";

/** Frames left out so far, by reason. */
export type DropCounts = Readonly<Record<DropReason, number>>;

export interface DropCounter {
  readonly counts: DropCounts;
  readonly total: number;
  add(reason: DropReason, frames?: number): void;
}

export function createDropCounter(): DropCounter {
  const counts = { buffer_full: 0, not_taken_in_time: 0, consumer_behind: 0, rate_limit: 0, decode_error: 0 };
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
