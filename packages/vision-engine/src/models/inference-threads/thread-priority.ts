import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** A little below normal: what people wait for goes first, nothing else changes. */
const NICENESS = 5;

/**
 * Lets other threads go first when the machine is full, so that the thread that answers people is never late.
 * Works on Linux, where a thread has a priority of its own; elsewhere nothing changes.
 */
export function yieldToOthers(): void {
  if (process.platform !== "linux") return;
  const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  setPriority(thread, NICENESS);
}
