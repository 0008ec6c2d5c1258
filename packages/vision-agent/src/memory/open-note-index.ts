// a path → the index; one that is damaged is set aside and begun anew

import { type Database, isDamaged, openDatabase } from "../store/open-database.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { NoteIndex } from "./note-index.ts";

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
