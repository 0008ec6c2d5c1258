// entries → <folder>/<id>.jsonl, one line each, on disk before it counts
import { randomBytes, randomUUID } from "node:crypto";
import { appendFile, link, mkdir, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import PQueue from "p-queue";
import type { LeaseTimes } from "../files/lease.ts";
import { type LineFileOptions, openLineFile } from "../files/line-file.ts";
import { absent, hasErrorCode, readFolder, readOptional, syncFolder } from "../files/whole-files.ts";
import { assertSessionId, isSessionId, type ListedSession, type Session, type SessionStore } from "./session-store.ts";
import { encodeEntry, parseEntries, parseEntry, toTitle } from "./transcript.ts";

const SUFFIX = ".jsonl";
/** Behind the name of a transcript: the torn end of it. */
const QUARANTINE = ".quarantine";
/** A folder may hold more sessions than a process may have files open. */
const READ_AT_ONCE = 32;
/** Enough for the first message of the person. */
const TITLE_BYTES = 65_536;
const SECRET_BYTES = 32;

/** Where transcripts live. */
export interface FileSessionStoreOptions {
  /** Made when it is missing. */
  readonly folder: string;
  /** Who writes, for the message that another writer reads. */
  readonly owner: string;
  /** Time and place for the files that say who writes. Default: those of this process. */
  readonly lease?: LeaseTimes | undefined;
}

/** VA-19: JSONL, append only, one writer per session, survives `kill -9`. */
export function createFileSessionStore({ folder, owner, lease }: FileSessionStoreOptions): SessionStore {
  const pathOf = (id: string): string => join(folder, `${toFileName(id)}${SUFFIX}`);
  const has = async (id: string): Promise<boolean> =>
    isSessionId(id) && (await stat(pathOf(id)).then(({ size }) => size > 0, absent(false)));
  const openById = async (id: string): Promise<Session> => {
    assertSessionId(id);
    return openSession(id, { owner, lease, path: pathOf(id), leasePath: join(folder, `${toFileName(id)}.lease`) });
  };
  return {
    open: openById,
    async delete(id) {
      if (!(await has(id))) return false;
      // Nobody writes to it meanwhile.
      const session = await openById(id);
      try {
        for (const suffix of ["", QUARANTINE]) await rm(`${pathOf(id)}${suffix}`, { force: true });
        await syncFolder(folder);
      } finally {
        await session.close();
      }
      return true;
    },
    async rewrite(id, edit) {
      if (!isSessionId(id) || !(await readOptional(pathOf(id)))) return false;
      return rewriteSession(pathOf(id), { owner, lease, leasePath: join(folder, `${toFileName(id)}.lease`), edit });
    },
    secret: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return loadSecret(folder);
    },
    read: async (id) => {
      // Without touching: a torn end is left to the writer.
      const bytes = isSessionId(id) ? await readOptional(pathOf(id)) : undefined;
      return bytes ? parseEntries(bytes.toString("utf8")).entries : [];
    },
    has,
    async list({ limit } = {}) {
      const names = await readFolder(folder);
      const ids = names.filter((name) => name.endsWith(SUFFIX)).map((name) => toId(name.slice(0, -SUFFIX.length)));
      const queue = new PQueue({ concurrency: READ_AT_ONCE });
      const find = async (id: string): Promise<readonly { readonly id: string; readonly mtime: Date }[]> => {
        const { size, mtime } = await stat(pathOf(id)).catch(absent({ size: 0, mtime: new Date(0) }));
        return size > 0 ? [{ id, mtime }] : [];
      };
      const found = (await queue.addAll(ids.filter(isSessionId).map((id) => () => find(id)))).flat();
      const newest = found.sort((a, b) => b.mtime.getTime() - a.mtime.getTime()).slice(0, limit);
      const summarize = async ({ id, mtime }: (typeof newest)[number]): Promise<ListedSession> => {
        const { entries } = parseEntries(await readStart(pathOf(id)));
        return { id, updatedAt: mtime.toISOString(), title: toTitle(entries) };
      };
      return queue.addAll(newest.map((one) => () => summarize(one)));
    },
  };
}

/** A colon is no part of a file name on every system; an equals sign is in no id. */
function toFileName(id: string): string {
  return id.replaceAll(":", "=");
}

function toId(fileName: string): string {
  return fileName.replaceAll("=", ":");
}

/** Empty when there is no such file. */
async function readStart(path: string): Promise<string> {
  await using file = await open(path, "r").catch(absent(undefined));
  const start = await file?.read(Buffer.alloc(TITLE_BYTES), 0, TITLE_BYTES, 0);
  return start?.buffer.toString("utf8", 0, start.bytesRead) ?? "";
}

async function openSession(
  id: string,
  place: Pick<LineFileOptions, "path" | "leasePath" | "owner" | "lease">,
): Promise<Session> {
  let quarantinedBytes = 0;
  const { lines, bytes } = await openLineFile({
    ...place,
    name: `The session "${id}"`,
    code: "session",
    async keepsTail(tail) {
      if (parseEntry(tail.toString("utf8"))) return true;
      await appendFile(`${place.path}${QUARANTINE}`, tail, { mode: 0o600 });
      quarantinedBytes = tail.length;
      return false;
    },
  });
  const { entries, skippedLines } = parseEntries(bytes.toString("utf8"));
  return {
    id,
    damage: { skippedLines, quarantinedBytes },
    entries: () => entries,
    async append(entry, options) {
      await lines.append(encodeEntry(entry), options);
      entries.push(entry);
    },
    close: () => lines.close(),
  };
}

async function rewriteSession(
  path: string,
  how: Pick<LineFileOptions, "leasePath" | "owner" | "lease"> & {
    readonly edit: Parameters<SessionStore["rewrite"]>[1];
  },
): Promise<boolean> {
  const { edit, ...place } = how;
  const { lines, bytes } = await openLineFile({ ...place, path, name: "The session", code: "session" });
  try {
    const { entries } = parseEntries(bytes.toString("utf8"));
    const edited = edit(entries).map(encodeEntry).join("");
    if (edited === entries.map(encodeEntry).join("")) return false;
    await lines.replace(edited);
    await rm(`${path}.quarantine`, { force: true });
    return true;
  } finally {
    await lines.close();
  }
}

/** The same for all who ask, also when many ask at once for the first time. */
async function loadSecret(folder: string): Promise<Uint8Array> {
  const path = join(folder, "pauses.secret");
  const known = await readOptional(path);
  if (known) return known;
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, randomBytes(SECRET_BYTES), { flag: "wx", mode: 0o600, flush: true });
  try {
    // A link appears whole or not at all, and never over another one.
    await link(own, path);
    await syncFolder(folder);
  } catch (thrown) {
    if (!hasErrorCode(thrown, "EEXIST")) throw thrown;
  } finally {
    await rm(own, { force: true });
  }
  return readFile(path);
}
