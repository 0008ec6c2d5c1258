// entries → lines of a file that survives a kill → entries again
import type { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { parseJson } from "../workspace/parse-json.ts";

export interface JsonLinesOptions<T> {
  readonly files: FilePort;
  /** Absolute path; the folder exists. */
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** The newest so many are kept, in memory and, after compaction, on disk. */
  readonly maxEntries: number;
}

/** An append-only log of bounded size. What cannot be written now stays in memory and goes out with the next append. */
export interface JsonLines<T> {
  /** Oldest first. */
  entries(): readonly T[];
  /** Lines that could not be read when the log was opened, such as one torn by a crash. */
  readonly unreadable: number;
  /** Resolves when the disk has it. Rejects with `StoreError`; the entry is kept in memory all the same. */
  append(entry: T): Promise<void>;
  /** Resolves when everything appended so far is on disk or has failed. */
  settled(): Promise<void>;
}

/** Reads what is there; a torn tail and lines that nobody understands are left out and counted. */
export async function openJsonLines<T>(options: JsonLinesOptions<T>): Promise<JsonLines<T>> {
  const text = (await options.files.readText(options.path)) ?? "";
  return new JsonLinesFile(options, text);
}

class JsonLinesFile<T> implements JsonLines<T> {
  readonly unreadable: number;
  readonly #options: JsonLinesOptions<T>;
  readonly #entries: T[];
  #unwritten: T[] = [];
  #lines: number;
  /** The file does not end with a line break, or may not. */
  #torn: boolean;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: JsonLinesOptions<T>, text: string) {
    const lines = text.split("\n").filter((line) => line !== "");
    const read = lines.map((line) => parseLine(line, options.schema)).filter((entry) => entry !== undefined);
    this.#options = options;
    this.#entries = read.slice(-options.maxEntries);
    this.#lines = lines.length;
    this.#torn = text !== "" && !text.endsWith("\n");
    this.unreadable = lines.length - read.length;
  }

  entries(): readonly T[] {
    return this.#entries;
  }

  append(entry: T): Promise<void> {
    this.#entries.push(entry);
    if (this.#entries.length > this.#options.maxEntries) this.#entries.shift();
    this.#unwritten.push(entry);
    const written = this.#queue.then(() => this.#writeOut());
    // The caller of this append has the failure; the next one tries again.
    this.#queue = written.catch(() => undefined);
    return written;
  }

  async settled(): Promise<void> {
    await this.#queue;
  }

  async #writeOut(): Promise<void> {
    const batch = this.#unwritten;
    // An earlier call of the queue took this entry along.
    if (batch.length === 0) return;
    this.#unwritten = [];
    try {
      await this.#write(batch);
    } catch (error) {
      this.#unwritten = [...batch, ...this.#unwritten].slice(-this.#options.maxEntries);
      throw error;
    }
  }

  async #write(batch: readonly T[]): Promise<void> {
    const { files, path, maxEntries } = this.#options;
    if (this.#lines + batch.length > 2 * maxEntries) {
      const kept = [...this.#entries];
      await files.writeAtomic(path, toText(kept));
      this.#lines = kept.length;
    } else {
      const start = this.#torn ? "\n" : "";
      this.#torn = true;
      await files.append(path, start + toText(batch));
      this.#lines += batch.length;
    }
    this.#torn = false;
  }
}

function toText(entries: readonly unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

function parseLine<T>(line: string, schema: z.ZodType<T>): T | undefined {
  return schema.safeParse(parseJson(line)).data;
}
