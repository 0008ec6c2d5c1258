// entries → lines of a file of bounded size → entries again
import { createJsonLines, type JsonLines } from "@vision-agent/agent-core/node";
import PQueue from "p-queue";
import type { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";

export interface BoundedLogOptions<T> {
  readonly files: FilePort;
  /** Absolute path; the folder exists. */
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** The newest so many are kept, in memory and, after compaction, on disk. */
  readonly maxEntries: number;
  /** Takes secrets out of the texts of what is written. Default: nothing is taken out. */
  readonly redact?: <E>(entry: E) => E;
}

export type BoundedLog<T> = Pick<CompactedLog<T>, keyof CompactedLog<T>>;

/** Reads what is there; a torn tail and lines that nobody understands are left out and counted. */
export async function openBoundedLog<T>(options: BoundedLogOptions<T>): Promise<BoundedLog<T>> {
  const { files, path, schema, maxEntries, redact = (entry) => entry } = options;
  const text = (await files.readText(path)) ?? "";
  const target = {
    append: (lines: string) => files.append(path, lines),
    replace: (lines: string) => files.writeAtomic(path, lines),
    close: async () => undefined,
  };
  const lines = createJsonLines(target, text, (value) => schema.safeParse(value).data);
  return new CompactedLog(lines, maxEntries, redact);
}

/** An append-only log of bounded size. What cannot be written now stays in memory and goes out with the next append. */
class CompactedLog<T> {
  /** Lines that could not be read when the log was opened, such as one torn by a crash. */
  readonly unreadable: number;
  readonly #lines: JsonLines<T>;
  readonly #maxEntries: number;
  readonly #redact: (entry: T) => T;
  readonly #entries: T[];
  readonly #queue = new PQueue({ concurrency: 1 });
  #unwritten: T[] = [];
  #lineCount: number;

  constructor(lines: JsonLines<T>, maxEntries: number, redact: (entry: T) => T) {
    this.#redact = redact;
    this.unreadable = lines.skippedLines;
    this.#lines = lines;
    this.#maxEntries = maxEntries;
    this.#entries = lines.loaded.slice(-maxEntries);
    this.#lineCount = lines.loaded.length + lines.skippedLines;
  }

  /** Oldest first. */
  entries(): readonly T[] {
    return this.#entries;
  }

  /** Resolves when the disk has it. Rejects with `StoreError`; the entry is kept in memory all the same. */
  append(entry: T): Promise<void> {
    this.#entries.push(entry);
    if (this.#entries.length > this.#maxEntries) this.#entries.shift();
    this.#unwritten.push(entry);
    return this.#queue.add(() => this.#writeOut());
  }

  /** What `change` makes of each entry, in place of it; undefined takes it out. Nothing of before stays in the file. */
  rewrite(change: (entry: T) => T | undefined): Promise<void> {
    return this.#queue.add(async () => {
      const kept = this.#entries.flatMap((entry) => change(entry) ?? []);
      await this.#lines.replace(kept);
      this.#entries.splice(0, this.#entries.length, ...kept);
      this.#unwritten = [];
      this.#lineCount = kept.length;
    });
  }

  /** Resolves when everything appended so far is on disk or has failed. */
  settled(): Promise<void> {
    return this.#queue.onIdle();
  }

  async #writeOut(): Promise<void> {
    // A moment later, so that entries which come together are written together.
    await Promise.resolve();
    const batch = this.#unwritten;
    // An earlier call of the queue took this entry along.
    if (batch.length === 0) return;
    this.#unwritten = [];
    try {
      await this.#write(batch);
    } catch (error) {
      this.#unwritten = [...batch, ...this.#unwritten].slice(-this.#maxEntries);
      throw error;
    }
  }

  async #write(batch: readonly T[]): Promise<void> {
    if (this.#lineCount + batch.length <= 2 * this.#maxEntries) {
      await this.#lines.appendAll(batch.map(this.#redact));
      this.#lineCount += batch.length;
      return;
    }
    const kept = [...this.#entries];
    await this.#lines.replace(kept.map(this.#redact));
    this.#lineCount = kept.length;
  }
}
