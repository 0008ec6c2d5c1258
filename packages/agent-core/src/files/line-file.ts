// lines → one file, one after the other, on disk before they count

import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import PQueue from "p-queue";
import { type AgentError, agentError, toAgentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";
import { acquireLease, type Lease, type LeaseTimes } from "./lease.ts";
import { syncFolder, writeAtomically } from "./whole-files.ts";

const NEWLINE = 0x0a;

/** What lines are written to: a file of this machine, or whatever a host has in its place. One call at a time. */
export interface LineTarget {
  /** Adds at the end. What a failed one left behind is cut off where possible. */
  append(text: string, options: { readonly sync: boolean }): Promise<void>;
  /** This instead of everything before, wholly or not at all. */
  replace(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Writes in the order of the calls. A failure does not hold up the next one, which begins on a line of its own. */
export class LineFile {
  readonly #target: LineTarget;
  readonly #closedError: () => AgentError;
  readonly #queue = new PQueue({ concurrency: 1 });
  /** The target does not end with a line break, or may not. */
  #isTorn: boolean;
  #closed: Promise<void> | undefined;

  constructor(target: LineTarget, options: { readonly isTorn: boolean; readonly closedError: () => AgentError }) {
    this.#target = target;
    this.#isTorn = options.isTorn;
    this.#closedError = options.closedError;
  }

  /** Resolves when the lines are on disk; without `sync`, when the system has them. */
  append(text: string, { sync = true }: { readonly sync?: boolean } = {}): Promise<void> {
    return this.#write(() => this.#target.append(this.#isTorn ? `\n${text}` : text, { sync }));
  }

  replace(text: string): Promise<void> {
    return this.#write(() => this.#target.replace(text));
  }

  /** May be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#queue.add(() => this.#target.close());
    return this.#closed;
  }

  #write(write: () => Promise<void>): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closedError());
    return this.#queue.add(async () => {
      const writing = write();
      this.#isTorn = true;
      await writing;
      this.#isTorn = false;
    });
  }
}

export interface LineFileOptions {
  /** Its folder is made when it is missing. */
  readonly path: string;
  /** Says who writes. Default: the path with `.lease` behind it. */
  readonly leasePath?: string;
  /** Who writes, for the message that another writer reads. */
  readonly owner: string;
  /** How messages call it. */
  readonly name: string;
  /** Default: those of this process. */
  readonly lease?: LeaseTimes | undefined;
  /** Begins the codes of errors: `log_busy`, `log_write`, `log_lost`, `log_closed`. */
  readonly code: "log" | "session";
  /** Whether a last line without its end counts. Default: it does not, for nobody was told that it was written. */
  keepsTail?(tail: Buffer): Promise<boolean>;
}

/**
 * Opens or creates; gives what is there, whole lines only. Throws `AgentError` kind `invalid`, code `…_busy` while
 * another process writes to it.
 */
export async function openLineFile(options: LineFileOptions): Promise<{ readonly lines: LineFile; bytes: Buffer }> {
  const { path, name, owner, code } = options;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const lease = await acquireLease(options.leasePath ?? `${path}.lease`, owner, options.lease);
  if ("heldBy" in lease) {
    const message = `${name} is being written to by ${lease.heldBy}. Close it there first.`;
    throw agentError("invalid", `${code}_busy`, message);
  }
  let file: FileHandle | undefined;
  try {
    file = await open(path, "a+", 0o600);
    const bytes = await mendTail(file, options);
    // A file whose name is not on disk is lost with all its lines.
    if (bytes.length === 0) await syncFolder(dirname(path));
    const target = new DiskLines({ path, file, lease, size: bytes.length, name, code });
    const closedError = (): AgentError => agentError("invalid", `${code}_closed`, `${name} is closed.`);
    return { lines: new LineFile(target, { isTorn: false, closedError }), bytes };
  } catch (thrown) {
    await file?.close();
    await lease.release();
    throw thrown;
  }
}

/** After this the file ends in a line break. */
async function mendTail(file: FileHandle, { keepsTail }: LineFileOptions): Promise<Buffer> {
  const bytes = await file.readFile();
  const whole = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
  const tail = bytes.subarray(whole.length);
  if (tail.length === 0) return whole;
  const isKept = (await keepsTail?.(tail)) ?? false;
  if (isKept) await file.appendFile("\n");
  else await file.truncate(whole.length);
  await file.sync();
  return isKept ? Buffer.concat([bytes, Buffer.of(NEWLINE)]) : whole;
}

interface OpenDiskLines {
  readonly path: string;
  readonly file: FileHandle;
  readonly lease: Lease;
  readonly size: number;
  readonly name: string;
  readonly code: LineFileOptions["code"];
}

class DiskLines implements LineTarget {
  readonly #options: OpenDiskLines;
  #file: FileHandle;
  #size: number;
  #isSynced = true;

  constructor(options: OpenDiskLines) {
    this.#options = options;
    this.#file = options.file;
    this.#size = options.size;
  }

  async append(text: string, { sync }: { readonly sync: boolean }): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#assertHeld();
    try {
      await this.#file.appendFile(bytes);
      if (sync) await this.#file.datasync();
      this.#isSynced = sync;
    } catch (thrown) {
      // Half a line (a full disk) is cut off. Where that fails too, the next line begins on its own.
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw this.#failed(thrown);
    }
    this.#size += bytes.length;
  }

  async replace(text: string): Promise<void> {
    const { path } = this.#options;
    const bytes = Buffer.from(text);
    await this.#assertHeld();
    try {
      await writeAtomically(path, bytes, `${path}.next`);
      await syncFolder(dirname(path));
      const reopened = await open(path, "a+", 0o600);
      await this.#file.close();
      this.#file = reopened;
    } catch (thrown) {
      throw this.#failed(thrown);
    }
    this.#size = bytes.length;
    this.#isSynced = true;
  }

  async close(): Promise<void> {
    try {
      if (!this.#isSynced) await this.#file.sync();
      await this.#file.close();
    } finally {
      await this.#options.lease.release();
    }
  }

  /** A process that slept too long may have lost its file to another one; somebody may have deleted it. */
  async #assertHeld(): Promise<void> {
    const { lease, name, code } = this.#options;
    // Lines that go to a file without a name are lost when it is closed.
    if ((await this.#file.stat()).nlink === 0) {
      throw agentError("agent", `${code}_lost`, `${name} was deleted while it was open: nothing more is written.`);
    }
    if (await lease.isHeld()) return;
    throw agentError("agent", `${code}_lost`, `${name} was taken over by another process: nothing more is written.`);
  }

  #failed(thrown: unknown): AgentError {
    return toAgentError(thrown, { kind: "agent", code: `${this.#options.code}_write` });
  }
}

/** A log of one writer that survives `kill -9`. */
export interface JsonLines<T> {
  /** What was there when it was opened, oldest first. */
  readonly loaded: readonly T[];
  /** Lines that could not be read. */
  readonly skippedLines: number;
  /** Resolves when the line is on disk. When it rejects, it does not count as written. */
  append(value: T): Promise<void>;
  /** All of them in one go. */
  appendAll(values: readonly T[]): Promise<void>;
  /** These instead of everything before, wholly or not at all. */
  replace(values: readonly T[]): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Where the lines are, who writes them and how they are read. */
export interface JsonLinesOptions<T> {
  /** Its folder is made when it is missing. */
  readonly path: string;
  /** Who writes, for the message that another writer reads. */
  readonly owner: string;
  /** Undefined for a value that cannot be used; its line is skipped and counted. */
  parse(value: Json): T | undefined;
}

/**
 * Throws `AgentError` kind `invalid`, code `log_busy` while another process writes to it. An append rejects with kind
 * `agent`, code `log_write`. A torn end is cut off: nobody was told that it was written.
 */
export async function openJsonLines<T>({ path, owner, parse }: JsonLinesOptions<T>): Promise<JsonLines<T>> {
  const { lines, bytes } = await openLineFile({ path, owner, name: `"${path}"`, code: "log" });
  return toJsonLines(lines, bytes.toString("utf8"), parse);
}

/** The same over a host's own storage. `text` is what is there; a torn end is read like any line. */
export function createJsonLines<T>(
  target: LineTarget,
  text: string,
  parse: JsonLinesOptions<T>["parse"],
): JsonLines<T> {
  const isTorn = text !== "" && !text.endsWith("\n");
  const closedError = (): AgentError => agentError("invalid", "log_closed", "The log is closed.");
  return toJsonLines(new LineFile(target, { isTorn, closedError }), text, parse);
}

function toJsonLines<T>(lines: LineFile, text: string, parse: JsonLinesOptions<T>["parse"]): JsonLines<T> {
  const found = text.split("\n").filter((line) => line !== "");
  const loaded = found.map((line) => parseLine(line, parse)).filter((value) => value !== undefined);
  return {
    loaded,
    skippedLines: found.length - loaded.length,
    append: (value) => lines.append(toText([value])),
    appendAll: (values) => lines.append(toText(values)),
    replace: (values) => lines.replace(toText(values)),
    close: () => lines.close(),
  };
}

function parseLine<T>(line: string, parse: JsonLinesOptions<T>["parse"]): T | undefined {
  try {
    return parse(JSON.parse(line) as Json);
  } catch {
    // A torn line: counted as skipped.
    return undefined;
  }
}

function toText(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
