import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Names one process for good: a process id alone is used again, quickly so in containers.
 * @param {number} pid
 * @returns {string | undefined} undefined when no such process runs
 */
export function identifyProcess(pid) {
  if (!isAlive(pid)) return undefined;
  const stat = readStat(pid);
  if (stat === undefined) return String(pid); // no /proc: the number has to do
  return stat.state === "Z" ? undefined : `${pid} ${stat.startTime}`;
}

/** @param {string} identity as `identifyProcess` gave it */
export function isSameProcessAlive(identity) {
  return identifyProcess(Number.parseInt(identity, 10)) === identity;
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM"; // another person's process
  }
}

/**
 * @param {number} pid
 * @returns {{ name: string, parent: number } | undefined} undefined where the system does not tell
 */
export function describeProcess(pid) {
  const stat = readStat(pid);
  if (stat !== undefined || process.platform === "win32") return stat;
  const { stdout } = spawnSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" });
  const [, parent, name] = /^\s*(\d+)\s+(?:.*\/)?(.+?)\s*$/.exec(stdout ?? "") ?? [];
  return parent === undefined || name === undefined ? undefined : { name, parent: Number(parent) };
}

/** @param {number} pid */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8"); // pid (name) state parent …; the name may hold anything
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
      state: fields[0],
      parent: Number(fields[1]),
      startTime: fields[19],
    };
  } catch {
    return undefined;
  }
}
