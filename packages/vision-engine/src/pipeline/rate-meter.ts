/** How often something happens. */
export interface RateMeter {
  mark(): void;
  /** Per second, over the window or over the time since the first mark when that is shorter. */
  rate(): number;
}

export function createRateMeter({ windowMs, now }: { windowMs: number; now: () => number }): RateMeter {
  const marks: number[] = [];
  let first: number | undefined;

  return {
    mark() {
      first ??= now();
      marks.push(now());
      dropBefore(marks, now() - windowMs);
    },
    rate() {
      dropBefore(marks, now() - windowMs);
      const spanMs = Math.min(windowMs, now() - (first ?? now()));
      return spanMs <= 0 ? 0 : (marks.length * 1000) / spanMs;
    },
  };
}

function dropBefore(marks: number[], time: number): void {
  const keep = marks.findIndex((mark) => mark > time);
  marks.splice(0, keep === -1 ? marks.length : keep);
}
