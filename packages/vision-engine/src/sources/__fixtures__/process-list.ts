// what others see of the programs that run on this machine (Linux)
import { readdirSync, readFileSync } from "node:fs";

/** Command line and environment of each process of this name. */
export function shownBy(name: RegExp): readonly string[] {
  return readdirSync("/proc")
    .filter((id) => /^\d+$/.test(id) && name.test(read(`/proc/${id}/comm`).trim()))
    .map((id) => `${read(`/proc/${id}/cmdline`)}\n${read(`/proc/${id}/environ`)}`);
}

/** How many processes of this name this one has started. */
export function childrenNamed(name: string): number {
  const children = readdirSync("/proc").filter((id) => {
    const [, program, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(read(`/proc/${id}/stat`)) ?? [];
    return program === name && parent === String(process.pid);
  });
  return children.length;
}

/** Nothing of a process that has ended, or belongs to somebody else. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
