import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../types/clock.ts";
import { describeArtifact } from "./artifact-record.ts";
import { artifactPath, createFileArtifactStore } from "./file-artifact-store.ts";

const NOTE = { mimeType: "text/plain", namespace: "notes" };
const HOUR = 3_600_000;
let root = "";
let made = 0;
const freshFolder = (): string => join(root, `${++made}`);
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "agent-core-files-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("createFileArtifactStore", () => {
  it("spreads its files over folders named by the first two digits", async () => {
    const folder = freshFolder();
    const store = createFileArtifactStore({ folder });
    const refs = await Promise.all(["a", "b", "c"].map((text) => store.put(Buffer.from(text), NOTE)));
    const folders = refs.map(({ sha256 }) => sha256.slice(0, 2)).sort();
    expect((await readdir(folder)).sort()).toEqual(folders);
    const { id, sha256 } = refs[0] ?? { id: "", sha256: "" };
    expect((await readdir(join(folder, sha256.slice(0, 2)))).sort()).toEqual([id, `${id}.json`]);
    expect(await readFile(artifactPath(folder, id), "utf8")).toBe("a");
    expect(() => artifactPath(folder, "../secret")).toThrow("no artifact");
  });

  it("finds, pins, sweeps and removes what an earlier version laid flat", async () => {
    const folder = freshFolder();
    const kept = await layFlat(folder, "kept");
    const swept = await layFlat(folder, "swept");
    const removed = await layFlat(folder, "removed");
    const store = createFileArtifactStore({ folder });
    expect(await store.get(kept.id)).toEqual(Buffer.from("kept"));
    expect(await store.ref(kept.id)).toEqual(kept);
    expect((await store.list()).map(({ id }) => id).sort()).toEqual([kept.id, swept.id, removed.id].sort());
    expect(await store.put(Buffer.from("kept"), { ...NOTE, scope: { userId: "ada" } })).toEqual(kept);
    expect(await store.list({ scope: { userId: "ada" } })).toEqual([kept]);
    await store.pin(kept.id, "run");
    expect(await store.remove(removed.id)).toBe(true);
    expect(await store.sweep({ maxBytes: 0 }, 0)).toEqual({ removed: 1, bytes: 5 });
    expect((await readdir(folder)).sort()).toEqual([kept.id, `${kept.id}.json`]);
  });

  it("remembers pins and scopes after a restart", async () => {
    const folder = freshFolder();
    const before = createFileArtifactStore({ folder });
    const ref = await before.put(Buffer.from("x"), { ...NOTE, scope: { sessionId: "s" } });
    await before.pin(ref.id, "run");
    const after = createFileArtifactStore({ folder });
    expect(await after.sweep({ maxBytes: 0 }, Date.now())).toEqual({ removed: 0, bytes: 0 });
    expect(await after.list({ scope: { sessionId: "s" } })).toEqual([ref]);
  });

  it("counts the age from the last time the bytes were put", async () => {
    let now = 0;
    const store = createFileArtifactStore({ folder: freshFolder(), clock: clockAt(() => now) });
    const ref = await store.put(Buffer.from("again"), NOTE);
    await store.put(Buffer.from("once"), NOTE);
    now = HOUR;
    expect(await store.put(Buffer.from("again"), NOTE)).toEqual(ref);
    expect(await store.sweep({ maxAgeMs: 1_000 }, now)).toEqual({ removed: 1, bytes: 4 });
    expect(await store.list()).toEqual([ref]);
  });

  it("lists the oldest first and sweeps it first", async () => {
    let now = 0;
    const store = createFileArtifactStore({ folder: freshFolder(), clock: clockAt(() => now) });
    const ids: string[] = [];
    for (const text of ["c", "a", "b"]) {
      now += 1_000;
      ids.push((await store.put(Buffer.from(text), NOTE)).id);
    }
    expect((await store.list()).map(({ id }) => id)).toEqual(ids);
    await store.sweep({ maxBytes: 1 }, now);
    expect((await store.list()).map(({ id }) => id)).toEqual(ids.slice(-1));
  });

  it("takes away what killed writers left, once no writer can be at it", async () => {
    const folder = freshFolder();
    const store = createFileArtifactStore({ folder });
    const { id } = await store.put(Buffer.from("whole"), NOTE);
    const orphan = `art_ab${"0".repeat(30)}`;
    await mkdir(join(folder, "ab"), { recursive: true });
    const left = [join(folder, "ab", orphan), join(folder, "ab", `${orphan}.1.tmp`), join(folder, "old.tmp")];
    for (const path of left) await writeFile(path, "half");
    await store.sweep({}, Date.now());
    expect((await readdir(join(folder, "ab"))).length).toBeGreaterThanOrEqual(2);
    const longAgo = new Date(Date.now() - 2 * HOUR);
    for (const path of left) await utimes(path, longAgo, longAgo);
    expect(await store.sweep({}, Date.now())).toEqual({ removed: 0, bytes: 0 });
    const names = await readdir(folder, { recursive: true });
    expect(names.filter((name) => name.includes(orphan) || name.endsWith(".tmp"))).toEqual([]);
    expect(await store.get(id)).toEqual(Buffer.from("whole"));
  });

  it("keeps the bytes of a damaged record, leaves it out of lists and mends it when they come again", async () => {
    const folder = freshFolder();
    const store = createFileArtifactStore({ folder });
    const { id, sha256 } = await store.put(Buffer.from("x"), NOTE);
    const record = join(folder, sha256.slice(0, 2), `${id}.json`);
    const longAgo = new Date(Date.now() - 2 * HOUR);
    for (const damage of ["", "{", "[]", '{"id":"art_0"}', "\0\0\0"]) {
      await writeFile(record, damage);
      await utimes(record.slice(0, -".json".length), longAgo, longAgo);
      expect(await store.list()).toEqual([]);
      await store.sweep({}, Date.now());
      expect(await store.get(id)).toEqual(Buffer.from("x"));
    }
    await store.put(Buffer.from("x"), NOTE);
    expect((await store.list()).map((ref) => ref.id)).toEqual([id]);
  });

  it("mends an artifact whose bytes were lost when the same bytes come again", async () => {
    const folder = freshFolder();
    const store = createFileArtifactStore({ folder });
    const { id, sha256 } = await store.put(Buffer.from("x"), NOTE);
    await rm(join(folder, sha256.slice(0, 2), id));
    expect(await store.get(id)).toBeUndefined();
    await store.put(Buffer.from("x"), NOTE);
    expect(await store.get(id)).toEqual(Buffer.from("x"));
  });

  it("does not sweep away what is pinned or put again while the sweep goes on", async () => {
    const store = createFileArtifactStore({ folder: freshFolder() });
    const texts = Array.from({ length: 40 }, (_, at) => `text ${at}`);
    const refs = await Promise.all(texts.map((text) => store.put(Buffer.from(text), NOTE)));
    const sweep = store.sweep({ maxBytes: 0 }, Date.now());
    const pins = await Promise.allSettled(refs.map(({ id }) => store.pin(id, "run")));
    await sweep;
    const pinned = refs.filter((_, at) => pins[at]?.status === "fulfilled");
    for (const { id } of pinned) expect(await store.get(id)).toBeDefined();
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(pinned.map(({ id }) => id).sort());
  });
});

/** As the first version wrote it. */
async function layFlat(folder: string, text: string) {
  const ref = await describeArtifact(Buffer.from(text), NOTE, 0);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ref.id), text);
  await writeFile(join(folder, `${ref.id}.json`), `${JSON.stringify(ref)}\n`);
  return ref;
}

function clockAt(now: () => number): Clock {
  return { ...systemClock, now };
}
