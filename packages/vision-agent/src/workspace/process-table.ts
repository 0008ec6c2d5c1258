import { readFileSync } from "node:fs";
import { errorCode } from "./file-port.ts";

/** Which processes run. */
export interface ProcessTable {
  /** Tells this life of a process from any other that had the same id; undefined when no such process runs. */
  stampOf(pid: number): string | undefined;
}

/** The processes of this machine. Outside Linux a reused process id cannot be told from the first. */
export const nodeProcesses: ProcessTable = {
  stampOf: (pid) => (process.platform === "linux" ? linuxStamp(pid) : signalStamp(pid)),
};

function linuxStamp(pid: number): string | undefined {
  try {
    const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // The name in brackets may hold spaces: fields are counted after it. 0 is the state, 19 the start time.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[0] === "Z" ? undefined : `${bootId}:${fields[19]}`;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ESRCH") return undefined;
    throw error;
  }
}

function signalStamp(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return "running";
  } catch (error) {
    return errorCode(error) === "EPERM" ? "running" : undefined;
  }
}
