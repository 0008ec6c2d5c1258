import type { ClientClock } from "../client-clock.ts";
import { ClientError } from "../errors.ts";

/** Time for tests: it moves only when told, and wakes sleepers in their order. */
export interface ManualClock extends ClientClock {
  advance(ms: number): Promise<void>;
  /** Moves on in small steps until the condition holds; throws after `withinMs` (default 10 minutes). */
  until(condition: () => boolean, withinMs?: number): Promise<void>;
  /** Moves on until the promise settles, and gives what it gives. */
  finish<T>(promise: Promise<T>, withinMs?: number): Promise<T>;
}

const START_MS = Date.UTC(2026, 0, 5, 12);

export function createManualClock(): ManualClock {
  let timeMs = 0;
  const sleepers = new Set<{ readonly dueMs: number; readonly wake: () => void }>();

  async function advance(ms: number): Promise<void> {
    const untilMs = timeMs + ms;
    await settle();
    for (;;) {
      const next = [...sleepers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!next) break;
      timeMs = next.dueMs;
      sleepers.delete(next);
      next.wake();
      await settle();
    }
    timeMs = untilMs;
  }

  async function until(condition: () => boolean, withinMs = 600_000): Promise<void> {
    const endMs = timeMs + withinMs;
    await settle();
    while (!condition()) {
      if (timeMs >= endMs) throw new Error(`It did not happen within ${withinMs} ms.`);
      await advance(10);
    }
  }

  return {
    now: () => START_MS + timeMs,
    monotonic: () => timeMs,
    sleep: (ms, signal) =>
      new Promise<void>((done, fail) => {
        const stop = (): void => {
          sleepers.delete(sleeper);
          fail(new ClientError({ kind: "cancelled", message: "The wait was cancelled." }));
        };
        const sleeper = {
          dueMs: timeMs + ms,
          wake: () => {
            signal?.removeEventListener("abort", stop);
            done();
          },
        };
        if (signal?.aborted) return stop();
        sleepers.add(sleeper);
        signal?.addEventListener("abort", stop, { once: true });
      }),
    advance,
    until,
    async finish(promise, withinMs) {
      let settled = false;
      const mark = (): void => {
        settled = true;
      };
      promise.then(mark, mark);
      await until(() => settled, withinMs);
      return promise;
    },
  };
}

/** Everything that waits for nothing but its turn has it. */
function settle(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
