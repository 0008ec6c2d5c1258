// notes → Markdown files, the truth → index → answers

import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import PQueue from "p-queue";
import { type ForgetfulStore, type ForgetTarget, type Forgotten, toForgotten } from "../store/forget-target.ts";
import { isDamaged } from "../store/open-database.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { appendRollUps, type EventsBetween } from "./append-roll-ups.ts";
import { isForgotten } from "./forget-notes.ts";
import { addDays, createLocalTime, type LocalTime } from "./local-time.ts";
import type { Memory, MemoryAnswer, MemoryFilter, MemoryNote, NotePlace } from "./memory.ts";
import { type FileStamps, NoteFiles, nodeStamps } from "./note-files.ts";
import { type IndexedNote, type OpenNoteIndex, openNoteIndex, setAside } from "./note-index.ts";
import {
  dayFile,
  fileOf,
  type ParsedNote,
  parseNotes,
  toMarkdown,
  withoutComments,
  withoutNotes,
} from "./note-text.ts";
import type { Embedder } from "./open-engine-embedder.ts";
import { toRecentObservations } from "./recent-observations.ts";
import { searchNotes, toScope } from "./search-notes.ts";
import { VectorIndex } from "./vector-index.ts";

export interface MarkdownMemoryOptions {
  readonly files: FilePort;
  /** Absolute path of the workspace, with its folders `memory` and `.index`. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** IANA name of the zone whose days and hours are meant, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Told what goes wrong without stopping anything. Must not throw. */
  readonly onNotice: (message: string) => void;
  /** The text model, once it is there. Until then, and when it rejects, search is by words. */
  readonly embedder?: Promise<Embedder>;
  /** Told of each search, so that what is missing is fetched. Must not throw. */
  readonly onSearch?: () => void;
  /** Takes secrets out of everything that is stored. Default: nothing is taken out. */
  readonly redact?: (text: string) => string;
  /** Default: those of the real disk. */
  readonly stamps?: FileStamps;
}

/** Memory with what its owner needs besides. */
export interface OpenMemory extends Memory {
  /** Adds summaries of the hours and days that have ended; each once, however often it is called. Says how many lines. */
  rollUp(events: EventsBetween): Promise<number>;
  /** Notes about the camera in that time, also in summaries and in the index. */
  forget: ForgetfulStore["forget"];
  /** The notes of one file of memory, as they stand. */
  notesIn(path: string): Promise<readonly ParsedNote[]>;
  /** Takes out the last note of the file that says this; false when there is none. */
  removeNote(path: string, text: string): Promise<boolean>;
  /** Everything in the index after it has caught up with the files, in the order of files and lines. */
  indexed(): Promise<readonly IndexedNote[]>;
  /** Resolves when the index has caught up and every note has a vector, where there is a model for it. */
  settled(): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

const NOTES_AT_ONCE = 16;
const LOADED_AT_ONCE = 256;
/** A file written so shortly before it was read may have been written again within the same tick of the disk's clock. */
const TICK_MS = 2000;
const WORDS_ONLY = "notes that say the same in other words may be missing";

/** Throws `RangeError` for an unknown time zone, `StoreError`, or what SQLite says of a path that cannot be used. */
export async function openMarkdownMemory(options: MarkdownMemoryOptions): Promise<OpenMemory> {
  const path = join(options.folder, ".index", "memory.db");
  const index = await openNoteIndex({ ...options, path });
  const memory = new MarkdownMemory(options, index);
  memory.catchUpSoon();
  return memory;
}

class MarkdownMemory implements OpenMemory {
  readonly #options: MarkdownMemoryOptions;
  readonly #files: NoteFiles;
  readonly #toLocal: (ms: number) => LocalTime;
  readonly #redact: (text: string) => string;
  #index: OpenNoteIndex;
  #embedder: Embedder | undefined;
  #vectors: VectorIndex | undefined;
  #embedderProblem = "the text model is not here yet";
  readonly #queue = new PQueue({ concurrency: 1 });
  #filling: Promise<void> | undefined;
  #closed = false;

  constructor(options: MarkdownMemoryOptions, index: OpenNoteIndex) {
    this.#options = options;
    this.#index = index;
    this.#files = new NoteFiles({ stamps: nodeStamps, ...options });
    this.#toLocal = createLocalTime(options.timeZone);
    this.#redact = options.redact ?? ((text) => text);
    options.embedder?.then(
      (embedder) => this.#takeEmbedder(embedder),
      (error: unknown) => this.#lackEmbedder(error),
    );
  }

  async store(note: MemoryNote): Promise<NotePlace> {
    const at = this.#toLocal(this.#options.now());
    const markdown = toMarkdown(redactNote(note, this.#redact), at);
    const place = await this.#files.append(fileOf(note, at.day), () => markdown);
    this.catchUpSoon();
    return place!;
  }

  /** In the background; a search waits for it. */
  catchUpSoon(): void {
    this.#catchUp().catch((error: unknown) => this.#options.onNotice(`Memory is not indexed: ${reasonOf(error)}`));
  }

  async search(query: string, filter: MemoryFilter = {}): Promise<MemoryAnswer> {
    const scope = toScope(filter);
    this.#options.onSearch?.();
    const [vector] = await Promise.all([this.#embedQuery(query), this.#catchUp()]);
    return this.#guarded(() => {
      const { database, notes } = this.#index;
      const vectors = this.#vectors;
      const passages = searchNotes({
        ...{ database, notes, query, filter, scope, today: this.#today() },
        ...(vector && vectors && { meaning: { vector, vectors } }),
      });
      const notice = this.#noticeFor(vector);
      return { passages, notice };
    });
  }

  async observations({ day = this.#today(), camera }: { day?: string; camera?: string } = {}): Promise<string> {
    const path = dayFile(day);
    const markdown = (await this.#files.read(path)) ?? "";
    if (camera === undefined) return withoutComments(markdown).trim();
    const own = parseNotes(path, markdown).filter((note) => note.camera?.toLowerCase() === camera.toLowerCase());
    return own.map(({ text, time = "" }) => `- ${time} [${camera}] ${text}`.replaceAll("\n", "\n  ")).join("\n");
  }

  async recentObservations({ days, maxTokens }: { days: number; maxTokens: number }): Promise<string> {
    const today = this.#today();
    const names = Array.from({ length: days }, (_, index) => addDays(today, index + 1 - days));
    const texts = names.map(async (day) => ({ day, markdown: (await this.#files.read(dayFile(day))) ?? "" }));
    return toRecentObservations(await Promise.all(texts), maxTokens);
  }

  async rollUp(events: EventsBetween): Promise<number> {
    const nowMs = this.#options.now();
    return appendRollUps({ files: this.#files, events, toLocal: this.#toLocal, nowMs, redact: this.#redact });
  }

  async notesIn(path: string): Promise<readonly ParsedNote[]> {
    return this.#files.stamps().has(path) ? parseNotes(path, (await this.#files.read(path)) ?? "") : [];
  }

  async removeNote(path: string, text: string): Promise<boolean> {
    const last = (await this.notesIn(path)).findLast((note) => note.text === text);
    if (last === undefined) return false;
    const goes = (note: ParsedNote): boolean => note.line === last.line && note.text === text;
    await this.#files.rewrite(path, (markdown) => withoutNotes(path, markdown, goes).text);
    this.catchUpSoon();
    return true;
  }

  async forget(target: ForgetTarget, { preview }: { readonly preview: boolean }): Promise<Forgotten> {
    const goes = (note: ParsedNote): boolean => isForgotten(note, target, this.#toLocal);
    const found: ParsedNote[] = [];
    for (const path of this.#files.stamps().keys()) {
      await this.#files.rewrite(path, (markdown) => {
        const { text, removed } = withoutNotes(path, markdown, goes);
        found.push(...removed);
        return preview ? markdown : text;
      });
    }
    if (!preview) await this.#purge();
    return toForgotten(found.map(({ path, line, text }) => `${path}:${line} ${text}`));
  }

  /** The index as if the notes had never been; one that was set aside is gone, too. */
  async #purge(): Promise<void> {
    await this.#catchUp();
    await this.#filling;
    await this.#queue.add(() => this.#guarded(() => this.#index.database.purge()));
    const path = join(this.#options.folder, ".index", "memory.db.broken");
    for (const ending of ["", "-wal", "-shm"]) await this.#options.files.remove(`${path}${ending}`);
  }

  async indexed(): Promise<readonly IndexedNote[]> {
    await this.#catchUp();
    return this.#guarded(() => this.#index.notes.notes());
  }

  async settled(): Promise<void> {
    await this.#options.embedder?.catch(() => undefined); // without it there are no vectors to wait for
    await this.#catchUp();
    await this.#filling;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.onIdle();
    await this.#filling;
    this.#index.database.close();
  }

  #today(): string {
    return this.#toLocal(this.#options.now()).day;
  }

  /** One at a time: each sees what the one before has done. */
  #catchUp(): Promise<void> {
    return this.#queue.add(() => this.#guarded(() => this.#readChanges()));
  }

  async #readChanges(): Promise<void> {
    if (this.#closed) return;
    const { notes } = this.#index;
    const stamps = this.#files.stamps();
    for (const [path, stamp] of stamps) {
      const known = notes.files().get(path);
      if (known?.mark === stamp.mark && known.checkedMs - stamp.modifiedMs > TICK_MS) continue;
      const nowMs = this.#options.now();
      const text = (await this.#files.read(path)) ?? "";
      // A person may have written a password into a file: the index and its answers do without it.
      const parse = (markdown: string): readonly ParsedNote[] => parseNotes(path, this.#redact(markdown));
      await notes.update(path, { stamp, text, nowMs }, parse, nextTurn);
    }
    const gone = [...notes.files().keys()].filter((path) => !stamps.has(path));
    for (const path of gone) await notes.remove(path, nextTurn);
    this.#fill();
  }

  /** A damaged index is set aside, and everything is read again. */
  async #guarded<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isDamaged(error)) throw error;
      const path = join(this.#options.folder, ".index", "memory.db");
      this.#index.database.close();
      await setAside({ ...this.#options, path });
      this.#index = await openNoteIndex({ ...this.#options, path });
      if (this.#embedder) this.#vectors = new VectorIndex(this.#index.database, this.#embedder);
      await this.#readChanges();
      return work();
    }
  }

  #takeEmbedder(embedder: Embedder): void {
    if (this.#closed) return;
    this.#embedder = embedder;
    this.#vectors = new VectorIndex(this.#index.database, embedder);
    this.#fill();
  }

  #lackEmbedder(error: unknown): void {
    const problem = `the text model cannot be used (${reasonOf(error)})`;
    if (this.#closed || problem === this.#embedderProblem) return;
    this.#embedderProblem = problem;
    this.#options.onNotice(`Memory is searched by words only: ${problem}`);
  }

  async #embedQuery(query: string): Promise<Float32Array | undefined> {
    if (query.trim() === "") return undefined;
    try {
      return (await this.#embedder?.embed([query]))?.[0];
    } catch (error) {
      this.#lackEmbedder(error);
      return undefined;
    }
  }

  #noticeFor(vector: Float32Array | undefined): string | undefined {
    if (vector === undefined) return `Searched by words only: ${this.#embedderProblem}, so ${WORDS_ONLY}.`;
    const waiting = this.#vectors?.countWaiting() ?? 0;
    if (waiting === 0) return undefined;
    return `${waiting} notes were searched by words only: they are not yet ready for more, so ${WORDS_ONLY}.`;
  }

  #fill(): void {
    this.#filling ??= this.#fillVectors().finally(() => {
      this.#filling = undefined;
    });
  }

  async #fillVectors(): Promise<void> {
    try {
      while (!this.#closed && this.#vectors?.load(LOADED_AT_ONCE)) await nextTurn();
      for (;;) {
        const notes = this.#closed ? [] : (this.#vectors?.waiting(NOTES_AT_ONCE) ?? []);
        if (notes.length === 0 || this.#embedder === undefined) break;
        const vectors = await this.#embedder.embed(notes.map(({ body }) => body));
        if (!this.#closed) this.#vectors?.add(notes, vectors);
        await nextTurn();
      }
      while (!this.#closed && this.#vectors?.warmUp()) await nextTurn();
    } catch (error) {
      // The next note or search tries again.
      this.#lackEmbedder(error);
    }
  }
}

function redactNote(note: MemoryNote, redact: (text: string) => string): MemoryNote {
  const clean = Object.entries(note.metadata ?? {}).map(([key, value]) => [
    key,
    typeof value === "string" ? redact(value) : value,
  ]);
  return {
    ...note,
    content: redact(note.content),
    ...(note.metadata && { metadata: Object.fromEntries(clean) }),
  };
}
