// parsed notes → tables for words and vectors
import { createHash } from "node:crypto";
import { type Database, isDamaged, openDatabase, type SqlRow } from "../store/open-database.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { dayNumber } from "./local-time.ts";
import type { MemoryCategory, NoteMetadata } from "./memory.ts";
import type { FileStamp } from "./note-files.ts";
import type { ParsedNote } from "./note-text.ts";

/** A note as the index holds it. */
export interface IndexedNote extends ParsedNote {
  /** Grows with the day: a range of days is a range of ids. */
  readonly id: number;
}

/** What is known of a file since it was last read. */
export interface CheckedFile {
  readonly mark: string;
  readonly hash: string;
  /** When it was read, milliseconds since 1970. */
  readonly checkedMs: number;
}

/** Room for so many notes a day, and for so many without a date. */
export const IDS_A_DAY = 2 ** 20;
/** So many changes are made at a time before others get their turn. */
const CHANGES_AT_ONCE = 200;

/** One statement or a few. */
type Change = () => void;

/** Notes of all files in tables. Only what has changed is written. */
export class NoteIndex {
  readonly #database: Database;
  readonly #files: Map<string, CheckedFile>;
  readonly #lastIds = new Map<number, number>();

  /** Throws what SQLite says. */
  constructor(database: Database) {
    createTables(database);
    this.#database = database;
    const rows = database.all("select path, mark, checked_ms, hash from files");
    this.#files = new Map(
      rows.map(({ path, mark, checked_ms, hash }) => [
        String(path),
        { mark: String(mark), hash: String(hash), checkedMs: Number(checked_ms) },
      ]),
    );
  }

  files(): ReadonlyMap<string, CheckedFile> {
    return this.#files;
  }

  /** Notes of one file as they are now; `yieldTurn` is awaited between portions of a big change. */
  async update(
    path: string,
    file: { readonly stamp: FileStamp; readonly text: string; readonly nowMs: number },
    parse: (text: string) => readonly ParsedNote[],
    yieldTurn: () => Promise<void>,
  ): Promise<void> {
    const hash = hashOf(file.text);
    if (this.#files.get(path)?.hash !== hash) await this.#apply(this.#changes(path, parse(file.text)), yieldTurn);
    const { mark } = file.stamp;
    this.#database.run("insert or replace into files values (?, ?, ?, ?)", path, mark, file.nowMs, hash);
    this.#files.set(path, { mark, hash, checkedMs: file.nowMs });
  }

  async remove(path: string, yieldTurn: () => Promise<void>): Promise<void> {
    await this.#apply(this.#changes(path, []), yieldTurn);
    this.#database.run("delete from files where path = ?", path);
    this.#files.delete(path);
  }

  /** All notes, in the order of their files and lines. */
  notes(): readonly IndexedNote[] {
    return this.#database.all("select * from notes order by path, line").map(toIndexedNote);
  }

  /** In no particular order. */
  load(ids: readonly number[]): readonly IndexedNote[] {
    const sql = "select n.* from json_each(?) j join notes n on n.id = j.value";
    return this.#database.all(sql, JSON.stringify(ids)).map(toIndexedNote);
  }

  /** The number that stands for a camera in the tables; undefined for one that no note is about. */
  cameraNumber(name: string): number | undefined {
    const row = this.#database.first("select number from cameras where name = ?", name.toLowerCase());
    return row === undefined ? undefined : Number(row.number);
  }

  #changes(path: string, parsed: readonly ParsedNote[]): readonly Change[] {
    const rows = this.#database.all("select id, line, hash from notes where path = ?", path);
    const known = Map.groupBy(rows, ({ hash }) => String(hash));
    const changes = parsed.flatMap((note): readonly Change[] => {
      const { line, path: _, ...content } = note;
      const hash = hashOf(JSON.stringify(content));
      const same = known.get(hash)?.shift();
      if (same === undefined) return [() => this.#add(note, hash)];
      if (same.line === line) return [];
      return [() => this.#database.run("update notes set line = ? where id = ?", line, Number(same.id))];
    });
    const gone = [...known.values()].flat().map(
      ({ id }): Change =>
        () =>
          this.#remove(Number(id)),
    );
    return [...gone, ...changes];
  }

  async #apply(changes: readonly Change[], yieldTurn: () => Promise<void>): Promise<void> {
    for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
      if (at > 0) await yieldTurn();
      const portion = changes.slice(at, at + CHANGES_AT_ONCE);
      this.#database.transaction(() => {
        for (const change of portion) change();
      });
    }
  }

  #add(note: ParsedNote, hash: string): void {
    const { path, line, category, text, heading, day, time, camera, metadata } = note;
    const id = this.#nextId(day);
    const cameraNumber = camera === undefined ? null : this.#ensureCamera(camera);
    const details = metadata === undefined ? null : JSON.stringify(metadata);
    this.#database.run(
      "insert into notes values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
      ...[id, path, line, category, text, heading, day ?? null, time ?? null, camera ?? null],
      ...[cameraNumber, details, hash],
    );
    const tag = cameraNumber === null ? "" : cameraTag(cameraNumber);
    this.#database.run("insert into words (rowid, body, tag) values (?, ?, ?)", id, bodyOf(note), tag);
  }

  #remove(id: number): void {
    const hadVector = this.#database.first("select has_vector from notes where id = ?", id)?.has_vector === 1;
    this.#database.run("delete from notes where id = ?", id);
    this.#database.run("delete from words where rowid = ?", id);
    if (hadVector) this.#database.run("delete from vectors where note_id = ?", BigInt(id));
  }

  /** Never one that was in use since the index was opened: somebody may still speak of it. */
  #nextId(day: string | undefined): number {
    const first = (day === undefined ? 0 : dayNumber(day)) * IDS_A_DAY;
    const sql = "select max(id) as last from notes where id >= ? and id < ?";
    const last = this.#lastIds.get(first) ?? this.#database.first(sql, first, first + IDS_A_DAY)?.last;
    const next = typeof last === "number" ? last + 1 : first;
    this.#lastIds.set(first, next);
    return next;
  }

  #ensureCamera(name: string): number {
    this.#database.run("insert or ignore into cameras (name) values (?)", name.toLowerCase());
    return this.cameraNumber(name)!;
  }
}

export interface OpenNoteIndex {
  readonly database: Database;
  readonly notes: NoteIndex;
}

export interface OpenNoteIndexOptions {
  /** Absolute path; the folder exists. */
  readonly path: string;
  readonly files: FilePort;
  /** Told when an index had to be set aside. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** Throws what SQLite says of a path that cannot be used at all. */
export async function openNoteIndex(options: OpenNoteIndexOptions): Promise<OpenNoteIndex> {
  try {
    return open(options.path);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    await setAside(options);
    return open(options.path);
  }
}

/** What is lost can be read again from the Markdown files. The database is closed. */
export async function setAside({ path, files, onNotice }: OpenNoteIndexOptions): Promise<void> {
  const aside = `${path}.broken`;
  await files.rename(path, aside);
  // Left behind they would be taken for those of the new one.
  for (const ending of ["-wal", "-shm"]) await files.remove(`${path}${ending}`);
  onNotice(`The index of memory was damaged and is built anew from the Markdown files; the old one is ${aside}.`);
}

function open(path: string): OpenNoteIndex {
  const database = openDatabase(path);
  try {
    return { database, notes: new NoteIndex(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Changes whenever the tables do; an index of another version is built anew. */
const VERSION = 1;

const TABLES = `
  create table files (path text primary key, mark text not null, checked_ms integer not null, hash text not null);
  create table cameras (number integer primary key, name text not null unique);
  create table notes (
    id integer primary key, path text not null, line integer not null, category text not null, text text not null,
    heading text not null, day text, time text, camera text, camera_number integer, metadata text,
    hash text not null, has_vector integer not null default 0
  );
  create index notes_by_path on notes (path);
  create index notes_without_vector on notes (id) where has_vector = 0;
  create virtual table words using fts5(body, tag, tokenize = 'porter unicode61 remove_diacritics 2');
  create table settings (name text primary key, value text not null);
`;

/** Makes the tables unless they are there. */
function createTables(database: Database): void {
  if (database.first("pragma user_version")?.user_version === VERSION) return;
  database.transaction(() => {
    for (const name of ["files", "cameras", "notes", "words", "vectors", "settings"]) {
      database.execute(`drop table if exists ${name}`);
    }
    database.execute(`${TABLES}; pragma user_version = ${VERSION}`);
  });
}

/** What words and vectors are made of. */
export function bodyOf({ camera, heading, text }: Pick<ParsedNote, "camera" | "heading" | "text">): string {
  return [camera, heading, text].filter((part) => part !== undefined && part !== "").join("\n");
}

/** A word that no person types, in a column of its own. */
export function cameraTag(cameraNumber: number): string {
  return `camera${cameraNumber}`;
}

function toIndexedNote(row: SqlRow): IndexedNote {
  const { id, path, line, category, text, heading, day, time, camera, metadata } = row;
  return {
    id: Number(id),
    path: String(path),
    line: Number(line),
    category: category as MemoryCategory,
    text: String(text),
    heading: String(heading),
    ...(typeof day === "string" && { day }),
    ...(typeof time === "string" && { time }),
    ...(typeof camera === "string" && { camera }),
    ...(typeof metadata === "string" && { metadata: JSON.parse(metadata) as NoteMetadata }),
  };
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("base64url");
}
