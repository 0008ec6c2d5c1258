/** When frames were taken, in our time. */
export interface CaptureTimes {
  /**
   * `stampMs` is the frame's time by the server's clock, or its place in the video; only differences count.
   * Answers milliseconds since 1970, never earlier than the frame before.
   */
  of(stampMs: number): number;
}

/** So far behind and the server's clock was set back rather than the frame held up. */
const CLOCK_JUMP_MS = 60_000;

/**
 * A server names no time zone, and its clock may be wrong: the frame that arrived fastest tells how far it is off.
 * Frames of a file come as fast as they are computed: their first one is taken as now, the others by the video's time.
 */
export function createCaptureTimes(options: { readonly isFile: boolean; readonly now: () => number }): CaptureTimes {
  let offsetMs: number | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return {
    of(stampMs) {
      const offNow = options.now() - stampMs;
      offsetMs ??= offNow;
      if (!options.isFile && (offNow < offsetMs || offNow - offsetMs > CLOCK_JUMP_MS)) offsetMs = offNow;
      last = Math.max(last, stampMs + offsetMs);
      return last;
    },
  };
}
