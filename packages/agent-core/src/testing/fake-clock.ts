import { type Clock, sleepCancelled } from "../types/clock.ts";

/** Time that moves only when the test says so. */
export interface FakeClock extends Clock {
  /** Moves time on and wakes sleepers in order, letting each do its work before the next. */
  advance(ms: number): Promise<void>;
  /** How many sleep now. */
  readonly sleepers: number;
}

interface Sleeper {
  readonly dueMs: number;
  wake(): void;
}

/** Time that moves only when told. */
export function createFakeClock(startMs: number = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs;
  const sleepers = new Set<Sleeper>();

  const nextDue = (untilMs: number): Sleeper | undefined =>
    [...sleepers].filter((sleeper) => sleeper.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];

  return {
    now: () => nowMs,
    monotonic: () => nowMs - startMs,
    sleep: (ms, signal) =>
      new Promise<void>((done, fail) => {
        if (signal?.aborted) return fail(sleepCancelled(signal));
        const leave = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", stop);
        };
        const stop = (): void => {
          leave();
          if (signal) fail(sleepCancelled(signal));
        };
        const sleeper: Sleeper = {
          dueMs: nowMs + ms,
          wake: () => {
            leave();
            done();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", stop, { once: true });
      }),
    async advance(ms) {
      const untilMs = nowMs + ms;
      for (let sleeper = nextDue(untilMs); sleeper; sleeper = nextDue(untilMs)) {
        nowMs = Math.max(nowMs, sleeper.dueMs);
        sleeper.wake();
        await settle();
      }
      nowMs = untilMs;
      await settle();
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}

/** Lets everything that is ready run. */
function settle(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
