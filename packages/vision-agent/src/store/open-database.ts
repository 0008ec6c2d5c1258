// a path → an SQLite database with full text and vector search
import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { load as loadVectorSearch } from "sqlite-vec";

export type SqlValue = SQLInputValue;
/** What a query gives: column → value. Blobs are `Uint8Array`. */
export type SqlRow = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;

/** Statements are prepared once and kept. Everything is synchronous: keep single steps short. */
export interface Database {
  /** Runs statements without values, such as the schema. */
  execute(sql: string): void;
  run(sql: string, ...values: readonly SqlValue[]): void;
  first(sql: string, ...values: readonly SqlValue[]): SqlRow | undefined;
  all(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[];
  /** All of it or, when `work` throws, nothing. May be nested. */
  transaction<T>(work: () => T): T;
  /** Writes the file anew without anything that was deleted, also in the log beside it. */
  purge(): void;
  /** May be called twice. */
  close(): void;
}

// The default of 2 MB makes adding vectors ten times slower.
const CACHE_KIB = 16_000;
const BUSY_MS = 5000;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** `:memory:` for one that is forgotten. Throws what SQLite says; `isDamaged` tells whether the file is to blame. */
export function openDatabase(path: string): Database {
  // SQLite gives its other files the mode of this one.
  if (path !== ":memory:") closeSync(openSync(path, "a", 0o600));
  const connection = new DatabaseSync(path, { allowExtension: true, timeout: BUSY_MS });
  try {
    loadVectorSearch(connection);
    connection.enableLoadExtension(false);
    connection.exec(
      `pragma journal_mode = wal; pragma synchronous = normal; pragma secure_delete = on; pragma cache_size = -${CACHE_KIB}`,
    );
  } catch (error) {
    connection.close();
    throw error;
  }
  return wrap(connection);
}

/** The file is not a database, or is a broken one. */
export function isDamaged(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  // The low byte is the kind, the rest says more.
  return typeof code === "number" && [CORRUPT, NOT_A_DATABASE].includes(code & 0xff);
}

function wrap(connection: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    execute: (sql) => connection.exec(sql),
    run: (sql, ...values) => void prepared(sql).run(...values),
    first: (sql, ...values) => prepared(sql).get(...values),
    all: (sql, ...values) => prepared(sql).all(...values),
    transaction: (work) => inTransaction(connection, work),
    purge() {
      statements.clear();
      connection.exec("vacuum; pragma wal_checkpoint(truncate)");
    },
    close() {
      statements.clear();
      if (connection.isOpen) connection.close();
    },
  };
}

function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  const nested = connection.isTransaction;
  connection.exec(nested ? "savepoint inner_step" : "begin immediate");
  try {
    const result = work();
    connection.exec(nested ? "release inner_step" : "commit");
    return result;
  } catch (error) {
    // A broken database ends its transaction by itself.
    if (connection.isTransaction) connection.exec(nested ? "rollback to inner_step; release inner_step" : "rollback");
    throw error;
  }
}
