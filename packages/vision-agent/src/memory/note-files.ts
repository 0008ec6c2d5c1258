// Markdown lines → the end of their file, in turn, and durably
import { readdirSync, statSync } from "node:fs";
import PQueue from "p-queue";
import { errorCode, type FilePort } from "../workspace/file-port.ts";
import type { NotePlace } from "./memory.ts";
import { dayOfFile, KNOWLEDGE_FILE, PREFERENCES_FILE, PREFERENCES_HEADING } from "./note-text.ts";

/** How to tell without reading it that a file has not changed. */
export interface FileStamp {
  /** The same as long as the file is. */
  readonly mark: string;
  /** When it was last written, milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** Stamps of files, as the disk gives them. */
export interface FileStamps {
  /** Names of the files of a folder that end with `.md`; empty when there is no such folder. */
  names(folder: string): readonly string[];
  /** Undefined when there is no such file. */
  stamp(path: string): FileStamp | undefined;
}

/** Not asynchronous: a year of files takes a millisecond this way and ten the other, before every search. */
export const nodeStamps: FileStamps = {
  names: (folder) => {
    try {
      return readdirSync(folder).filter((name) => name.endsWith(".md"));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return [];
      throw error;
    }
  },
  stamp: (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    return { mark: `${found.mtimeMs}:${found.size}:${found.ino}`, modifiedMs: found.mtimeMs };
  },
};

export interface NoteFilesOptions {
  readonly files: FilePort;
  readonly stamps: FileStamps;
  /** Absolute path of the workspace. */
  readonly folder: string;
}

/** The Markdown files of memory. They are only ever added to, unless something is forgotten: what a person wrote stays as it is. Rejects with `StoreError`. */
export class NoteFiles {
  readonly #options: NoteFilesOptions;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(options: NoteFilesOptions) {
    this.#options = options;
  }

  /** Absent when there is no such file. */
  read(path: string): Promise<string | undefined> {
    return this.#options.files.readText(this.#absolute(path));
  }

  /** Every file of memory that there is, oldest day first, by its path inside the workspace. */
  stamps(): ReadonlyMap<string, FileStamp> {
    const { stamps } = this.#options;
    const names = stamps.names(this.#absolute("memory")).toSorted();
    const paths = [PREFERENCES_FILE, ...names.map((name) => `memory/${name}`)];
    const found = paths.map((path) => [path, stamps.stamp(this.#absolute(path))] as const);
    return new Map(found.flatMap(([path, stamp]) => (stamp === undefined ? [] : [[path, stamp]])));
  }

  /**
   * Adds what `write` makes of the present text; nothing when that is empty. One at a time, so that what `write` saw
   * is still so. Says where the addition begins.
   */
  append(path: string, write: (text: string) => string): Promise<NotePlace | undefined> {
    return this.#queue.add(() => this.#append(path, write));
  }

  /** Replaces the file by what `change` makes of its text. One at a time, as with `append`. */
  rewrite(path: string, change: (text: string) => string): Promise<void> {
    return this.#queue.add(async () => {
      const text = (await this.read(path)) ?? "";
      const changed = change(text);
      if (changed !== text) await this.#options.files.writeAtomic(this.#absolute(path), changed);
    });
  }

  async #append(path: string, write: (text: string) => string): Promise<NotePlace | undefined> {
    const text = (await this.read(path)) ?? "";
    const added = write(text);
    if (added === "") return undefined;
    const lead = leadTo(path, text);
    await this.#options.files.append(this.#absolute(path), lead + added);
    return { path, line: (text + lead).split("\n").length };
  }

  #absolute(path: string): string {
    // Not `join`: it takes as long as asking the disk, for every file before every search.
    return `${this.#options.folder}/${path}`;
  }
}

/** What stands between the present text and a new item: the end of a torn line, a title, a heading. */
function leadTo(path: string, text: string): string {
  if (text.trim() === "") return `${text === "" || text.endsWith("\n") ? "" : "\n"}${titleOf(path)}\n\n`;
  const end = text.endsWith("\n") ? "" : "\n";
  if (path !== PREFERENCES_FILE) return end;
  const last = text.match(/^#{1,6} .*$/gm)?.at(-1);
  const isUnderHeading = last?.trim().toLowerCase() === `## ${PREFERENCES_HEADING}`.toLowerCase();
  return isUnderHeading ? end : `${end}\n## ${PREFERENCES_HEADING}\n\n`;
}

function titleOf(path: string): string {
  if (path === PREFERENCES_FILE) return `# About you\n\n## ${PREFERENCES_HEADING}`;
  return path === KNOWLEDGE_FILE ? "# Knowledge" : `# ${dayOfFile(path) ?? path}`;
}
