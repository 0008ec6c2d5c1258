// notes → vectors; a vector → the notes nearest in meaning
import type { Database } from "../store/open-database.ts";
import { bodyOf } from "./note-index.ts";
import type { Embedder } from "./open-engine-embedder.ts";
import { VectorScan } from "./vector-scan.ts";
import type { SearchScope } from "./word-search.ts";

/** Below this two texts have nothing to do with each other. */
export const LEAST_SIMILARITY = 0.25;
/** Rows that vec0 keeps together; few make single ones quick to read and to add. */
const CHUNK_ROWS = 128;
/** With fewer vectors the first search is quick as well. */
const WORTH_WARMING = 10_000;
/** After so many searches the machine has its quick code for them. */
const WARMING_SEARCHES = 40;
const EVERYTHING: SearchScope = { firstId: 0, lastId: Number.MAX_SAFE_INTEGER };

/** A note that waits for its vector. */
export interface WaitingNote {
  readonly id: number;
  readonly hash: string;
  readonly body: string;
}

/** Vectors of notes: kept whole in the database, searched in memory. */
export class VectorIndex {
  readonly #database: Database;
  readonly #scan: VectorScan;
  #loadedTo = -1;
  #isLoaded = false;
  #warmings = 0;

  /** Vectors of another model are forgotten. Throws what SQLite says. */
  constructor(database: Database, { model, dimensions }: Pick<Embedder, "model" | "dimensions">) {
    this.#database = database;
    this.#scan = new VectorScan(dimensions);
    const kind = `${model} ${dimensions}`;
    if (database.first("select value from settings where name = 'vectors'")?.value === kind) return;
    database.transaction(() => {
      database.execute(`drop table if exists vectors; update notes set has_vector = 0;
        create virtual table vectors using vec0(note_id integer primary key, vector float[${Number(dimensions)}]
          distance_metric=cosine, chunk_size=${CHUNK_ROWS})`);
      database.run("insert or replace into settings values ('vectors', ?)", kind);
    });
  }

  /** Takes up vectors that the database has from before, so many at a time. False when there are no more. */
  load(limit: number): boolean {
    if (this.#isLoaded) return false;
    const sql = `select n.id, n.camera_number, v.vector from notes n join vectors v on v.note_id = n.id
      where n.has_vector = 1 and n.id > ? order by n.id limit ?`;
    const rows = this.#database.all(sql, this.#loadedTo, limit);
    for (const { id, camera_number, vector } of rows) {
      this.#loadedTo = Number(id);
      this.#scan.set(this.#loadedTo, Number(camera_number), toNumbers(vector as Uint8Array));
    }
    this.#isLoaded = rows.length < limit;
    return !this.#isLoaded;
  }

  /** Searches once for nothing: the first searches of a program take several times as long as later ones. False when that would help no more. */
  warmUp(): boolean {
    if (this.#scan.size < WORTH_WARMING || this.#warmings === WARMING_SEARCHES) return false;
    this.#warmings += 1;
    this.#scan.nearest(new Float32Array(this.#scan.dimensions).fill(1), EVERYTHING, 1);
    return true;
  }

  /** The newest of those without a vector. */
  waiting(limit: number): readonly WaitingNote[] {
    const sql = "select id, hash, camera, heading, text from notes where has_vector = 0 order by id desc limit ?";
    return this.#database.all(sql, limit).map(({ id, hash, camera, heading, text }) => ({
      id: Number(id),
      hash: String(hash),
      body: bodyOf({
        heading: String(heading),
        text: String(text),
        ...(camera !== null && { camera: String(camera) }),
      }),
    }));
  }

  /** Notes that cannot be found by meaning yet. */
  countWaiting(): number {
    const condition = this.#isLoaded ? "has_vector = 0" : `has_vector = 0 or id > ${this.#loadedTo}`;
    return Number(this.#database.first(`select count(*) as count from notes where ${condition}`)?.count);
  }

  /** Notes that were removed or changed in the meantime are left out. */
  add(notes: readonly WaitingNote[], vectors: readonly Float32Array[]): void {
    const sql = "select camera_number from notes where id = ? and hash = ? and has_vector = 0";
    this.#database.transaction(() => {
      for (const [index, { id, hash }] of notes.entries()) {
        const row = this.#database.first(sql, id, hash);
        if (row === undefined) continue;
        this.#database.run("insert into vectors values (?, ?)", BigInt(id), toBytes(vectors[index]!));
        this.#database.run("update notes set has_vector = 1 where id = ?", id);
        this.#scan.set(id, Number(row.camera_number), vectors[index]!);
      }
    });
  }

  /** Ids, nearest first; some may belong to notes that are gone. */
  search(vector: Float32Array, scope: SearchScope, limit: number): readonly number[] {
    const near = this.#scan.nearest(vector, scope, limit);
    return near.filter(({ similarity }) => similarity >= LEAST_SIMILARITY).map(({ id }) => id);
  }
}

function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

function toNumbers(bytes: Uint8Array): Float32Array {
  // A copy begins at an address that numbers may begin at.
  return new Float32Array(bytes.slice().buffer);
}
