import type { Database } from "../store/open-database.ts";

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
export function createTables(database: Database): void {
  if (database.first("pragma user_version")?.user_version === VERSION) return;
  database.transaction(() => {
    for (const name of ["files", "cameras", "notes", "words", "vectors", "settings"]) {
      database.execute(`drop table if exists ${name}`);
    }
    database.execute(`${TABLES}; pragma user_version = ${VERSION}`);
  });
}
