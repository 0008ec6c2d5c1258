// several launchers at once → one at a time changes the checkout
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LaunchError } from "./launch-error.mjs";
import { identifyProcess, isSameProcessAlive } from "./process-identity.mjs";

/**
 * @typedef {object} HeldLock
 * @property {string} temporaryFolder empty, on the disk of the checkout, removed with the lock
 * @property {(pid: number) => void} addOwner
 *   names a child that works under the lock: an orphan may go on after its launcher was killed
 */

const RETRY_MS = 200;
const KEEP_PAST_LOCKS_MS = 60 * 60 * 1000;

/**
 * Runs `work` while no other launcher of this checkout holds the lock.
 * A lock whose launcher and child are both dead is broken.
 * @template T
 * @param {{ runtimeFolder: string, say: (line: string) => void }} place
 * @param {(lock: HeldLock) => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {LaunchError} `read_only` when the runtime folder cannot be written
 */
export async function withInstallLock({ runtimeFolder, say }, work) {
  const folder = join(runtimeFolder, "lock");
  const token = randomUUID();
  makeWritable(runtimeFolder, join(folder, `candidate-${token}`));
  for (let told = false; !take(folder, token); await sleep(RETRY_MS)) {
    const lock = readLock(folder);
    if (lock === undefined) continue; // released meanwhile
    if (!lock.owners.some(isSameProcessAlive)) {
      putAside(folder, lock.token);
    } else if (!told) {
      const pids = lock.owners.map((owner) => Number.parseInt(owner, 10)).join(", ");
      say(`Waiting for another start to finish (process ${pids}).`);
      told = true;
    }
  }
  const temporaryFolder = join(runtimeFolder, "temporary");
  try {
    emptyFolder(temporaryFolder); // a killed launcher may have left half a job
    sweepPastLocks(folder);
    return await work({
      temporaryFolder,
      addOwner: (pid) => writeFileSync(join(folder, "held", "child"), identifyProcess(pid) ?? ""),
    });
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true });
    putAside(folder, token);
  }
}

/**
 * The lock is a folder that is never without its owner: it is filled first and then renamed,
 * and no rename replaces a folder that has something in it.
 * @param {string} folder
 * @param {string} token
 */
function take(folder, token) {
  const candidate = join(folder, `candidate-${token}`);
  emptyFolder(candidate);
  writeFileSync(join(candidate, "token"), token);
  writeFileSync(join(candidate, "launcher"), identifyProcess(process.pid) ?? "");
  return tryRename(candidate, join(folder, "held"));
}

/**
 * Ends a lock, released or broken. Its name stays taken for a while, so that a launcher that judged the same
 * lock dead but comes late fails here instead of ending the lock of the next one.
 * @param {string} folder
 * @param {string} token
 */
function putAside(folder, token) {
  tryRename(join(folder, "held"), join(folder, `past-${token}`));
}

/**
 * @param {string} folder
 * @returns {{ token: string, owners: string[] } | undefined}
 */
function readLock(folder) {
  // The token first: a lock that changes between two reads is then judged by its past name.
  const [token, ...owners] = ["token", "launcher", "child"].map((name) => {
    try {
      return readFileSync(join(folder, "held", name), "utf8");
    } catch {
      return "";
    }
  });
  return token ? { token, owners: owners.filter(Boolean) } : undefined;
}

/** @param {string} folder */
function sweepPastLocks(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (name !== "held" && age > KEEP_PAST_LOCKS_MS) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function tryRename(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const { code = "" } = /** @type {NodeJS.ErrnoException} */ (error);
    // Windows says EPERM or EACCES where others say that the folder is not empty.
    if (["ENOENT", "EEXIST", "ENOTEMPTY", "EPERM", "EACCES"].includes(code)) return false;
    throw error;
  }
}

/** @param {string} folder */
function emptyFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/**
 * @param {string} folder
 * @param {string} probe
 */
function makeWritable(folder, probe) {
  try {
    emptyFolder(probe);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const message = `Packages must be installed first, but ${folder} cannot be written (${code}). Start once from a writable copy of this checkout, or as its owner.`;
    throw new LaunchError(message, { kind: "read_only", cause: error });
  }
}
