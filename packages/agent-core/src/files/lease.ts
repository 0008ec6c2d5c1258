// one writer per file: another file says who it is
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { parseJsonObject } from "../types/json.ts";
import { hasErrorCode, readOptional } from "./whole-files.ts";

interface LeaseRecord {
  readonly pid: number;
  /** When that process began, where the system tells: a reused pid has another. */
  readonly started: string;
  /** Unique to a process: a lease with our pid and another boot id is from before a restart. */
  readonly boot_id: string;
  readonly owner: string;
}

const BOOT_ID = randomUUID();

export interface Lease {
  /** May be called twice. */
  release(): Promise<void>;
}

/** The lease, or the name of its holder. A lease whose process is gone is taken over. */
export async function acquireLease(path: string, owner: string): Promise<Lease | { readonly heldBy: string }> {
  const record: LeaseRecord = { pid: process.pid, started: await startOf(process.pid), boot_id: BOOT_ID, owner };
  const own = `${path}.${randomUUID()}`;
  const text = JSON.stringify(record);
  await writeFile(own, text, { flag: "wx", mode: 0o600 });
  try {
    // A link appears whole or not at all, and never over another one.
    while (!(await tryLink(own, path))) {
      const holder = await readRecord(path);
      if (holder?.record && (await isAlive(holder.record))) {
        return { heldBy: `${holder.record.owner} (process ${holder.record.pid})` };
      }
      if (holder && !(await clearStale(path, holder.text))) return { heldBy: "another process" };
    }
  } finally {
    await rm(own, { force: true });
  }
  let released = false;
  return {
    async release() {
      if (released) return;
      released = true;
      // What stands there by now may be another's.
      if ((await readRecord(path))?.text === text) await rm(path, { force: true });
    },
  };
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

async function isAlive(record: LeaseRecord): Promise<boolean> {
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
