// one writer per file: another file says who it is
import { randomUUID } from "node:crypto";
import { link, readFile, readlink, rename, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemClock } from "../types/clock.ts";
import { parseJsonObject } from "../types/json.ts";
import { hasErrorCode, readOptional, writtenAt } from "./whole-files.ts";

interface LeaseRecord {
  readonly pid: number;
  /** When that process began, where the system says so: a reused pid has another. */
  readonly started: string;
  readonly owner: string;
  /** Unique to a lease. */
  readonly id: string;
  /** Where a pid means the same process. Empty where that is not known. */
  readonly host: string;
}

/** A lease is refreshed this often. */
const REFRESH_MS = 5_000;
/** One that was not refreshed for so long is nobody's, where its holder cannot be seen. */
const DEAD_AFTER_MS = 30_000;

/** Time and place of this process. */
export interface LeaseTimes {
  /** Milliseconds since 1970. */
  now(): number;
  /** Again and again until what it gives is called. Must not keep the process alive. */
  every(ms: number, act: () => Promise<void>): () => void;
  /** Default: this machine, or the container in which the process runs. */
  readonly host?: string;
}

export const SYSTEM_TIMES: LeaseTimes = {
  now: systemClock.now,
  every(ms, act) {
    const timer = setInterval(act, ms).unref();
    return () => clearInterval(timer);
  },
};

export interface Lease {
  /** False when somebody else took it over: nothing may be written any more. */
  isHeld(): Promise<boolean>;
  /** May be called twice. */
  release(): Promise<void>;
}

/**
 * The lease, or the name of its holder. It is refreshed while it is held. A lease whose process is gone is taken over
 * at once; one whose holder cannot be seen from here, when it is no longer refreshed.
 */
export async function acquireLease(
  path: string,
  owner: string,
  times: LeaseTimes = SYSTEM_TIMES,
): Promise<Lease | { readonly heldBy: string }> {
  const host = times.host ?? (await hostOf());
  const { started } = await lookUp(process.pid);
  const record: LeaseRecord = { pid: process.pid, started, id: randomUUID(), owner, host };
  const own = `${path}.${randomUUID()}`;
  const text = JSON.stringify(record);
  await writeFile(own, text, { flag: "wx", mode: 0o600 });
  // Before it can be seen: nobody in this process may take it for a dead one.
  heldHere().add(record.id);
  let isOurs = false;
  try {
    await touch(own, times);
    const heldBy = await linkOrHolder(own, path, record, times);
    isOurs = heldBy === undefined;
    return heldBy === undefined ? hold(path, record.id, text, times) : { heldBy };
  } finally {
    if (!isOurs) heldHere().delete(record.id);
    await rm(own, { force: true });
  }
}

/** Undefined when the lease is ours now, else who has it. */
async function linkOrHolder(
  own: string,
  path: string,
  record: LeaseRecord,
  times: LeaseTimes,
): Promise<string | undefined> {
  // A link appears whole or not at all, and never over another one.
  while (!(await tryLink(own, path))) {
    const holder = await readRecord(path);
    if (holder?.record && (await isAlive(holder.record, record, path, times))) {
      return `${holder.record.owner} (process ${holder.record.pid})`;
    }
    if (holder && !(await clearStale(path, holder.text))) return "another process";
  }
  return undefined;
}

/** `text` is ours; whatever else stands there is another's. */
function hold(path: string, id: string, text: string, times: LeaseTimes): Lease {
  const isHeld = async (): Promise<boolean> => (await readRecord(path))?.text === text;
  const stop = times.every(REFRESH_MS, async () => {
    try {
      if (await isHeld()) await touch(path, times);
    } catch {
      // Whoever writes next asks whether it is still held.
    }
  });
  return {
    isHeld,
    async release() {
      stop();
      if (await isHeld()) await rm(path, { force: true });
      heldHere().delete(id);
    },
  };
}

const HELD_HERE = Symbol.for("@vision-agent/agent-core/leases");

/** Ids of the leases of this thread: all copies of the package in it share them, other threads have their own. */
function heldHere(): Set<string> {
  const shared = globalThis as { [HELD_HERE]?: Set<string> };
  shared[HELD_HERE] ??= new Set();
  return shared[HELD_HERE];
}

async function touch(path: string, times: LeaseTimes): Promise<void> {
  const seconds = times.now() / 1000;
  await utimes(path, seconds, seconds);
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (thrown) {
    if (hasErrorCode(thrown, "EEXIST")) return false;
    throw thrown;
  }
}

async function readRecord(path: string): Promise<{ readonly text: string; readonly record?: LeaseRecord } | undefined> {
  const text = (await readOptional(path))?.toString("utf8");
  if (text === undefined) return undefined;
  const value = parseJsonObject(text);
  return { text, record: typeof value?.pid === "number" ? (value as unknown as LeaseRecord) : undefined };
}

/** `own` is the record of who asks. Where nothing proves that the holder lives or is gone, its heartbeat decides. */
async function isAlive(record: LeaseRecord, own: LeaseRecord, path: string, times: LeaseTimes): Promise<boolean> {
  const isNear = record.host === own.host;
  if (isNear && heldHere().has(record.id)) return true;
  const found = isNear && own.host !== "" ? await lookUp(record.pid) : undefined;
  if (found && !found.isRunning) return false;
  if (found && found.started !== "" && record.started !== "") {
    if (found.started !== record.started) return false;
    // Our own process may have other threads, which cannot be seen.
    if (record.pid !== own.pid) return true;
  }
  const refreshedAt = await writtenAt(path);
  return refreshedAt !== undefined && times.now() - refreshedAt < DEAD_AFTER_MS;
}

/** Moves the dead lease aside, and puts it back when somebody was quicker and it is a living one. */
async function clearStale(path: string, staleText: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (thrown) {
    if (hasErrorCode(thrown, "ENOENT")) return true;
    throw thrown;
  }
  const moved = await readFile(aside, "utf8");
  if (moved !== staleText) await tryLink(aside, path);
  await rm(aside, { force: true });
  return moved === staleText;
}

/** A process that can be seen from here. `started` is field 22 of its /proc/<pid>/stat; empty where that cannot be read. */
async function lookUp(pid: number): Promise<{ readonly isRunning: boolean; readonly started: string }> {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (!hasErrorCode(thrown, "EPERM")) return { isRunning: false, started: "" };
  }
  const [self, stat] = await Promise.all([readlink("/proc/self"), readFile(`/proc/${pid}/stat`, "utf8")].map(orEmpty));
  // A /proc that numbers processes otherwise tells of another one.
  if (self !== String(process.pid) || !stat) return { isRunning: true, started: "" };
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Killed, and not yet collected by its parent.
  return { isRunning: state !== "Z" && state !== "X", started: rest[18] ?? "" };
}

/** Where a pid means the same process: the name of the machine, its boot, and the namespace of its processes. */
async function hostOf(): Promise<string> {
  const known = [readFile("/proc/sys/kernel/random/boot_id", "utf8"), readlink("/proc/self/ns/pid")].map(orEmpty);
  const [boot = "", namespace = ""] = await Promise.all(known);
  // Without these, two containers on Linux may look alike.
  if (process.platform === "linux" && (boot === "" || namespace === "")) return "";
  return [hostname(), boot, namespace].join(" ");
}

/** Not Linux, not allowed, or gone. */
async function orEmpty(read: Promise<string>): Promise<string> {
  try {
    return (await read).trim();
  } catch {
    return "";
  }
}
