// one writer per file: another file says who it is
import { randomUUID } from "node:crypto";
import { link, readFile, readlink, rename, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemClock } from "../types/clock.ts";
import { parseJsonObject } from "../types/json.ts";
import { hasErrorCode, readOptional, writtenAt } from "./whole-files.ts";

interface LeaseRecord {
  readonly pid: number;
  /** When that process began, where the system tells: a reused pid has another. */
  readonly started: string;
  /** Unique to a process: a lease with our pid and another boot id is from before a restart. */
  readonly boot_id: string;
  readonly owner: string;
  /** Unique to a lease. */
  readonly id?: string;
  /** Where a pid means the same process. Absent in leases of earlier versions: this machine. */
  readonly host?: string;
}

const BOOT_ID = randomUUID();

/** A lease is refreshed this often. */
const REFRESH_MS = 5_000;
/** One of another machine that was not refreshed for so long is nobody's. */
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
  /** False when another process took it over: nothing may be written any more. */
  isHeld(): Promise<boolean>;
  /** May be called twice. */
  release(): Promise<void>;
}

/**
 * The lease, or the name of its holder. It is refreshed while it is held. A lease whose process is gone is taken over,
 * and so is one of another machine that is no longer refreshed.
 */
export async function acquireLease(
  path: string,
  owner: string,
  times: LeaseTimes = SYSTEM_TIMES,
): Promise<Lease | { readonly heldBy: string }> {
  const host = times.host ?? (await hostOf());
  const record: LeaseRecord = {
    pid: process.pid,
    started: await startOf(process.pid),
    boot_id: BOOT_ID,
    id: randomUUID(),
    owner,
    host,
  };
  const own = `${path}.${randomUUID()}`;
  const text = JSON.stringify(record);
  await writeFile(own, text, { flag: "wx", mode: 0o600 });
  try {
    await touch(own, times);
    // A link appears whole or not at all, and never over another one.
    while (!(await tryLink(own, path))) {
      const holder = await readRecord(path);
      if (holder?.record && (await isAlive(holder.record, path, host, times))) {
        return { heldBy: `${holder.record.owner} (process ${holder.record.pid})` };
      }
      if (holder && !(await clearStale(path, holder.text))) return { heldBy: "another process" };
    }
    return hold(path, text, times);
  } finally {
    await rm(own, { force: true });
  }
}

/** `text` is ours; whatever else stands there is another's. */
function hold(path: string, text: string, times: LeaseTimes): Lease {
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
    },
  };
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

async function isAlive(record: LeaseRecord, path: string, host: string, times: LeaseTimes): Promise<boolean> {
  if (record.host !== undefined && record.host !== host) {
    const refreshedAt = await writtenAt(path);
    return refreshedAt !== undefined && times.now() - refreshedAt < DEAD_AFTER_MS;
  }
  if (record.pid === process.pid) return record.boot_id === BOOT_ID;
  try {
    process.kill(record.pid, 0);
  } catch (thrown) {
    return hasErrorCode(thrown, "EPERM");
  }
  return (await startOf(record.pid)) === record.started;
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

/** Field 22 of /proc/<pid>/stat; empty where there is no such file. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    // Not Linux, or the process is gone.
    return "";
  }
}

/** Where a pid means the same process: the name of the machine, its boot, and the namespace of its processes. */
async function hostOf(): Promise<string> {
  const known = await Promise.all(
    [readFile("/proc/sys/kernel/random/boot_id", "utf8"), readlink("/proc/self/ns/pid")].map((read) =>
      // Not Linux, or not allowed: the name has to do.
      read.then(
        (text) => text.trim(),
        () => "",
      ),
    ),
  );
  return [hostname(), ...known].join(" ");
}
