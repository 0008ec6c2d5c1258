/** Events per second over the last few of them. */
export interface PaceMeter {
  tick(nowMs: number): void;
  /** The pace if the next event came now; absent before there are enough of them. */
  paceAt(nowMs: number): number | undefined;
}

/** Fewer say too little. */
const FEWEST = 10;
const MOST = 64;

export function createPaceMeter(): PaceMeter {
  const times: number[] = [];
  return {
    tick(nowMs) {
      times.push(nowMs);
      if (times.length > MOST) times.shift();
    },
    paceAt(nowMs) {
      if (times.length <= FEWEST) return undefined;
      return (times.length * 1000) / Math.max(1, nowMs - times[0]!);
    },
  };
}
