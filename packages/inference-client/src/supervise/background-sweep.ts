// entries left to end → tried again and again until their servers are seen without them
import { backOffMs } from "../client-clock.ts";
import { type SweepOptions, type SweepReport, sweepLedger } from "./end-hosted.ts";

export interface BackgroundSweep {
  /** One pass at once. */
  now(): Promise<SweepReport>;
  /** Goes on until nothing is left; does nothing while it already does. */
  begin(): void;
  /** Twice is fine. */
  close(): void;
}

export interface BackgroundSweepOptions extends SweepOptions {
  readonly random: () => number;
  /** Nothing is left. Must not throw. */
  readonly onClean: () => void;
}

const EVERY = { baseMs: 1000, maxMs: 30_000 };

export function createBackgroundSweep(options: BackgroundSweepOptions): BackgroundSweep {
  const closed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, closed.signal]) : closed.signal;
  let running = false;

  async function run(): Promise<void> {
    for (let round = 1; ; round += 1) {
      await options.clock.sleep(backOffMs(round, { ...EVERY, random: options.random }), signal);
      // A ledger that cannot be written today may be tomorrow.
      const left = await sweepLedger({ ...options, signal }).then(
        (report) => report.left.length,
        () => 1,
      );
      signal.throwIfAborted();
      if (left === 0) return options.onClean();
    }
  }

  return {
    now: () => sweepLedger(options),
    begin() {
      if (running || signal.aborted) return;
      running = true;
      run()
        .catch(() => undefined) // Closed: every other failure is tried again inside.
        .finally(() => {
          running = false;
        });
    },
    close: () => closed.abort(),
  };
}
