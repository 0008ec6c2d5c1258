// times of frames → what belongs to them

/** Keeps what belongs to the last frames by their time in ticks of 1/90,000 s. */
export interface PtsPairs<T> {
  set(ticks: number, value: T): void;
  /** What was kept for this time, give or take a millisecond. */
  find(ticks: number): T | undefined;
  readonly size: number;
}

const TOLERANCE_TICKS = 90;

/** The oldest go when there are more than `limit`. */
export function createPtsPairs<T>(limit = 150): PtsPairs<T> {
  const kept = new Map<number, T>();
  return {
    get size() {
      return kept.size;
    },
    set(ticks, value) {
      kept.delete(ticks);
      kept.set(ticks, value);
      if (kept.size > limit) kept.delete(kept.keys().next().value!);
    },
    find(ticks) {
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

/** Which frame a picture of the video track shows. Tracks start at a random time; results tell the frame's own. */
export interface PicturePairing {
  /** A result came. */
  note(ticks: number, frameId: number): void;
  /** A picture came whose RTP time is this; tell them in the order in which they came. */
  frameOf(timestamp: number): number | undefined;
}

const MISSES_BEFORE_NEW_ANCHOR = 30;

/** The server sends a frame's result just before its picture: the first picture belongs to the latest result. */
export function createPicturePairing(): PicturePairing {
  const pairs = createPtsPairs<number>();
  const unwrap = createTickUnwrapper();
  let latest: number | undefined;
  let offset: number | undefined;
  let misses = 0;
  return {
    note(ticks, frameId) {
      latest = ticks;
      pairs.set(ticks, frameId);
    },
    frameOf(timestamp) {
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
