/** How often something happens. */
export interface RateMeter {
  mark(): void;
  /** Per second, over the window or over the time since the first mark, which is where counting begins, when that is shorter. */
  rate(): number;
}

export function createRateMeter({ windowMs, now }: { windowMs: number; now: () => number }): RateMeter {
  const marks: number[] = [];
  let begun: number | undefined;

  return {
    mark() {
      const time = now();
      if (begun === undefined) begun = time;
      else marks.push(time);
      dropBefore(marks, time - windowMs);
    },
    rate() {
      if (begun === undefined) return 0;
      const time = now();
      dropBefore(marks, time - windowMs);
      const spanMs = Math.min(windowMs, time - begun);
      return spanMs <= 0 ? 0 : (marks.length * 1000) / spanMs;
    },
  };
}

function dropBefore(marks: number[], time: number): void {
  const keep = marks.findIndex((mark) => mark > time);
  marks.splice(0, keep === -1 ? marks.length : keep);
}
