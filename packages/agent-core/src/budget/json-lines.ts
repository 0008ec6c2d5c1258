// values → lines of one file, on disk before they count → values again after a crash
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { acquireLease, type Lease } from "../session/lease.ts";
import { AgentError, toAgentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";

const NEWLINE = 0x0a;

export interface JsonLinesOptions<T> {
  /** Its folder is made when it is missing. */
  readonly path: string;
  /** Who writes, for the message that another writer reads. */
  readonly owner: string;
  /** Undefined for a value that cannot be used; its line is skipped and counted. */
  parse(value: Json): T | undefined;
}

/** A log of one writer that survives `kill -9`. */
export interface JsonLines<T> {
  /** What was there when it was opened, oldest first. */
  readonly loaded: readonly T[];
  /** Whole lines that could not be read. A torn end is none of them: nobody was told that it was written. */
  readonly skippedLines: number;
  /** Resolves when the line is on disk. Throws `AgentError` kind `agent`, code `log_write`; nothing is written then. */
  append(value: T): Promise<void>;
  /** These instead of everything before, wholly or not at all. */
  replace(values: readonly T[]): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Throws `AgentError` kind `invalid`, code `log_busy` while another process writes to it. */
export async function openJsonLines<T>(options: JsonLinesOptions<T>): Promise<JsonLines<T>> {
  const { path, owner, parse } = options;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const lease = await acquireLease(`${path}.lease`, owner);
  if ("heldBy" in lease) throw logBusy(path, lease.heldBy);
  let file: FileHandle | undefined;
  try {
    file = await open(path, "a+", 0o600);
    const bytes = await file.readFile();
    const size = bytes.lastIndexOf(NEWLINE) + 1;
    if (size < bytes.length) await file.truncate(size);
    return new JsonLinesFile({ path, file, lease, size, ...parseLines(bytes.subarray(0, size), parse) });
  } catch (thrown) {
    await file?.close();
    await lease.release();
    throw thrown;
  }
}

function parseLines<T>(bytes: Buffer, parse: JsonLinesOptions<T>["parse"]): { loaded: T[]; skippedLines: number } {
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  const loaded = lines.map((line) => parseLine(line, parse)).filter((value) => value !== undefined);
  return { loaded, skippedLines: lines.length - loaded.length };
}

function parseLine<T>(line: string, parse: JsonLinesOptions<T>["parse"]): T | undefined {
  try {
    return parse(JSON.parse(line) as Json);
  } catch {
    return undefined;
  }
}

interface OpenLog<T> {
  readonly path: string;
  readonly file: FileHandle;
  readonly lease: Lease;
  readonly size: number;
  readonly loaded: readonly T[];
  readonly skippedLines: number;
}

class JsonLinesFile<T> implements JsonLines<T> {
  readonly loaded: readonly T[];
  readonly skippedLines: number;
  readonly #path: string;
  readonly #lease: Lease;
  #file: FileHandle;
  #size: number;
  #last: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(log: OpenLog<T>) {
    this.loaded = log.loaded;
    this.skippedLines = log.skippedLines;
    this.#path = log.path;
    this.#lease = log.lease;
    this.#file = log.file;
    this.#size = log.size;
  }

  append(value: T): Promise<void> {
    return this.#enqueue(() => this.#write(value));
  }

  replace(values: readonly T[]): Promise<void> {
    return this.#enqueue(() => this.#rewrite(values));
  }

  close(): Promise<void> {
    this.#closed ??= this.#last.then(async () => {
      await this.#file.close();
      await this.#lease.release();
    });
    return this.#closed;
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    if (this.#closed) return Promise.reject(logClosed(this.#path));
    const written = this.#last.then(work).catch((thrown: unknown) => {
      throw toAgentError(thrown, { kind: "agent", code: "log_write" });
    });
    this.#last = written.catch(() => undefined);
    return written;
  }

  async #write(value: T): Promise<void> {
    const line = Buffer.from(toLine(value));
    try {
      await this.#file.appendFile(line);
      await this.#file.datasync();
    } catch (thrown) {
      // Half a line (a full disk) must not become the beginning of the next one.
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw thrown;
    }
    this.#size += line.length;
  }

  async #rewrite(values: readonly T[]): Promise<void> {
    const bytes = Buffer.from(values.map(toLine).join(""));
    const aside = `${this.#path}.next`;
    const next = await open(aside, "w", 0o600);
    try {
      await next.writeFile(bytes);
      await next.sync();
    } finally {
      await next.close();
    }
    await rename(aside, this.#path);
    await syncFolder(dirname(this.#path));
    const reopened = await open(this.#path, "a+", 0o600);
    await this.#file.close();
    this.#file = reopened;
    this.#size = bytes.length;
  }
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The new name itself must be on disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function logBusy(path: string, holder: string): AgentError {
  return new AgentError({ kind: "invalid", code: "log_busy", message: `"${path}" is being written to by ${holder}.` });
}

function logClosed(path: string): AgentError {
  return new AgentError({ kind: "invalid", code: "log_closed", message: `"${path}" is closed.` });
}
