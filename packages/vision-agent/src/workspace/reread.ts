import { type Clock, sleepUnless } from "@vision-agent/agent-core";

const EVERY_MS = 1000;

/** Reads a file again every second, so that edits by hand are noticed; resolves when the signal fires. */
export async function rereadUntil(
  signal: AbortSignal,
  clock: Pick<Clock, "sleep">,
  /** Must not reject. */
  refresh: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await sleepUnless(clock, EVERY_MS, signal);
    if (!signal.aborted) await refresh();
  }
}
