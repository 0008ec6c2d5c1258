// entries → <folder>/<id>.jsonl, one line each, on disk before it counts
import { type FileHandle, mkdir, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AgentError, toAgentError } from "../types/errors.ts";
import { hasErrorCode } from "./error-code.ts";
import { acquireLease, type Lease } from "./lease.ts";
import { assertSessionId, isSessionId, sessionBusy } from "./session-id.ts";
import type { Session, SessionStore, SessionSummary, TranscriptDamage, TranscriptEntry } from "./session-store.ts";
import { loadSecret, syncFolder } from "./store-folder.ts";
import { encodeEntry, toTitle } from "./transcript-codec.ts";
import { type LoadedTranscript, loadTranscript, parseLines, readStart, readTranscript } from "./transcript-file.ts";

const SUFFIX = ".jsonl";
const READ_AT_ONCE = 32;
/** Enough for the first message of the person. */
const TITLE_BYTES = 65_536;

/** Where transcripts live. */
export interface FileSessionStoreOptions {
  /** Made when it is missing. */
  readonly folder: string;
  /** Who writes, for the message that another writer reads. */
  readonly owner: string;
}

/** VA-19: JSONL, append only, one writer per session, survives `kill -9`. */
export function createFileSessionStore({ folder, owner }: FileSessionStoreOptions): SessionStore {
  const pathOf = (id: string): string => toPath(folder, id);
  const sizeOf = async (id: string): Promise<number> =>
    stat(pathOf(id)).then(
      ({ size }) => size,
      () => 0,
    );
  return {
    async open(id) {
      assertSessionId(id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const lease = await acquireLease(join(folder, `${id}.lease`), owner);
      if ("heldBy" in lease) throw sessionBusy(id, lease.heldBy);
      return openFile(id, folder, lease);
    },
    secret: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return loadSecret(folder);
    },
    read: async (id) => (isSessionId(id) ? readTranscript(pathOf(id)) : []),
    has: async (id) => isSessionId(id) && (await sizeOf(id)) > 0,
    async list() {
      const names = await readFolder(folder);
      const ids = names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
      const summaries: (SessionSummary | undefined)[] = [];
      // A few files at a time: a house may have more sessions than a process may have files open.
      for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
        const some = ids.slice(at, at + READ_AT_ONCE).filter(isSessionId);
        summaries.push(...(await Promise.all(some.map((id) => summarize(id, pathOf(id))))));
      }
      return summaries.filter((summary) => summary !== undefined).sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    },
  };
}

function toPath(folder: string, id: string): string {
  return join(folder, `${id}${SUFFIX}`);
}

async function readFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (hasErrorCode(thrown, "ENOENT")) return [];
    throw thrown;
  }
}

async function summarize(id: string, path: string): Promise<SessionSummary | undefined> {
  const start = await readStart(path, TITLE_BYTES);
  if (!start || start.length === 0) return undefined;
  const { mtime } = await stat(path);
  return { id, updatedAt: mtime.toISOString(), title: toTitle(parseLines(start).entries) };
}

async function openFile(id: string, folder: string, lease: Lease): Promise<Session> {
  const path = toPath(folder, id);
  let file: FileHandle | undefined;
  try {
    file = await open(path, "a+", 0o600);
    const loaded = await loadTranscript(path, file);
    // A file whose name is not on disk is lost with all its lines.
    if (loaded.size === 0) await syncFolder(folder);
    return new FileSession({ id, file, lease, loaded });
  } catch (thrown) {
    await file?.close();
    await lease.release();
    throw thrown;
  }
}

class FileSession implements Session {
  readonly id: string;
  readonly damage: TranscriptDamage;
  readonly #file: FileHandle;
  readonly #lease: Lease;
  readonly #entries: TranscriptEntry[];
  #size: number;
  #unsynced = false;
  #last: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(options: {
    readonly id: string;
    readonly file: FileHandle;
    readonly lease: Lease;
    readonly loaded: LoadedTranscript;
  }) {
    this.id = options.id;
    this.damage = options.loaded.damage;
    this.#file = options.file;
    this.#lease = options.lease;
    this.#entries = options.loaded.entries;
    this.#size = options.loaded.size;
  }

  entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  append(entry: TranscriptEntry, { sync = true }: { readonly sync?: boolean } = {}): Promise<void> {
    if (this.#closed) return Promise.reject(closedError(this.id));
    const written = this.#last.then(() => this.#write(entry, sync));
    this.#last = written.catch(() => undefined);
    return written;
  }

  close(): Promise<void> {
    this.#closed ??= this.#last.then(async () => {
      try {
        if (this.#unsynced) await this.#file.sync();
        await this.#file.close();
      } finally {
        await this.#lease.release();
      }
    });
    return this.#closed;
  }

  async #write(entry: TranscriptEntry, sync: boolean): Promise<void> {
    const line = Buffer.from(encodeEntry(entry));
    try {
      await this.#file.appendFile(line);
      if (sync) await this.#file.sync();
      this.#unsynced = !sync;
    } catch (thrown) {
      // Half a line (a full disk) must not become the beginning of the next one.
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw toAgentError(thrown, { kind: "agent", code: "session_write" });
    }
    this.#size += line.length;
    this.#entries.push(entry);
  }
}

function closedError(id: string): AgentError {
  return new AgentError({ kind: "invalid", code: "session_closed", message: `The session "${id}" is closed.` });
}
