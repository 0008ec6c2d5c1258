// time of a recording → the clock of its source

import type { Frame } from "../frames/frame.ts";
import type { SourceClock } from "../sources/source-clock.ts";

/** Stands still between frames; who sleeps moves it and waits for nothing. */
export interface ReplayClock extends SourceClock {
  /** A frame was given: it is at least as late as that. Pictures without a rate lie one second apart. */
  follow(frame: Frame): void;
}

const PICTURE_MS = 1000;

export function createReplayClock(beginMs: number): ReplayClock {
  let nowMs = beginMs;
  return {
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      nowMs += ms;
    },
    follow({ metadata: { timestamp, fps } }) {
      nowMs = Math.max(nowMs, Date.parse(timestamp) + (fps > 0 ? 0 : PICTURE_MS));
    },
  };
}
