/** A few places that more users take turns in. */
export interface Slots {
  /** Waits for a place; the answer gives it back, once. Throws the signal's reason when it aborts first. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const queue: (() => void)[] = [];

  const handOver = (): (() => void) => {
    let mine = true;
    return () => {
      if (!mine) return;
      mine = false;
      free += 1;
      queue.shift()?.();
    };
  };

  return {
    take: (signal) =>
      new Promise((done, fail) => {
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          free -= 1;
          done(handOver());
        };
        const leave = (): void => {
          const place = queue.indexOf(enter);
          if (place >= 0) queue.splice(place, 1);
          fail(signal.reason);
        };
        if (signal.aborted) return fail(signal.reason);
        signal.addEventListener("abort", leave, { once: true });
        if (free > 0) enter();
        else queue.push(enter);
      }),
  };
}
