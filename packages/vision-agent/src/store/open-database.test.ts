import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Database, isDamaged, openDatabase } from "./open-database.ts";

const folder = await mkdtemp(join(tmpdir(), "database-"));
afterAll(() => rm(folder, { recursive: true }));

describe("openDatabase", () => {
  it.skipIf(process.platform === "win32")("makes files that only their owner reads", async () => {
    const path = join(folder, "index.sqlite");
    const database = openDatabase(path);
    database.execute("create table t (a)");
    for (const name of [path, `${path}-wal`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
    database.close();
  });

  it("S000-4.1.7 searches words and vectors", () => {
    withDatabase((database) => {
      database.execute(`create virtual table words using fts5(body);
        create virtual table vectors using vec0(id integer primary key, v float[2])`);
      database.run("insert into words(body) values (?)", "a red truck");
      database.run("insert into vectors(id, v) values (?, ?)", 7n, "[1, 0]");
      expect(database.all("select rowid from words where words match ?", '"truck"')).toHaveLength(1);
      expect(database.first("select id from vectors where v match ? and k = 1", "[1, 1]")).toMatchObject({ id: 7 });
    });
  });

  it("keeps all of a transaction or nothing, inner ones by themselves", () => {
    withDatabase((database) => {
      database.execute("create table numbers (n integer)");
      const add = (n: number): void => database.run("insert into numbers values (?)", n);
      const fail = (n: number) => () => {
        add(n);
        throw new Error("no");
      };
      database.transaction(() => {
        add(1);
        expect(() => database.transaction(fail(2))).toThrow("no");
        database.transaction(() => add(3));
      });
      expect(() => database.transaction(fail(4))).toThrow("no");
      expect(database.all("select n from numbers").map(({ n }) => n)).toEqual([1, 3]);
    });
  });

  it("loads no further extension", () => {
    withDatabase((database) => {
      expect(() => database.first("select load_extension('x')")).toThrow(/not authorized/);
    });
  });

  it("tells a damaged file from a mistake", async () => {
    const path = join(folder, "broken.db");
    await writeFile(path, "this is no database at all".repeat(100));
    expect(isDamaged(thrownBy(() => openDatabase(path)))).toBe(true);
    withDatabase((database) => expect(isDamaged(thrownBy(() => database.first("select nonsense")))).toBe(false));
  });

  it("closes twice", () => {
    const database = openDatabase(":memory:");
    database.close();
    database.close();
  });
});

function withDatabase(work: (database: Database) => void): void {
  const database = openDatabase(":memory:");
  try {
    work(database);
  } finally {
    database.close();
  }
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
