// times of frames → what belongs to them

const TOLERANCE_TICKS = 90;

/** Keeps what belongs to the last frames by their time in ticks of 1/90,000 s. The oldest go when there are more than `limit`. */
export function createPtsPairs<T>(limit = 150) {
  const kept = new Map<number, T>();
  return {
    set(ticks: number, value: T): void {
      kept.delete(ticks);
      kept.set(ticks, value);
      if (kept.size > limit) kept.delete(kept.keys().next().value!);
    },
    /** What was kept for this time, give or take a millisecond. */
    find(ticks: number): T | undefined {
      const exact = kept.get(ticks);
      if (exact !== undefined) return exact;
      let nearest: { readonly value: T; readonly distance: number } | undefined;
      for (const [key, value] of kept) {
        const distance = Math.abs(key - ticks);
        if (distance <= TOLERANCE_TICKS && distance < (nearest?.distance ?? Infinity)) nearest = { value, distance };
      }
      return nearest?.value;
    },
  };
}

/** RTP times of 32 bits → times that never wrap. */
export function createTickUnwrapper(): (timestamp: number) => number {
  let last: { readonly raw: number; readonly ticks: number } | undefined;
  return (raw) => {
    const ticks = last === undefined ? raw : last.ticks + ((raw - last.raw) | 0);
    last = { raw, ticks };
    return ticks;
  };
}

const MISSES_BEFORE_NEW_ANCHOR = 30;

/**
 * Which frame a picture of the video track shows. Tracks start at a random time; results tell the frame's own.
 * The server sends a frame's result just before its picture: the first picture belongs to the latest result.
 */
export function createPicturePairing() {
  const pairs = createPtsPairs<number>();
  const unwrap = createTickUnwrapper();
  let latest: number | undefined;
  let offset: number | undefined;
  let misses = 0;
  return {
    /** A result came. */
    note(ticks: number, frameId: number): void {
      latest = ticks;
      pairs.set(ticks, frameId);
    },
    /** A picture came whose RTP time is this; tell them in the order in which they came. */
    frameOf(timestamp: number): number | undefined {
      const ticks = unwrap(timestamp);
      if (misses >= MISSES_BEFORE_NEW_ANCHOR) offset = undefined;
      if (offset === undefined && latest !== undefined) offset = ticks - latest;
      if (offset === undefined) return undefined;
      const frameId = pairs.find(ticks - offset);
      misses = frameId === undefined ? misses + 1 : 0;
      return frameId;
    },
  };
}
