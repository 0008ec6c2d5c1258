import { ClientError } from "../errors.ts";

/** So many at once; the others wait in order. */
export interface Slots {
  /** Resolves with the way to give the slot back, which may be called twice. Rejects when the signal fires first. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const once = (): (() => void) => {
    let isOut = true;
    return () => {
      if (isOut) giveBack();
      isOut = false;
    };
  };
  return {
    take(signal) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(once());
      }
      return new Promise((done, fail) => {
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          done(once());
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(enter), 1);
          fail(new ClientError({ kind: "cancelled", message: "The wait for a free slot was cancelled." }));
        };
        waiting.push(enter);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
  };
}
