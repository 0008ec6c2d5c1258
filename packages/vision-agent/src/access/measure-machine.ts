// the operating system's counters → how busy the machine is
import { cpus } from "node:os";
import type { MachineLoad } from "./admission.ts";

const EVERY_MS = 2000;
/** Samples that are looked back on: ten seconds. */
const SAMPLES = 6;

interface CpuTimes {
  readonly busy: number;
  readonly total: number;
}

/** Samples in the background until `stop`, which may be called twice. */
export function measureMachine(): { readonly measure: () => MachineLoad; stop(): void } {
  let samples: readonly CpuTimes[] = [readTimes()];
  const timer = setInterval(() => {
    samples = [...samples, readTimes()].slice(-SAMPLES);
  }, EVERY_MS);
  timer.unref();
  return {
    measure: () => ({ availableBytes: process.availableMemory(), cpuShare: cpuShareOf(samples[0], readTimes()) }),
    stop: () => clearInterval(timer),
  };
}

function cpuShareOf(before: CpuTimes | undefined, after: CpuTimes): number {
  const total = after.total - (before?.total ?? 0);
  return total <= 0 ? 0 : (after.busy - (before?.busy ?? 0)) / total;
}

/** Of all cores together. */
function readTimes(): CpuTimes {
  let busy = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy, total: busy + idle };
}
